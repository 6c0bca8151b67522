#pragma once

#include "core/library/package.h"
#include "core/mlf/archive.h"
#include "core/mlf/board_use.h"
#include "core/view/memory_fit.h"
#include "core/view/page.h"

namespace blobscope::mlf {

/// Returns the page "Will it fit?": the memory that an archive takes, and the boards that have it. Without a choice it
/// is about all boards.
view::Page fitPage(ArchivePtr archive, library::PackagePtr package);

/// Returns the parts of both memories, without limits and answer.
view::MemoryFit memoryOf(const BoardUse& use);

} // namespace blobscope::mlf
