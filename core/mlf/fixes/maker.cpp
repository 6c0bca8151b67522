#include "core/mlf/fixes/maker.h"

#include "core/base/text.h"

#include <algorithm>

namespace blobscope::mlf {
namespace {

constexpr std::size_t kShownJson = 80;

} // namespace

FixMaker& FixMaker::set(std::string_view pointer, json::Value value) {
  return setIn(*m_context.metadata(), pointer, std::move(value));
}
FixMaker& FixMaker::setIn(const File& file, std::string_view pointer, json::Value value) {
  m_fix.edits.push_back(edit::SetJson{m_context.memberTarget(file.stored), std::string(pointer), std::move(value)});
  return *this;
}
FixMaker& FixMaker::drop(std::string_view pointer) { return dropIn(*m_context.metadata(), pointer); }
FixMaker& FixMaker::dropIn(const File& file, std::string_view pointer) {
  m_fix.edits.push_back(edit::SetJson{m_context.memberTarget(file.stored), std::string(pointer), std::nullopt});
  return *this;
}
FixMaker& FixMaker::renameKey(std::string_view pointer, std::string_view name) {
  if (const json::Value* const value = m_context.inMetadata(pointer)) {
    drop(pointer);
    set(json::pointerStep(parentOf(pointer), name), *value);
  }
  return *this;
}
FixMaker& FixMaker::patch(const File& file, uint64_t offset, uint64_t size, std::string bytes) {
  m_fix.patches.push_back({&file, offset, size, std::move(bytes)});
  return *this;
}
FixMaker& FixMaker::rename(std::string_view stored, std::string path) {
  m_fix.edits.push_back(edit::Rename{m_context.memberTarget(stored), std::move(path)});
  return *this;
}
FixMaker& FixMaker::remove(std::string_view stored) {
  m_fix.edits.push_back(edit::Remove{m_context.memberTarget(stored)});
  return *this;
}
FixMaker& FixMaker::add(std::string path, Bytes content, std::optional<std::string> after) {
  edit::Target target = m_context.archiveTarget();
  target.ref.kind = Ref::Kind::Member;
  target.ref.name = std::move(path);
  m_fix.edits.push_back(edit::AddMember{std::move(target), {{}, std::move(content)}, std::move(after)});
  return *this;
}
FixMaker& FixMaker::archive(edit::SetArchive::Form form) {
  m_fix.edits.push_back(edit::SetArchive{m_context.archiveTarget(), form});
  return *this;
}
Fix FixMaker::done(std::string sentence) {
  // Names of the archive may be part of it.
  constexpr std::size_t kLongest = 1'000;
  std::ranges::replace(sentence, '\n', ' ');
  m_fix.sentence = plainText(sentence, kLongest);
  return std::move(m_fix);
}

json::Value numberValue(uint64_t number) {
  json::Value value;
  value.data = number;
  return value;
}
json::Value textValue(std::string_view text) {
  json::Value value;
  value.data = std::string(text);
  return value;
}
json::Value listValue(json::Value::Array items) {
  json::Value value;
  value.data = std::move(items);
  return value;
}
json::Value objectValue(std::initializer_list<std::pair<std::string, json::Value>> members) {
  json::Value value;
  value.data = json::Value::Object(members);
  return value;
}

bool isSame(const json::Value& a, const json::Value& b) {
  if (a.type() != b.type()) return false;
  if (a.isArray()) return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(), isSame);
  if (a.isObject())
    return std::equal(a.members().begin(), a.members().end(), b.members().begin(), b.members().end(),
                      [](const auto& x, const auto& y) { return x.first == y.first && isSame(x.second, y.second); });
  switch (a.type()) {
  case json::Value::Type::Bool: return std::get<bool>(a.data) == std::get<bool>(b.data);
  case json::Value::Type::Negative: return std::get<int64_t>(a.data) == std::get<int64_t>(b.data);
  case json::Value::Type::Unsigned: return a.number() == b.number();
  case json::Value::Type::Real: return std::get<double>(a.data) == std::get<double>(b.data);
  case json::Value::Type::String: return a.text() == b.text();
  default: return true; // null
  }
}

std::string shownJson(const json::Value& value) {
  std::string text;
  json::Writer writer([&](std::string_view piece) { text += piece; }, json::Layout::OneLine);
  writer.value(value);
  writer.finish();
  while (text.ends_with('\n')) text.pop_back();
  return plainText(text, kShownJson);
}

std::string_view parentOf(std::string_view pointer) {
  const std::size_t slash = pointer.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : pointer.substr(0, slash);
}

std::optional<std::size_t> indexOf(std::string_view pointer) {
  const auto number = parseNumber(pointer.substr(pointer.rfind('/') + 1)); // npos + 1 is 0
  return number ? std::optional(static_cast<std::size_t>(*number)) : std::nullopt;
}

std::optional<uint64_t> countIn(const json::Value& object, std::string_view name) {
  const json::Value* const value = object.find(name);
  return value && value->type() == json::Value::Type::Unsigned ? std::optional(value->number()) : std::nullopt;
}

const std::string* textIn(const json::Value& object, std::string_view name) {
  const json::Value* const value = object.find(name);
  return value ? value->string() : nullptr;
}

std::string_view argumentOf(const check::Issue& issue, std::string_view name) {
  const auto found = std::find_if(issue.arguments.begin(), issue.arguments.end(),
                                  [&](const Argument& one) { return one.name == name; });
  return found == issue.arguments.end() ? std::string_view() : std::string_view(found->value);
}

std::string storedPath(std::string_view path) { return "./" + std::string(path); }

} // namespace blobscope::mlf
