#include "core/edit/edit_json.h"

#include "core/base/digest.h"
#include "core/base/text.h"
#include "core/edit/apply.h"
#include "core/edit/value.h"

#include <array>

namespace blobscope::edit {
namespace {

constexpr std::string_view kSchema = "blobscope.edits/1";
constexpr std::array kForms = {SetArchive::Form::Uncompressed, SetArchive::Form::EndMarker,
                               SetArchive::Form::LastCopies,   SetArchive::Form::Modes,
                               SetArchive::Form::Owners,       SetArchive::Form::Canonical};

Error refuse(std::string reason) { return Error(DiagnosticId::EditList, {{"reason", std::move(reason)}}); }

/// Reads the members of one edit; reports the first missing one.
class EditReader {
public:
  EditReader(const json::Value& value, std::size_t number, std::vector<std::string>& ids)
      : m_value(value), m_number(number), m_ids(ids) {}

  Result<Edit> read() {
    const std::string* const op = text("op");
    if (!op) return missing("op");
    if (*op == "replace") return readReplace();
    if (*op == "add") return readAdd();
    if (*op == "remove") {
      BLOBSCOPE_TRY(at, target());
      if (m_value.find("pointer")) return readSetJson(std::move(at), std::nullopt);
      return Edit{Remove{std::move(at)}};
    }
    if (*op == "rename") {
      BLOBSCOPE_TRY(at, target());
      const auto name = textOrHex("name");
      if (!name) return missing("name");
      return Edit{Rename{std::move(at), *name}};
    }
    if (*op == "relink") {
      BLOBSCOPE_TRY(at, target());
      BLOBSCOPE_TRY(imports, names("imports"));
      return Edit{Relink{std::move(at), std::move(imports)}};
    }
    if (*op == "set") {
      BLOBSCOPE_TRY(at, target());
      const json::Value* const value = m_value.find("value");
      if (!value) return missing("value");
      if (m_value.find("index")) return readSetValue(std::move(at), *value);
      if (m_value.find("pointer")) return readSetJson(std::move(at), *value);
      return Edit{SetField{std::move(at), *value}};
    }
    if (*op == "archive") return readSetArchive();
    return refuse(where() + "the op '" + escaped(*op) +
                  "' is not one of replace, add, remove, rename, relink, set, archive");
  }

private:
  std::string where() const { return "edit " + std::to_string(m_number) + ": "; }
  Error missing(std::string_view member) const {
    return refuse(where() + "\"" + std::string(member) + "\" is missing or of the wrong type");
  }
  const std::string* text(std::string_view member) const {
    const json::Value* const value = m_value.find(member);
    return value ? value->string() : nullptr;
  }
  std::optional<std::string> textOrHex(std::string_view member) const {
    if (const std::string* const plain = text(member)) return *plain;
    const json::Value* const value = m_value.find(member);
    const json::Value* const hex = value ? value->find("hex") : nullptr;
    return hex && hex->string() ? parseHexDigits(*hex->string()) : std::nullopt;
  }
  Result<Target> target() const {
    const std::string* const ref = text("ref");
    if (!ref) return missing("ref");
    auto target = parseTarget(*ref, m_ids);
    if (!target) return target.takeError().within("edit " + std::to_string(m_number));
    return target;
  }
  Result<std::vector<std::string>> names(std::string_view member) const {
    const json::Value* const list = m_value.find(member);
    if (!list || !list->array()) return missing(member);
    std::vector<std::string> out;
    for (const json::Value& item : *list->array()) {
      if (!item.string()) return missing(member);
      out.push_back(*item.string());
    }
    return out;
  }
  Result<std::optional<Content>> content() const {
    if (const auto file = textOrHex("file")) {
      if (file->empty()) return missing("file");
      return std::optional(Content{*file, {}});
    }
    if (const std::string* const hex = text("hex")) {
      const auto bytes = parseHexDigits(*hex);
      if (!bytes) return refuse(where() + "\"hex\" must contain only pairs of hexadecimal digits");
      return std::optional(Content{{}, Bytes::copyOf(*bytes)});
    }
    return std::optional<Content>();
  }
  Result<Edit> readReplace() const {
    BLOBSCOPE_TRY(at, target());
    BLOBSCOPE_TRY(bytes, content());
    if (!bytes) return missing("file");
    Replace replace{std::move(at), std::move(*bytes)};
    if (m_value.find("was")) {
      const std::string* const was = text("was");
      const auto old = was ? parseHexDigits(*was) : std::nullopt;
      if (!old) return refuse(where() + "\"was\" must contain only pairs of hexadecimal digits");
      replace.was = Bytes::copyOf(*old);
    }
    return Edit{std::move(replace)};
  }
  Result<Edit> readSetValue(Target at, const json::Value& value) const {
    SetValue out{std::move(at), {}, {}};
    const json::Value* const list = m_value.find("index");
    if (!list->array()) return missing("index");
    for (const json::Value& item : *list->array()) {
      const auto* const number = std::get_if<uint64_t>(&item.data);
      if (!number) return missing("index");
      out.index.push_back(*number);
    }
    if (value.string())
      out.value = *value.string();
    else if (value.isWhole() || value.type() == json::Value::Type::Real || value.type() == json::Value::Type::Bool)
      out.value = jsonText(value);
    else
      return missing("value");
    return Edit{std::move(out)};
  }
  Result<Edit> readSetJson(Target at, std::optional<json::Value> value) const {
    const std::string* const pointer = text("pointer");
    if (!pointer) return missing("pointer");
    return Edit{SetJson{std::move(at), *pointer, std::move(value)}};
  }
  Result<Edit> readSetArchive() const {
    BLOBSCOPE_TRY(at, target());
    const std::string* const name = text("form");
    if (!name) return missing("form");
    for (const SetArchive::Form form : kForms)
      if (*name == formName(form)) return Edit{SetArchive{std::move(at), form}};
    return refuse(where() + "the form '" + escaped(*name) +
                  "' is not one of uncompressed, end-marker, last-copies, modes, owners, canonical");
  }
  Result<Edit> readAddMember(Target at, std::optional<Content> bytes) const {
    if (!bytes) return missing("file");
    AddMember add{std::move(at), std::move(*bytes)};
    if (m_value.find("after")) {
      add.after = textOrHex("after");
      if (!add.after) return missing("after");
    }
    return Edit{std::move(add)};
  }
  Result<Edit> readAdd() {
    BLOBSCOPE_TRY(bytes, content());
    if (m_value.find("ref")) {
      BLOBSCOPE_TRY(at, target());
      if (at.ref.kind == Ref::Kind::Member) return readAddMember(std::move(at), std::move(bytes));
      const json::Value* const info = m_value.find("info");
      return Edit{AddFunction{std::move(at), std::move(bytes), info ? *info : json::Value()}};
    }
    AddModule add;
    const std::string* const id = text("id");
    const auto key = textOrHex("key");
    if (!id) return missing("id");
    if (!key) return missing("key");
    BLOBSCOPE_TRY(parents, names("parents"));
    add.id = *id;
    add.key = *key;
    add.content = bytes ? std::move(*bytes) : Content{};
    add.parents = std::move(parents);
    if (const json::Value* const position = m_value.find("position")) {
      const auto* number = std::get_if<uint64_t>(&position->data);
      if (!number) return missing("position");
      add.position = *number;
    }
    m_ids.push_back(add.id);
    return Edit{std::move(add)};
  }

  const json::Value& m_value;
  std::size_t m_number;
  std::vector<std::string>& m_ids;
};

class EditWriter {
public:
  explicit EditWriter(json::Writer& writer) : m_writer(writer) {}

  void operator()(const Replace& edit) {
    op("replace", edit.target);
    content(edit.content);
    if (edit.was) m_writer.member("was", hexDigits(edit.was->view()));
  }
  void operator()(const AddModule& edit) {
    m_writer.member("op", "add");
    m_writer.member("id", edit.id);
    m_writer.member("key", edit.key);
    content(edit.content);
    names("parents", edit.parents);
    if (edit.position) m_writer.member("position", *edit.position);
  }
  void operator()(const AddFunction& edit) {
    op("add", edit.target);
    if (edit.content) content(*edit.content);
    if (!edit.info.isNull()) m_writer.member("info", edit.info);
  }
  void operator()(const Remove& edit) { op("remove", edit.target); }
  void operator()(const Rename& edit) {
    op("rename", edit.target);
    m_writer.member("name", edit.name);
  }
  void operator()(const Relink& edit) {
    op("relink", edit.target);
    names("imports", edit.imports);
  }
  void operator()(const SetField& edit) {
    op("set", edit.target);
    m_writer.member("value", edit.value);
  }
  void operator()(const SetValue& edit) {
    op("set", edit.target);
    m_writer.key("index").beginArray();
    for (const uint64_t index : edit.index) m_writer.value(index);
    m_writer.endArray();
    m_writer.member("value", edit.value);
  }

  void operator()(const AddMember& edit) {
    op("add", edit.target);
    content(edit.content);
    if (edit.after) m_writer.member("after", *edit.after);
  }
  void operator()(const SetJson& edit) {
    op(edit.value ? "set" : "remove", edit.target);
    m_writer.member("pointer", edit.pointer);
    if (edit.value) m_writer.member("value", *edit.value);
  }
  void operator()(const SetArchive& edit) {
    op("archive", edit.target);
    m_writer.member("form", formName(edit.form));
  }

private:
  void op(const char* name, const Target& target) {
    m_writer.member("op", name);
    m_writer.member("ref", target.toString());
  }
  void content(const Content& content) {
    if (content.file.empty())
      m_writer.member("hex", hexDigits(content.bytes.view()));
    else
      m_writer.member("file", content.file);
  }
  void names(std::string_view member, const std::vector<std::string>& list) {
    m_writer.key(member).beginArray();
    for (const std::string& name : list) m_writer.value(std::string_view(name));
    m_writer.endArray();
  }
  json::Writer& m_writer;
};

} // namespace

std::string_view formName(SetArchive::Form form) {
  switch (form) {
  case SetArchive::Form::Uncompressed: return "uncompressed";
  case SetArchive::Form::EndMarker: return "end-marker";
  case SetArchive::Form::LastCopies: return "last-copies";
  case SetArchive::Form::Modes: return "modes";
  case SetArchive::Form::Owners: return "owners";
  case SetArchive::Form::Canonical: break;
  }
  return "canonical";
}

Result<EditList> readEdits(const Bytes& text) {
  BLOBSCOPE_TRY(document, json::parse(text));
  const json::Value* const schema = document.find("schema");
  if (!schema || !schema->string() || *schema->string() != kSchema)
    return refuse("its \"schema\" is not \"" + std::string(kSchema) + "\"");
  EditList list;
  if (const json::Value* const file = document.find("file"))
    if (const json::Value* const digest = file->find("sha256"); digest && digest->string())
      list.sha256 = *digest->string();
  const json::Value* const edits = document.find("edits");
  if (!edits || !edits->array()) return refuse("\"edits\" is not a list");
  std::vector<std::string> ids;
  for (const json::Value& value : *edits->array()) {
    BLOBSCOPE_TRY(edit, EditReader(value, list.edits.size() + 1, ids).read());
    list.edits.push_back(std::move(edit));
  }
  return list;
}

std::string writeEdits(std::string_view sha256, std::span<const Edit> edits) {
  std::string out;
  json::Writer writer([&](std::string_view text) { out += text; });
  writer.beginObject();
  writer.member("schema", kSchema);
  writer.key("file").beginObject();
  writer.member("sha256", sha256);
  writer.endObject();
  writer.key("edits").beginArray();
  for (const Edit& edit : edits) {
    writer.beginObject();
    std::visit(EditWriter(writer), edit);
    writer.endObject();
  }
  writer.endArray();
  writer.endObject();
  writer.finish();
  return out;
}

Result<Done> checkFile(const EditList& list, const library::Package& package, Monitor& monitor) {
  if (list.sha256.empty()) return Done{};
  BLOBSCOPE_TRY(found, computeSha256(package.bytes, monitor));
  if (found != list.sha256) return Error(DiagnosticId::EditFile, {arg("wanted", list.sha256), arg("found", found)});
  return Done{};
}

} // namespace blobscope::edit
