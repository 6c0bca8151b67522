#pragma once

#include "core/container/container.h"

namespace blobscope::container {

bool looksLikeAr(std::string_view head);
/// A library of objects (.a, .lib): GNU, BSD and COFF variants; a thin archive contains only the names. Source: System
/// V ABI (ar.h), GNU binutils (long names, /SYM64/), 4.4BSD ar(5), Microsoft PE format, "Archive file". Members and
/// their names are charged to `budget` (FILE-LIMIT); when it is used up, the members before that stay.
Result<Image> readAr(const Bytes& file, const BudgetPtr& budget, Monitor& monitor);

} // namespace blobscope::container
