#pragma once

#include "core/base/monitor.h"
#include "core/base/ref.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/view/page.h"

#include <optional>

namespace blobscope::describe {

/// For a `cuda` module that stores machine code and no source: the page "New source", CUDA C++ with an empty kernel for
/// each that the module lists. It states what the file says of each kernel: its parameters, launch parameters, the
/// largest block, and the host function that launches it. Nothing for other nodes. The page is made when it is shown.
std::optional<view::Page> draftPage(const library::PackagePtr& package, const Ref& ref);

} // namespace blobscope::describe
