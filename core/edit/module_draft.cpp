#include "core/edit/module_draft.h"

#include "core/base/text.h"
#include "core/edit/overwrite.h"
#include "core/edit/value.h"
#include "core/modules/common/function_info.h"
#include "core/modules/module_fields.h"
#include "core/modules/registry.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/sniff.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace blobscope::edit {
namespace {

constexpr uint64_t kContainerSize = 8; ///< offset of the size in a container; core/formats/cuda-binaries.md 2

/// Whether the part has an entry with a name: a kernel or a function.
bool isNamed(const Ref::Part& part) { return part.kind == PartKind::Kernel || part.kind == PartKind::Function; }

/// Returns the number in the ref of an image: "2".
std::optional<std::size_t> numberOf(std::string_view text) {
  const auto number = parseNumber(text);
  return number ? std::optional(static_cast<std::size_t>(*number)) : std::nullopt;
}

/// Whether code, text or not, contains a name that is not a part of a longer one. False for names that would take long
/// to find.
bool hasWord(std::string_view code, std::string_view name) {
  const auto isWordByte = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (name.empty() || name.size() > 1'024) return false;
  for (std::size_t at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !isWordByte(code[at - 1])) && (end == code.size() || !isWordByte(code[end]))) return true;
  }
  return false;
}

/// Returns `old`, which is at `place`, with the bytes that `content` at `offset` has of it.
Bytes overwritten(const Bytes& old, uint64_t place, uint64_t offset, const Bytes& content) {
  std::string out(old.view());
  const uint64_t from = std::max(place, offset), to = std::min(place + old.size(), offset + content.size());
  if (to > from) out.replace(from - place, to - from, content.view().substr(from - offset, to - from));
  return Bytes::copyOf(out);
}

/// Requires that JSON is replaced by JSON; other content may become anything. Error: REP-JSON.
Result<Done> checkJson(const Bytes& old, const Bytes& newBytes, const Ref& ref) {
  if (payloads::sniff(old) != "json" || !json::parse(old)) return Done{};
  if (const auto parsed = json::parse(newBytes); !parsed)
    return Error(DiagnosticId::EditJson, {arg("ref", ref.toString()), {"reason", parsed.error().message()}}, ref);
  return Done{};
}

} // namespace

Error cannotEdit(const Ref& ref, std::string reason) {
  return Error(DiagnosticId::EditTarget, {arg("ref", ref.toString()), {"reason", std::move(reason)}}, ref);
}

ModuleDraft::ModuleDraft(std::string name, Bytes key, Bytes payload, modules::BodyPtr body, WireContext context)
    : m_name(std::move(name)), m_key(std::move(key)), m_openedKey(m_key), m_payload(std::move(payload)),
      m_body(std::move(body)), m_context(context),
      m_tree(std::make_unique<const FieldTree>(modules::describeBody(*m_body, m_payload))),
      m_splicer(std::make_unique<Splicer>(*m_tree)) {}

std::optional<Extent> ModuleDraft::extentOf(const Bytes& part) const {
  const auto begin = reinterpret_cast<uintptr_t>(m_payload.data()), at = reinterpret_cast<uintptr_t>(part.data());
  if (part.empty() || at < begin || at - begin > m_payload.size() || m_payload.size() - (at - begin) < part.size())
    return std::nullopt;
  return Extent{at - begin, part.size()};
}

// --- finding

Result<modules::NamedRows> ModuleDraft::findNamed(const Ref::Part& part, const Ref& ref) const {
  if (auto found = m_body->entryFor(*m_tree, part)) return std::move(*found);
  return Error(DiagnosticId::RefNotFound,
               {arg("ref", ref.toString()), {"reason", "the module has no kernel or function with that name"}}, ref);
}

std::vector<uint32_t> ModuleDraft::rowsOf(const Ref::Part& part) const {
  const auto named = isNamed(part) ? m_body->entryFor(*m_tree, part) : std::nullopt;
  return named ? named->items : std::vector<uint32_t>();
}

Result<Place> ModuleDraft::findPlace(const Ref::Part& part, const Ref& ref, Monitor& monitor) const {
  const auto notFound = [&](std::string reason) {
    return Error(DiagnosticId::RefNotFound, {arg("ref", ref.toString()), {"reason", std::move(reason)}}, ref);
  };
  Place place;
  if (part.kind == PartKind::Field) {
    place.row = m_tree->find(part.name);
    if (!place.row) return notFound("the module has no field with that path");
    const Field& field = m_tree->rows[*place.row];
    const bool leaf = field.type == FieldType::String || field.type == FieldType::Data ||
                      field.type == FieldType::Words || field.type == FieldType::Words64;
    if (!leaf) return cannotEdit(ref, "it contains no text or data; set its value");
    const Bytes content = m_tree->content(*place.row);
    place.bytes = {field.offset + field.size - content.size(), content.size()};
    return place;
  }
  if (part.kind == PartKind::Kernel) {
    for (const modules::Kernel& kernel : m_body->kernels()) {
      if (kernel.name.view() != part.name) continue;
      if (!kernel.code)
        return cannotEdit(ref, modules::findKernelFields(*m_tree).image
                                   ? "all kernels of the module share its field 'data'; replace that"
                                   : "the module has no code with that name");
      const auto extent = extentOf(*kernel.code);
      if (!extent) return cannotEdit(ref, "its image is stored compressed; replace the image (entry:N)");
      place.bytes = *extent;
      return place;
    }
    return notFound("the module has no kernel with that name");
  }
  for (const modules::PartGroup& group : m_body->parts()) {
    if (group.kind != part.kind) continue;
    for (std::size_t i = 0; i < group.parts.size(); ++i) {
      if (group.parts[i].name != part.name) continue;
      BLOBSCOPE_TRY(content, m_body->part(group.kind, i, monitor));
      const auto extent = content.bytes ? extentOf(*content.bytes) : std::nullopt;
      if (!extent) return cannotEdit(ref, content.whyNoBytes.empty() ? "it has no separate bytes" : content.whyNoBytes);
      place.bytes = *extent;
      place.tensor = content.tensor;
      return place;
    }
  }
  return notFound("the module has no " + std::string(partWord(part.kind)) + " with that name");
}

// --- replacing

Result<Done> ModuleDraft::replacePart(const Ref::Part& part, const Ref& ref, Bytes content, Monitor& monitor) {
  if (part.kind == PartKind::Entry) {
    const auto number = numberOf(part.name);
    if (!number) return cannotEdit(ref, "images are numbered from 0");
    return replaceEntry(*number, ref, content);
  }
  BLOBSCOPE_TRY(place, findPlace(part, ref, monitor));
  if (place.tensor) return tensorAt(part, std::move(place), label(ref)).replace(ref, std::move(content));
  const Bytes old = m_payload.slice(place.bytes.offset, place.bytes.size);
  if (part.kind == PartKind::Field) BLOBSCOPE_CHECK(checkJson(old, content, ref));
  if (part.kind == PartKind::Kernel) {
    const auto data = modules::sharedImage(*m_tree);
    const auto shared = data ? extentOf(*data) : std::nullopt;
    const bool inImage = shared && shared->contains(place.bytes) && !(place.bytes == *shared);
    if (auto section = inImage ? m_body->sectionOf(part.name, content) : std::nullopt) {
      content = std::move(*section);
    } else if (inImage && content.size() != place.bytes.size) {
      return cannotEdit(ref, "its code is inside an image and can only be replaced by " + sizeText(place.bytes.size) +
                                 "; replace the image instead");
    }
  }
  return m_splicer->replace(place.bytes, std::move(content), label(ref));
}

Result<Done> ModuleDraft::replaceEntry(std::size_t number, const Ref& ref, const std::optional<Bytes>& image) {
  const auto data = modules::sharedImage(*m_tree);
  const auto place = data ? extentOf(*data) : std::nullopt;
  if (!place || payloads::sniff(*data) != "fatbin") return cannotEdit(ref, "the module's code is not a fat binary");
  std::size_t before = 0;
  for (const payloads::FatbinContainer& container : payloads::readFatbin(*data).containers) {
    if (number >= before + container.entries.size()) {
      before += container.entries.size();
      continue;
    }
    const payloads::FatbinEntry& entry = container.entries[number - before];
    const Extent old{place->offset + entry.header.offset, entry.header.size + entry.payload.size()};
    Bytes newBytes;
    if (image) {
      BLOBSCOPE_TRY(packed, payloads::packEntry(*image, data->slice(entry.header.offset, entry.header.size)));
      newBytes = std::move(packed);
    }
    return m_splicer->replace(old, std::move(newBytes), label(ref),
                              Splicer::Counter{place->offset + container.extent.offset + kContainerSize, 8});
  }
  return Error(
      DiagnosticId::RefNotFound,
      {arg("ref", ref.toString()), {"reason", "the fat binary has " + countText(before, "image") + ", counted from 0"}},
      ref);
}

Result<Done> ModuleDraft::addEntry(const Ref& ref, const Bytes& image) {
  const auto data = modules::sharedImage(*m_tree);
  const auto place = data ? extentOf(*data) : std::nullopt;
  const payloads::Fatbin fatbin =
      place && payloads::sniff(*data) == "fatbin" ? payloads::readFatbin(*data) : payloads::Fatbin{};
  if (fatbin.containers.empty()) return cannotEdit(ref, "the module's code is not a fat binary");
  BLOBSCOPE_TRY(packed, payloads::packEntry(image, {}));
  const Extent container = fatbin.containers.back().extent;
  m_splicer->insert(place->offset + container.end(), std::move(packed), label(ref),
                    Splicer::Counter{place->offset + container.offset + kContainerSize, 8});
  return Done{};
}

Result<Done> ModuleDraft::overwrite(uint64_t offset, const Ref& ref, const Bytes& content) {
  const Extent bytes{offset, content.size()};
  if (auto why = whyNotOverwritten(*m_tree, bytes)) return cannotEdit(ref, std::move(*why));
  std::optional<Error> refused;
  forEachLeaf(*m_tree, bytes, [&](uint32_t row, Extent place) {
    if (refused || (m_tree->rows[row].type != FieldType::String && m_tree->rows[row].type != FieldType::Data)) return;
    const Bytes old = m_payload.slice(place.offset, place.size);
    if (payloads::sniff(old) != "json") return;
    if (auto checked = checkJson(old, overwritten(old, place.offset, offset, content), ref); !checked)
      refused = checked.takeError();
  });
  if (refused) return std::move(*refused);
  m_splicer->overwrite(bytes, content, label(ref));
  return Done{};
}

std::optional<Error> ModuleDraft::unreadBytes(uint64_t offset, const Ref& ref, const Bytes& content) const {
  std::optional<Error> out;
  forEachLeaf(*m_tree, {offset, content.size()}, [&](uint32_t row, Extent place) {
    const FieldType type = m_tree->rows[row].type;
    const bool isShort = type == FieldType::String || type == FieldType::DataType || type == FieldType::I32 ||
                         type == FieldType::U32; // those that findUnread() knows
    if (out || !isShort) return;
    const Bytes old = m_payload.slice(place.offset, place.size);
    out = findUnread(*m_tree, row, m_key.view(), overwritten(old, place.offset, offset, content), ref);
  });
  return out;
}

// --- kernels and functions

Result<Done> ModuleDraft::removePart(const Ref::Part& part, const Ref& ref) {
  if (part.kind == PartKind::Entry) {
    const auto number = numberOf(part.name);
    if (!number) return cannotEdit(ref, "images are numbered from 0");
    return replaceEntry(*number, ref, std::nullopt);
  }
  if (!isNamed(part)) return cannotEdit(ref, "modules, kernels, functions and images can be removed");
  BLOBSCOPE_TRY(named, findNamed(part, ref));
  if (!named.whyNotRemovable.empty()) return cannotEdit(ref, std::string(named.whyNotRemovable));
  for (const uint32_t row : named.items) m_splicer->removeItem(row, label(ref));
  return Done{};
}

Result<Done> ModuleDraft::renamePart(const Ref::Part& part, const Ref& ref, std::string_view name) {
  if (!isNamed(part)) return cannotEdit(ref, "modules, kernels and functions can be renamed");
  BLOBSCOPE_TRY(named, findNamed(part, ref));
  for (const uint32_t row : named.names) {
    const Bytes old = m_tree->content(row);
    const Field& field = m_tree->rows[row];
    BLOBSCOPE_CHECK(
        m_splicer->replace({field.offset + field.size - old.size(), old.size()}, Bytes::copyOf(name), label(ref)));
  }
  if (part.name == name)
    m_renames.erase(part.name);
  else
    m_renames.insert_or_assign(part.name, std::string(name));
  return Done{};
}

bool ModuleDraft::changesCode() const {
  const auto image = modules::sharedImage(*m_tree);
  const auto place = image ? extentOf(*image) : std::nullopt;
  return m_replaced || (place && m_splicer->changes(*place));
}

Result<Done> ModuleDraft::renameInCode() {
  if (m_renames.empty() || changesCode()) return Done{};
  for (const modules::NameInCode& name : m_body->namesInCode(m_renames)) {
    const auto place = extentOf(name.place);
    if (!place) continue;
    BLOBSCOPE_CHECK(m_splicer->replace(*place, Bytes::copyOf(name.newName), m_name));
  }
  return Done{};
}

Result<Done> ModuleDraft::addPart(const Ref::Part& part, const Ref& ref, const std::optional<Bytes>& content,
                                  const json::Value& info) {
  if (part.kind == PartKind::Kernel) return addKernel(part.name, ref, content, info);
  if (part.kind == PartKind::Entry && content) return addEntry(ref, *content);
  return cannotEdit(ref, part.kind == PartKind::Entry ? "an image needs a file"
                                                      : "kernels and images can be added to a module");
}

Result<Bytes> ModuleDraft::infoBytes(std::string_view name, const Ref& ref, const json::Value& info) const {
  using modules::FunctionInfo;
  modules::NamedFunction function;
  function.key = Bytes::copyOf(name);
  FunctionInfo& out = function.info;
  out.form = modules::formOf(*m_tree, m_context); // like the other kernels, whose form may differ from that of the
                                                  // stream
  if (out.form == FunctionInfo::Form::Second) out.marker = Bytes::copyOf(modules::kFunctionInfoV2Marker);
  out.dlpack = m_context.dlpack;
  if (!info.isNull() && !info.object()) return cannotEdit(ref, "\"info\" must be an object");
  const auto refuse = [&](std::string_view member, std::string reason) {
    return cannotEdit(ref, "\"" + std::string(member) + "\" of \"info\": " + std::move(reason));
  };
  for (const auto& [member, value] : info.object() ? *info.object() : json::Value::Object{}) {
    if (member == "name") {
      if (!value.string()) return refuse(member, "a text is needed");
      out.name = Bytes::copyOf(*value.string());
      continue;
    }
    const auto* items = value.array();
    if (!items) return refuse(member, "a list is needed");
    for (const json::Value& item : *items) {
      if (member == "arg_types" && item.string()) {
        const auto type = parseDataType(*item.string(), m_context.dlpack);
        if (!type) return refuse(member, "no type is called '" + escaped(*item.string()) + "'");
        out.argTypes.push_back(*type);
      } else if (member == "launch_param_tags" && item.string()) {
        out.launchParamTags.push_back(Bytes::copyOf(*item.string()));
      } else if (member == "arg_extra_tags" && std::holds_alternative<uint64_t>(item.data)) {
        out.argExtraTags.push_back(static_cast<int32_t>(std::get<uint64_t>(item.data)));
      } else {
        return refuse(member, "known members are \"name\" (a text), \"arg_types\" and \"launch_param_tags\" (lists of "
                              "texts), \"arg_extra_tags\" (a list of numbers)");
      }
    }
  }
  // TVM writes one for each argument. Source: apache/tvm b6db2ec89f.
  if (out.form != FunctionInfo::Form::Three && (!info.object() || !info.find("arg_extra_tags")))
    out.argExtraTags.assign(out.argTypes.size(), 0);
  return modules::encodeWire(function);
}

Result<Done> ModuleDraft::addKernel(std::string_view name, const Ref& ref, const std::optional<Bytes>& code,
                                    const json::Value& info) {
  const modules::KernelFields fields = modules::findKernelFields(*m_tree);
  if (!fields.functions) return cannotEdit(ref, "the module lists no kernels");
  for (const modules::Kernel& kernel : m_body->kernels())
    if (kernel.name.view() == name) return cannotEdit(ref, "the module already has a kernel with that name");
  BLOBSCOPE_TRY(entry, infoBytes(name, ref, info));
  m_splicer->addItem(*fields.functions, std::move(entry), label(ref));
  if (fields.codes && !code) return cannotEdit(ref, "each kernel of the module has separate code; name a file");
  if (!fields.codes && code)
    return cannotEdit(
        ref, "all kernels of the module share its field 'data'; replace that and add the kernel without a file");
  if (!fields.codes) return Done{};
  modules::EncodedCode encoded = m_body->encodeEntry(name, *code);
  if (!encoded.whyNot.empty()) return cannotEdit(ref, std::move(encoded.whyNot));
  m_splicer->addItem(*fields.codes, std::move(encoded.bytes), label(ref));
  return Done{};
}

// --- fields

Result<Done> ModuleDraft::setField(std::string_view path, const Ref& ref, const json::Value& value) {
  if (const auto row = m_tree->find(path)) {
    const Field& field = m_tree->rows[*row];
    BLOBSCOPE_TRY(bytes, fieldBytes(*m_tree, *row, value, ref.toString()));
    if (field.type == FieldType::List) {
      m_splicer->replaceList(*row, std::move(bytes), label(ref));
      return Done{};
    }
    const uint64_t content = m_tree->content(*row).size();
    BLOBSCOPE_CHECK(checkJson(m_tree->content(*row), bytes, ref));
    return m_splicer->replace({field.offset + field.size - content, content}, std::move(bytes), label(ref));
  }
  // One word of an array: "instruction_words[5]".
  const std::size_t bracket = path.rfind('[');
  const auto array =
      bracket != std::string_view::npos && path.ends_with(']') ? m_tree->find(path.substr(0, bracket)) : std::nullopt;
  if (array) {
    const Field& field = m_tree->rows[*array];
    const unsigned size = field.type == FieldType::Words ? 4 : field.type == FieldType::Words64 ? 8 : 0;
    const auto number = parseNumber(path.substr(bracket + 1, path.size() - bracket - 2));
    if (size > 0 && number && *number < field.number) {
      BLOBSCOPE_TRY(word, wordBytes(size, value, ref.toString()));
      return m_splicer->replace({field.offset + 8 + *number * size, size}, std::move(word), label(ref));
    }
  }
  return Error(DiagnosticId::RefNotFound,
               {arg("ref", ref.toString()), {"reason", "the module has no field with that path"}}, ref);
}

std::optional<Error> ModuleDraft::unreadField(std::string_view path, const Ref& ref, const json::Value& value) const {
  const auto row = m_tree->find(path);
  if (!row) return std::nullopt;
  const auto bytes = fieldBytes(*m_tree, *row, value, ref.toString());
  return bytes ? findUnread(*m_tree, *row, m_key.view(), *bytes, ref) : std::nullopt; // setField() reports the reason
}

std::optional<Error> ModuleDraft::unreadInfo(const Ref& ref, const json::Value& info) const {
  if (!info.object()) return std::nullopt;
  for (const auto& [member, value] : *info.object())
    if (const auto* const items = value.array())
      for (const json::Value& item : *items)
        if (auto error = findUnreadItem(member, m_key.view(), item, ref)) return error;
  return std::nullopt;
}

// --- values of tensors

Result<Done> ModuleDraft::setValue(const Ref::Part& part, const Ref& ref, std::span<const uint64_t> index,
                                   std::string_view value, Monitor& monitor) {
  const auto found = m_tensors.find({part.kind, part.name});
  if (found != m_tensors.end()) return found->second.values.setValue(ref, index, value);
  BLOBSCOPE_TRY(place, findPlace(part, ref, monitor));
  if (!place.tensor) return cannotEdit(ref, "it is not a tensor, so it has no values");
  return tensorAt(part, std::move(place), label(ref)).setValue(ref, index, value);
}

TensorDraft& ModuleDraft::tensorAt(const Ref::Part& part, Place place, std::string label) {
  const auto tensor = place.tensor;
  const std::pair key(part.kind, part.name);
  return m_tensors.try_emplace(key, EditedTensor{std::move(place), TensorDraft(tensor), std::move(label)})
      .first->second.values;
}

Result<Done> ModuleDraft::spliceValues() {
  for (const auto& [key, tensor] : m_tensors)
    BLOBSCOPE_CHECK(tensor.values.forEachRun([&, first = tensor.place.bytes.offset](uint64_t offset, Bytes bytes) {
      const Extent place{first + offset, bytes.size()};
      return m_splicer->replace(place, std::move(bytes), tensor.label);
    }));
  m_tensors.clear();
  return Done{};
}

// --- the result

Result<ModuleDraft::Outcome> ModuleDraft::finish() {
  BLOBSCOPE_CHECK(renameInCode());
  BLOBSCOPE_CHECK(spliceValues());
  const std::string module = escaped(m_name);
  Outcome out;
  out.changed = m_replaced || !m_splicer->empty();
  if (m_replaced && !m_splicer->empty())
    return Error(DiagnosticId::EditConflict,
                 {arg("module", module), {"first", "its whole payload"}, {"second", "something in it"}});
  if (m_replaced) {
    out.payload = *m_replaced;
  } else {
    BLOBSCOPE_TRY(payload, m_splicer->empty() ? Result<Bytes>(m_payload) : m_splicer->apply(module));
    out.payload = std::move(payload);
  }
  const modules::ModuleCodec* const codec = modules::findCodec(m_key.view());
  if (!out.changed && !isRenamed()) {
    out.body = m_body;
    return out;
  }
  if (!codec) return out;
  WireContext other = m_context;
  other.extraTags = !other.extraTags;
  auto body = modules::decodePayload(*codec, out.payload, {{m_context, other}}, m_body->layout());
  // The bytes that a newer exporter wrote after the fields stay, and the rest must decode as before.
  const Bytes tail = m_body->unknownTail();
  if (!body && !tail.empty() && !isRenamed()) {
    auto newer = modules::decodeNewerPayload(*codec, out.payload, {{m_context, other}}, m_body->layout());
    if (newer && newer->unknownTail() == tail) body = std::move(newer);
  }
  // Another key may need another layout.
  const bool sameLayout = !m_replaced && !isRenamed() && m_body->decoded();
  if (body) {
    out.body = std::move(*body);
    // Fields that no longer fit this layout may accidentally fit that of another generation.
    if (sameLayout && out.body->layout() != m_body->layout())
      return Error(DiagnosticId::EditLayout,
                   {arg("module", module),
                    arg("kind", m_key.view()),
                    arg("layout", m_body->layout()),
                    {"reason", "its bytes would be read as '" + std::string(out.body->layout()) + "'"}});
    return out;
  }
  if (sameLayout)
    return Error(DiagnosticId::EditLayout, {arg("module", module),
                                            arg("kind", m_key.view()),
                                            arg("layout", m_body->layout()),
                                            {"reason", body.error().message()}});
  out.whyUndecoded = body.takeError();
  return out;
}

std::vector<std::string> ModuleDraft::repeatedKernels(const modules::Body& body) {
  std::set<std::string_view> seen;
  std::set<std::string> repeated;
  for (const modules::Kernel& kernel : body.kernels())
    if (!seen.insert(kernel.name.view()).second) repeated.emplace(kernel.name.view());
  return {repeated.begin(), repeated.end()};
}

std::vector<KernelProblem> ModuleDraft::kernelsLosingCode(const modules::Body* before, const modules::Body& after,
                                                          Monitor& monitor) const {
  constexpr std::string_view kNotDefined = "its code does not define it; calling it will fail",
                             kOldName = "its code still uses the old name; calling it will probably fail",
                             kUnknown = "its code could not be checked and may still use the old name";
  std::map<std::string_view, std::string_view> oldNames; // of renamed kernels
  for (const auto& [from, to] : m_renames) oldNames.emplace(to, from);
  const auto defined = after.kernelsInCode(monitor);
  const auto definedBefore = before ? before->kernelsInCode(monitor) : std::nullopt;
  std::set<std::string_view> lackingBefore;
  if (definedBefore)
    for (const modules::Kernel& kernel : before->kernels())
      if (!definedBefore->contains(kernel.name.view())) lackingBefore.insert(kernel.name.view());

  std::map<std::string, std::string_view> lost;
  for (const modules::Kernel& kernel : after.kernels()) {
    const std::string_view name = kernel.name.view();
    const auto renamed = oldNames.find(name);
    const std::string_view oldName = renamed != oldNames.end() ? renamed->second : name;
    if (!defined) {
      if (renamed != oldNames.end() && !changesCode()) lost.emplace(name, kUnknown);
    } else if (!defined->contains(name)) {
      if (!lackingBefore.contains(oldName)) lost.emplace(name, kNotDefined);
    } else if (oldName != name && kernel.code && hasWord(kernel.code->view(), oldName) &&
               !hasWord(kernel.code->view(), name)) {
      lost.emplace(name, kOldName);
    }
  }
  std::vector<KernelProblem> out;
  for (const auto& [name, problem] : lost) out.push_back({name, problem});
  return out;
}

} // namespace blobscope::edit
