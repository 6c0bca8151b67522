#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/compile/target.h"
#include "core/library/package.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <string>
#include <vector>

namespace blobscope::ui {

/// Where a text of a library can be compiled to.
struct CompilePlace {
  compile::Target target;
  compile::Language language = compile::Language::Ptx; ///< of the text
  std::vector<compile::CompilerHere> compilers;        ///< for it; may be empty
};
/// For the stored source of a node, or with `draft` for CUDA C++ that is not stored yet. Error: that of
/// compile::targetOf() for nodes without source; Cancelled.
Result<CompilePlace> compilePlaceOf(const library::PackagePtr& package, const Ref& ref, bool draft, Monitor& monitor);

/// What the user chose.
struct CompileChoice {
  QString compiler;          ///< its name: "ptxas"
  QStringList architectures; ///< "sm_90"; empty for languages without any
  QString flags;             ///< separated by spaces
};

/// What compiling a text gave.
struct CompileReport {
  compile::Compiled compiled;
  std::vector<compile::KernelUse> before; ///< of the stored code
  std::vector<std::string> misfits;       ///< why the code does not fit the library
  double milliseconds = 0;                ///< of compiling the text
};
using CompileReportPtr = std::shared_ptr<const CompileReport>;
/// Compiles the text, and the stored source for comparison. Errors: those of compile::compile().
Result<CompileReportPtr> compileText(const library::PackagePtr& package, const CompilePlace& place, const Bytes& text,
                                     const CompileChoice& choice, Monitor& monitor);

} // namespace blobscope::ui
