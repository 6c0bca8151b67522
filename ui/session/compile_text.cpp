#include "ui/session/compile_text.h"

#include "ui/text/plain_text.h"

#include <chrono>
#include <utility>

namespace blobscope::ui {

Result<CompilePlace> compilePlaceOf(const library::PackagePtr& package, const Ref& ref, bool draft, Monitor& monitor) {
  CompilePlace out;
  BLOBSCOPE_TRY(target, compile::targetOf(*package, ref, monitor));
  if (!target.source && !draft)
    return Error(DiagnosticId::CompPlace, {arg("ref", ref.toString()), {"reason", "it has no text"}});
  out.language = target.source.value_or(compile::Language::CudaCpp);
  out.compilers = compile::compilersFor(out.language, process::ToolSearch::fromEnvironment());
  out.target = std::move(target);
  return out;
}

Result<CompileReportPtr> compileText(const library::PackagePtr& package, const CompilePlace& place, const Bytes& text,
                                     const CompileChoice& choice, Monitor& monitor) {
  compile::Request request;
  request.source = text;
  request.compiler = fromQt(choice.compiler);
  for (const QString& one : choice.architectures) request.architectures.push_back(fromQt(one));
  for (const QString& one : choice.flags.split(QLatin1Char(' '), Qt::SkipEmptyParts))
    request.flags.push_back(fromQt(one));
  request.anyFlag = std::erase(request.flags, "--any-flag") > 0;
  auto report = std::make_shared<CompileReport>();
  const auto begin = std::chrono::steady_clock::now();
  BLOBSCOPE_TRY(compiled, compile::compileFor(place.target, request, monitor));
  report->milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  report->compiled = std::move(compiled);
  if (report->compiled.ok) {
    BLOBSCOPE_TRY(before, compile::usesBefore(place.target, request, monitor));
    report->before = std::move(before);
    report->misfits = compile::misfitsOf(*package, place.target, report->compiled);
  }
  return CompileReportPtr(std::move(report));
}

} // namespace blobscope::ui
