#include "core/base/diagnostic.h"

#include "core/base/message.h"
#include "core/base/result.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace blobscope {
namespace {

constexpr DiagnosticRow kRows[] = {
#define BLOBSCOPE_DIAGNOSTIC(name, id, severity, code, text) {id, Severity::severity, ErrorCode::code, text},
#include "core/base/diagnostics.inc"
#undef BLOBSCOPE_DIAGNOSTIC
};

/// Placeholders whose numbers identify something and count nothing. References and JSON pointers show the same numbers
/// without separators.
constexpr std::string_view kIdentifiers[] = {"module", "index", "node", "entry",   "device", "sid",
                                             "a",      "b",     "code", "version", "cipher", "missing"};

/// Appends a value in the form that the placeholder asks for.
void appendValue(std::string_view value, std::string_view form, std::string& out) {
  if (form == ":part") {
    out += value.empty() ? "the file" : "'" + std::string(value) + "'";
    return;
  }
  out += value;
  if (form == ":are") {
    out += value == "1" ? " is" : " are";
  } else if (form.size() > 2 && form.ends_with('s')) {
    out += ' ';
    out += value == "1" ? form.substr(1, form.size() - 2) : form.substr(1);
  }
}

} // namespace

const DiagnosticRow& row(DiagnosticId id) { return kRows[static_cast<std::size_t>(id)]; }

std::span<const DiagnosticRow> diagnosticRows() { return kRows; }

std::string_view severityName(Severity severity) {
  constexpr std::array<std::string_view, 3> kNames = {"error", "warning", "note"};
  return kNames[static_cast<std::size_t>(severity)];
}

Argument arg(std::string_view name, std::string_view value) { return {name, escaped(value, kMessageBytes)}; }
Argument arg(std::string_view name, uint64_t value) {
  const bool identifies = std::ranges::find(kIdentifiers, name) != std::end(kIdentifiers);
  return {name, identifies ? std::to_string(value) : groupedText(value)};
}
Argument sizeArg(std::string_view name, uint64_t bytes) { return {name, sizeText(bytes)}; }
Argument hexArg(std::string_view name, uint64_t value) { return {name, hexText(value)}; }

std::string fillPlaceholders(std::string_view text, std::span<const Argument> arguments) {
  std::string out;
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t open = text.find('{', position);
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) break;
    out += text.substr(position, open - position);
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    const std::string_view name = inside.substr(0, inside.find(':'));
    const auto found = std::ranges::find(arguments, name, &Argument::name);
    appendValue(found != arguments.end() ? found->value : "{" + std::string(name) + "}", inside.substr(name.size()),
                out);
    position = close + 1;
  }
  out += text.substr(position);
  return out;
}

std::string Diagnostic::message() const { return fillPlaceholders(row(id).text, arguments); }

std::string Error::message() const {
  std::string out;
  for (auto step = m_trail.rbegin(); step != m_trail.rend(); ++step) out += *step + ": ";
  return out + m_diagnostic.message();
}

} // namespace blobscope
