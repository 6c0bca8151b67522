#include "core/describe/compiled.h"

#include "core/base/text.h"

#include <algorithm>

namespace blobscope::describe {
namespace {

std::string listOf(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + escaped(word);
  return out;
}

uint64_t countOf(const compile::Compiled& compiled, Severity severity) {
  return static_cast<uint64_t>(std::ranges::count(compiled.messages, severity, &compile::Message::severity));
}

void writeNumber(json::Writer& writer, std::string_view name, std::optional<uint64_t> value) {
  value ? writer.member(name, *value) : writer.key(name).null();
}

} // namespace

std::string compilerText(const compile::Compiled& compiled) {
  return compiled.compiler + (compiled.version.empty() ? "" : " " + compiled.version) +
         (compiled.architectures.empty() ? "" : " for " + listOf(compiled.architectures));
}

std::string messageText(const compile::Message& message) {
  std::string out;
  if (message.line > 0) out += std::to_string(message.line) + ":";
  if (message.line > 0 && message.column > 0) out += std::to_string(message.column) + ":";
  return out + (out.empty() ? "" : " ") + std::string(severityName(message.severity)) + ": " + message.text;
}

std::string kernelText(const compile::KernelUse& kernel) {
  std::string out;
  const auto add = [&](const std::optional<uint64_t>& value, const auto& text) {
    if (value) out += (out.empty() ? "" : ", ") + text(*value);
  };
  add(kernel.registers, [](uint64_t n) { return countText(n, "register"); });
  add(kernel.shared, [](uint64_t n) { return countText(n, "byte") + " of shared memory"; });
  add(kernel.stack, [](uint64_t n) { return countText(n, "byte") + " of stack"; });
  add(kernel.codeBytes, [](uint64_t n) { return countText(n, "byte") + " of code"; });
  add(kernel.occupancy, [](uint64_t n) { return "occupancy " + std::to_string(n) + " %"; });
  return kernel.name + ": " + (out.empty() ? "its resources are not known" : out);
}

std::vector<UseChange> changesOf(const compile::KernelUse* before, const compile::KernelUse& after) {
  using Member = std::optional<uint64_t> compile::KernelUse::*;
  struct Row {
    std::string_view label;
    Member member;
    bool lessIsBetter, perCent;
  };
  constexpr Row kRows[] = {{"Registers", &compile::KernelUse::registers, true, false},
                           {"Shared memory, bytes", &compile::KernelUse::shared, true, false},
                           {"Stack, bytes", &compile::KernelUse::stack, true, false},
                           {"Occupancy", &compile::KernelUse::occupancy, false, true},
                           {"Code, bytes", &compile::KernelUse::codeBytes, true, false}};
  std::vector<UseChange> out;
  for (const Row& row : kRows) {
    const std::optional<uint64_t> old = before ? before->*row.member : std::nullopt;
    if (old || after.*row.member)
      out.push_back({std::string(row.label), old, after.*row.member, row.lessIsBetter, row.perCent});
  }
  return out;
}

std::string resultText(const compile::Compiled& compiled) {
  const uint64_t errors = countOf(compiled, Severity::Error), warnings = countOf(compiled, Severity::Warning);
  const std::string also = warnings > 0 ? countText(warnings, "warning") : "";
  if (!compiled.ok)
    return "The source does not compile: " + countText(errors, "error") + (also.empty() ? "" : ", " + also) + ".";
  if (compiled.format == "text")
    return "The source compiles" + (also.empty() ? "" : ", with " + also) + "; the library stores the source itself.";
  return "The source compiles to " + compiled.format + ", " +
         countText(compiled.code ? compiled.code->size() : 0, "byte") + (also.empty() ? "" : ", with " + also) + ".";
}

void writeCompiled(json::Writer& writer, const compile::Compiled& compiled, const std::string& sha256) {
  writer.key("compiler")
      .beginObject()
      .member("name", compiled.compiler)
      .member("version", compiled.version)
      .endObject();
  for (const auto& [name, list] : {std::pair{"arch", &compiled.architectures}, std::pair{"flags", &compiled.flags}}) {
    writer.key(name).beginArray();
    for (const std::string& word : *list) writer.value(word);
    writer.endArray();
  }
  writer.key("diagnostics").beginArray();
  for (const compile::Message& message : compiled.messages) {
    writer.beginObject().member("severity", severityName(message.severity));
    writeNumber(writer, "line", message.line > 0 ? std::optional(message.line) : std::nullopt);
    writeNumber(writer, "column", message.column > 0 ? std::optional(message.column) : std::nullopt);
    writer.member("message", message.text).endObject();
  }
  writer.endArray().key("kernels").beginArray();
  for (const compile::KernelUse& kernel : compiled.kernels) {
    writer.beginObject().member("name", kernel.name);
    writeNumber(writer, "registers", kernel.registers);
    writeNumber(writer, "shared", kernel.shared);
    writeNumber(writer, "stack", kernel.stack);
    writer.endObject();
  }
  writer.endArray().key("code");
  if (!compiled.code) {
    writer.null();
    return;
  }
  writer.beginObject()
      .member("format", compiled.format)
      .member("size", compiled.code->size())
      .member("sha256", sha256)
      .endObject();
}

} // namespace blobscope::describe
