#include "ui/models/field_text.h"

#include "ui/text/plain_text.h"

#include <QStringList>

#include <algorithm>

namespace blobscope::ui::fieldtext {
namespace {

constexpr qsizetype kLine = 16'384;
constexpr uint32_t kItems = 1'000;

bool isNumber(FieldType type) {
  return type == FieldType::U8 || type == FieldType::U16 || type == FieldType::U32 || type == FieldType::U64 ||
         type == FieldType::I32 || type == FieldType::I64;
}

bool isLeaf(FieldType type) {
  return isNumber(type) || type == FieldType::F64 || type == FieldType::DataType || type == FieldType::String;
}

std::optional<QString> leafText(const FieldTree& tree, uint32_t row) {
  if (tree.rows[row].type != FieldType::String) return wholeToQt(tree.value(row));
  const Bytes content = tree.content(row);
  if (content.size() > 4 * kLine) return std::nullopt;
  const QString text = wholeToQt(content.view());
  const bool plain = text.size() <= kLine &&
                     text.toUtf8() == QByteArrayView(reinterpret_cast<const char*>(content.data()),
                                                     static_cast<qsizetype>(content.size())) &&
                     std::all_of(text.begin(), text.end(), [](QChar c) { return c.isPrint() || c.isSurrogate(); });
  return plain ? std::optional(text) : std::nullopt;
}

json::Value leafValue(FieldType type, const QString& text) {
  const QString trimmed = text.trimmed();
  bool ok = false;
  if (isNumber(type)) {
    if (const qulonglong number = trimmed.toULongLong(&ok); ok) return {static_cast<uint64_t>(number)};
    if (const qlonglong number = trimmed.toLongLong(&ok); ok) return {static_cast<int64_t>(number)};
  }
  if (type == FieldType::F64)
    if (const double number = trimmed.toDouble(&ok); ok) return {number};
  return {fromQt(type == FieldType::String ? text : trimmed)};
}

} // namespace

std::optional<QString> editText(const FieldTree& tree, uint32_t row) {
  const Field& field = tree.rows[row];
  if (isLeaf(field.type)) return leafText(tree, row);
  if (field.type != FieldType::List || field.after - row > kItems) return std::nullopt;
  QStringList items;
  for (uint32_t item = row + 1; item < field.after; item = tree.rows[item].after) {
    if (!isLeaf(tree.rows[item].type)) return std::nullopt;
    const auto text = leafText(tree, item);
    if (!text || text->contains(QLatin1Char(',')) || text->trimmed() != *text || text->isEmpty()) return std::nullopt;
    items << *text;
  }
  return items.join(QLatin1String(", "));
}

json::Value valueOf(const FieldTree& tree, uint32_t row, const QString& text) {
  const Field& field = tree.rows[row];
  if (field.type != FieldType::List) return leafValue(field.type, text);
  if (text.trimmed().startsWith(QLatin1Char('[')))
    if (auto parsed = json::parse(Bytes::copyOf(fromQt(text))); parsed && parsed->array()) return std::move(*parsed);
  const FieldType type = field.after > row + 1 ? tree.rows[row + 1].type : FieldType::String;
  json::Value::Array items;
  for (const QString& item : text.split(QLatin1Char(','))) items.push_back(leafValue(type, item.trimmed()));
  if (text.trimmed().isEmpty()) items.clear();
  return {std::move(items)};
}

std::optional<QString> jsonText(const FieldTree& tree, uint32_t row) {
  if (tree.rows[row].type != FieldType::Literal) return std::nullopt;
  const Bytes content = tree.content(row);
  const auto value = content.size() > 4 * kLine ? Result<json::Value>(json::Value()) : json::parse(content);
  if (!value || content.size() > 4 * kLine) return std::nullopt;
  const QString text = wholeToQt(value->isString() ? value->text() : content.view());
  const bool plain = text.size() <= kLine &&
                     std::all_of(text.begin(), text.end(), [](QChar c) { return c.isPrint() || c.isSurrogate(); });
  return plain ? std::optional(text) : std::nullopt;
}

std::optional<json::Value> jsonValueOf(const FieldTree& tree, uint32_t row, const QString& text) {
  using Type = json::Value::Type;
  const auto old = json::parse(tree.content(row));
  if (old && old->isString()) return json::Value{fromQt(text)};
  auto typed = json::parse(Bytes::copyOf(fromQt(text.trimmed())));
  const auto isNumber = [](const json::Value& value) { return value.isWhole() || value.type() == Type::Real; };
  if (!old || !typed) return std::nullopt;
  const bool fits = old->isNull() || old->type() == typed->type() || (isNumber(*old) && isNumber(*typed));
  return fits ? std::optional(std::move(*typed)) : std::nullopt;
}

} // namespace blobscope::ui::fieldtext
