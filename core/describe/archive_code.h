#pragma once

#include "core/check/report.h"
#include "core/compile/c_code.h"
#include "core/library/package.h"
#include "core/mlf/archive.h"

#include <string>
#include <vector>

namespace blobscope::describe {

/// What a compiler says about the C code of an archive.
struct CheckedCode {
  compile::CResult result;
  std::vector<check::Issue> issues; ///< archiveCodeIssues()
  bool compiles() const;            ///< all sources do
};

/// Compiles all C code of an archive for its messages and sizes; nothing of it is executed. `compiler`: a name or a
/// path, empty for "cc"; `flags`, `anyFlag`: as in compile::CRequest. Errors: USAGE when the file contains none of a
/// Model Library Format archive; those of compile::compileC(); Cancelled.
Result<CheckedCode> checkArchiveCode(const library::PackagePtr& package, std::string compiler,
                                     std::vector<std::string> flags, bool anyFlag, Monitor& monitor);

/// The messages of the compiler as findings COMP-CODE, worst first. Messages about files of the system are left out,
/// except errors.
std::vector<check::Issue> archiveCodeIssues(const library::PackagePtr& package, const mlf::Archive& archive,
                                            const compile::CResult& result);
/// "default_lib0.c: 1,234 bytes of code, 96 of constants, 0 of variables" for each source, and the sum.
std::string archiveCodeText(const compile::CResult& result);

} // namespace blobscope::describe
