#include "core/describe/archive_code.h"

#include "core/base/text.h"
#include "core/run/archive.h"

#include <algorithm>

namespace blobscope::describe {
namespace {

std::string sizesText(const compile::CUnit::Sizes& sizes) {
  return countText(sizes.code, "byte") + " of code, " + groupedText(sizes.constants) + " of constants, " +
         groupedText(sizes.data + sizes.zeros) + " of variables";
}

} // namespace

std::vector<check::Issue> archiveCodeIssues(const library::PackagePtr& package, const mlf::Archive& archive,
                                            const compile::CResult& result) {
  check::Report report;
  for (const compile::CMessage& message : result.messages) {
    if (message.path.empty() && message.severity != Severity::Error) continue;
    check::Issue issue = check::issueOf(Diagnostic{DiagnosticId::CompCode, {}, {{"text", message.text}}});
    issue.severity = message.severity;
    issue.place.member = message.path;
    if (message.line > 0) issue.place.line = message.line;
    if (const mlf::File* const file = archive.model.find(message.path))
      issue.ref = mlf::refOf(*package, archive.model.container.inner, file, {});
    report.issues.push_back(std::move(issue));
  }
  report.sortWorstFirst();
  return std::move(report.issues);
}

std::string archiveCodeText(const compile::CResult& result) {
  std::string out = "compiled with " + escapedWithin(result.compiler, 200) +
                    (result.version.empty() ? "" : ": " + result.version) + "\n";
  compile::CUnit::Sizes sum;
  std::size_t known = 0;
  for (const compile::CUnit& unit : result.units) {
    out += "  " + escapedWithin(unit.path, 200) + ": " +
           (unit.sizes ? sizesText(*unit.sizes)
            : unit.ok  ? "compiles; the object file cannot be read"
                       : "does not compile") +
           "\n";
    if (!unit.sizes) continue;
    ++known;
    sum.code += unit.sizes->code;
    sum.constants += unit.sizes->constants;
    sum.data += unit.sizes->data;
    sum.zeros += unit.sizes->zeros;
  }
  if (known > 1 && known == result.units.size()) out += "  together: " + sizesText(sum) + "\n";
  return out;
}

bool CheckedCode::compiles() const { return std::ranges::all_of(result.units, &compile::CUnit::ok); }

Result<CheckedCode> checkArchiveCode(const library::PackagePtr& package, std::string compiler,
                                     std::vector<std::string> flags, bool anyFlag, Monitor& monitor) {
  BLOBSCOPE_TRY(archive, mlf::readArchive(package, monitor));
  compile::CRequest request = archive ? run::codeOf(archive->model, archive->model.modules) : compile::CRequest();
  if (request.sources.empty())
    return Error(DiagnosticId::Usage, {{"what", "the file contains no C code of a Model Library Format archive"}});
  request.compiler = std::move(compiler);
  request.flags = std::move(flags);
  request.anyFlag = anyFlag;
  CheckedCode out;
  BLOBSCOPE_TRY(result, compile::compileC(request, monitor));
  out.issues = archiveCodeIssues(package, *archive, result);
  out.result = std::move(result);
  return out;
}

} // namespace blobscope::describe
