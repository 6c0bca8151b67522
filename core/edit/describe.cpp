#include "core/edit/describe.h"

#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/edit/archive/json_text.h"
#include "core/edit/overwrite.h"
#include "core/edit/value.h"
#include "core/library/node.h"
#include "core/library/resolve.h"
#include "core/payloads/tensor/value_text.h"

namespace blobscope::edit {
namespace {

constexpr std::size_t kShown = 120; ///< the longest value in a description, in bytes

std::string sizeOfContent(const Content& content, const std::filesystem::path& folder) {
  if (content.file.empty()) return sizeText(content.bytes.size());
  std::error_code failure;
  std::filesystem::path path = pathFrom(content.file);
  if (path.is_relative() && std::filesystem::exists(folder / path, failure)) path = folder / path;
  const auto size = std::filesystem::file_size(path, failure);
  return escaped(pathText(path.filename())) + (failure ? "" : ", " + sizeText(size));
}

class Describer {
public:
  Describer(const library::PackagePtr& opened, const ApplyOptions& options, Monitor& monitor)
      : m_opened(opened), m_options(options), m_monitor(monitor) {}

  Description operator()(const Replace& edit) {
    if (isOverwrite(edit)) return overwritten(edit);
    Description out = about(edit.target);
    out.what = name(edit.target) + " replaced";
    if (const auto node = find(edit.target); node && node->bytes) out.before = shortContent(*node);
    out.after = sizeOfContent(edit.content, m_options.folder);
    return out;
  }
  Description operator()(const AddModule& edit) {
    Description out;
    out.subject = edit.key;
    out.target = edit.id;
    out.what = "Module '" + escaped(edit.key) + "' added";
    std::string parents;
    for (const std::string& parent : edit.parents) parents += (parents.empty() ? "" : ", ") + escaped(parent);
    if (const auto ref = edit.parents.empty() ? std::nullopt : Ref::parse(edit.parents.front())) out.place = *ref;
    out.what += " to " + parents;
    out.after = sizeOfContent(edit.content, m_options.folder);
    return out;
  }
  Description operator()(const AddFunction& edit) {
    Description out = about(edit.target);
    out.what = name(edit.target) + " added";
    if (edit.content) out.after = sizeOfContent(*edit.content, m_options.folder);
    return out;
  }
  Description operator()(const Remove& edit) {
    Description out = about(edit.target);
    out.what = name(edit.target) + " removed";
    if (const auto node = find(edit.target); node && node->bytes) out.before = sizeText(node->bytes->size());
    return out;
  }
  Description operator()(const Rename& edit) {
    Description out = about(edit.target);
    out.what = name(edit.target) + " renamed";
    if (edit.target.ref.kind == Ref::Kind::Member)
      out.before = escapedWithin(edit.target.ref.name, kShown);
    else
      out.before = edit.target.ref.parts.empty() ? std::string(out.subject)
                                                 : escapedWithin(edit.target.ref.parts.front().name, kShown);
    out.after = escapedWithin(edit.name, kShown);
    return out;
  }
  Description operator()(const Relink& edit) {
    Description out = about(edit.target);
    out.what = "Imports of " + lowered(name(edit.target)) + " changed";
    if (const library::Module* const opened = moduleOf(edit.target))
      for (const uint32_t child : opened->imports)
        out.before += (out.before.empty() ? "m" : ", m") + std::to_string(child);
    for (const std::string& one : edit.imports) out.after += (out.after.empty() ? "" : ", ") + escaped(one);
    if (out.before.empty()) out.before = "none";
    if (out.after.empty()) out.after = "none";
    return out;
  }
  Description operator()(const SetField& edit) {
    Description out = about(edit.target);
    out.what = name(edit.target) + " set";
    if (const library::Module* const module = moduleOf(edit.target)) {
      const auto tree = library::treeOf(*module);
      if (const auto row =
              edit.target.ref.parts.empty() ? std::nullopt : tree->find(edit.target.ref.parts.front().name))
        out.before = tree->value(*row, kShown);
    }
    out.after = escapedWithin(jsonText(edit.value), kShown);
    return out;
  }

  Description operator()(const SetValue& edit) {
    Description out = about(edit.target);
    std::string index;
    for (const uint64_t at : edit.index) index += (index.empty() ? "" : ", ") + std::to_string(at);
    out.what = "Value [" + index + "] of " + lowered(name(edit.target)) + " set";
    out.after = escapedWithin(edit.value, kShown);
    const auto node = find(edit.target);
    const auto element = node && node->tensor ? payloads::elementAt(*node->tensor, edit.index) : std::nullopt;
    if (!element) return out;
    out.before = payloads::TensorValues(*node->tensor).text(*element);
    if (const auto stored = payloads::encodeValue(*node->tensor, edit.value, out.target)) out.after = stored->text;
    return out;
  }
  Description operator()(const AddMember& edit) {
    Description out = about(edit.target);
    out.what = name(edit.target) + " added";
    out.after = sizeOfContent(edit.content, m_options.folder);
    return out;
  }
  Description operator()(const SetJson& edit) {
    Description out = about(edit.target);
    out.what = "Value '" + escapedWithin(edit.pointer, kShown) + "' of " + lowered(name(edit.target)) +
               (edit.value ? " set" : " removed");
    out.before = jsonBefore(edit);
    if (edit.value) out.after = escapedWithin(jsonText(*edit.value), kShown);
    return out;
  }
  Description operator()(const SetArchive& edit) {
    Description out = about(edit.target);
    switch (edit.form) {
    case SetArchive::Form::Uncompressed: out.what = "Archive stored without compression"; break;
    case SetArchive::Form::EndMarker: out.what = "End marker of the archive written"; break;
    case SetArchive::Form::LastCopies: out.what = "Earlier copies of members removed"; break;
    case SetArchive::Form::Modes: out.what = "Unusual modes of members replaced with 0644 and 0755"; break;
    case SetArchive::Form::Owners: out.what = "All members belong to root"; break;
    case SetArchive::Form::Canonical:
      out.what = "Members sorted, with the owner, times and modes that TVM writes";
      break;
    }
    return out;
  }

private:
  /// Returns the value in the file as opened; an empty text when there is none.
  std::string jsonBefore(const SetJson& edit) {
    const auto node = find(edit.target);
    const auto document = node && node->bytes ? json::parse(*node->bytes) : Result<json::Value>(json::Value());
    const json::Value* const value = document ? valueAt(*document, edit.pointer) : nullptr;
    return value ? escapedWithin(jsonText(*value), kShown) : std::string();
  }
  Description overwritten(const Replace& edit) {
    const Ref& ref = edit.target.ref;
    uint64_t size = ref.size.value_or(edit.content.bytes.size());
    const auto found = findPayloadBytes(*m_opened, ref, size);
    Target module = edit.target;
    if (found) module.ref = found->module;
    Description out = about(module);
    out.target = edit.target.toString();
    out.place = module.ref.withBytes(*ref.at, size);
    out.what = countText(size, "byte") + (found ? " of " + lowered(name(module)) : "") + " at " + hexText(*ref.at) +
               " overwritten";
    if (const library::Module* const opened = moduleOf(module); opened && found)
      out.before = shortHex(opened->payload.slice(found->bytes.offset, size));
    out.after =
        edit.content.file.empty() ? shortHex(edit.content.bytes) : sizeOfContent(edit.content, m_options.folder);
    return out;
  }
  static std::string lowered(std::string text) {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
    return text;
  }
  Description about(const Target& target) {
    Description out;
    out.target = target.toString();
    if (target.id.empty()) out.place = target.ref;
    if (const library::Module* const module = moduleOf(target)) out.subject = escaped(module->key.view());
    return out;
  }
  const library::Module* moduleOf(const Target& target) {
    if (!target.id.empty() || target.ref.kind != Ref::Kind::Module) return nullptr;
    const auto found = library::resolve(*m_opened, target.ref);
    return found ? found->module : nullptr;
  }
  std::optional<library::Node> find(const Target& target) {
    if (!target.id.empty()) return std::nullopt;
    auto node = library::findNode(*m_opened, target.ref, m_monitor);
    return node ? std::optional(std::move(*node)) : std::nullopt;
  }
  static std::string shortContent(const library::Node& node) {
    if (node.tensor) return node.tensor->typeText() + " " + node.tensor->shapeText();
    return sizeText(node.bytes->size());
  }
  /// Returns "Kernel 'add'", "Module 1 'cuda'", "Field 'fmt'".
  std::string name(const Target& target) {
    if (!target.ref.parts.empty()) {
      const Ref::Part& part = target.ref.parts.front();
      std::string kind(partText(part.kind));
      kind[0] = static_cast<char>(kind[0] - 'a' + 'A');
      return kind + " '" + escapedWithin(part.name, kShown) + "'";
    }
    if (!target.id.empty()) return "Added module '" + escaped(target.id) + "'";
    if (target.ref.kind == Ref::Kind::Blob) return "Blob";
    if (target.ref.kind == Ref::Kind::Member) return "Member '" + escapedWithin(target.ref.name, kShown) + "'";
    if (target.ref.kind == Ref::Kind::Param) return "Tensor '" + escapedWithin(target.ref.name, kShown) + "'";
    const library::Module* const module = moduleOf(target);
    return "Module " + std::to_string(target.ref.module) + (module ? " '" + escaped(module->key.view()) + "'" : "");
  }

  const library::PackagePtr& m_opened;
  const ApplyOptions& m_options;
  Monitor& m_monitor;
};

} // namespace

Result<Description> describe(const library::PackagePtr& opened, const Edit& edit, const ApplyOptions& options,
                             Monitor& monitor) {
  longWork("edit::describe");
  if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  return std::visit(Describer(opened, options, monitor), edit);
}

} // namespace blobscope::edit
