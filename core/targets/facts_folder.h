#pragma once

#include <filesystem>

namespace blobscope::targets {

/// The folder in which a user can put newer tables: $BLOBSCOPE_FACTS, else `blobscope/facts` in $XDG_DATA_HOME,
/// ~/.local/share or %LOCALAPPDATA%. It need not exist. Empty when none of these is set.
std::filesystem::path userFactsFolder();

} // namespace blobscope::targets
