#pragma once

#include "core/targets/facts.h"

#include <filesystem>

namespace blobscope::targets {

/// The folder in which a user can put newer tables: $BLOBSCOPE_FACTS, else `blobscope/facts` in $XDG_DATA_HOME,
/// ~/.local/share or %LOCALAPPDATA%. It need not exist. Empty when none of these is set.
std::filesystem::path userFactsFolder();

/// The tables with those of the user, or only the built-in ones when the user's cannot be used. For notes about
/// devices, which a damaged table must not prevent. Error: PRE-FACTS, only when the built-in ones cannot be used.
Result<FactsPtr> loadUsableFacts();

} // namespace blobscope::targets
