#include "ui/models/fields_model.h"

#include "core/base/text.h"
#include "ui/models/field_text.h"
#include "ui/text/plain_text.h"

namespace blobscope::ui {

FieldsModel::FieldsModel(std::shared_ptr<const FieldTree> tree, QObject* parent)
    : QAbstractItemModel(parent), m_tree(std::move(tree)) {
  const auto count = static_cast<uint32_t>(m_tree->rows.size());
  m_parent.resize(count);
  m_position.resize(count);
  std::vector<uint32_t> open; // ancestors of the current row
  std::vector<uint32_t> childCount(count, 0);
  for (uint32_t row = 0; row < count; ++row) {
    while (!open.empty() && m_tree->rows[open.back()].after <= row) open.pop_back();
    m_parent[row] = open.empty() ? row : open.back();
    if (open.empty()) {
      m_position[row] = static_cast<uint32_t>(m_roots.size());
      m_roots.push_back(row);
    } else {
      m_position[row] = childCount[open.back()]++;
    }
    if (m_tree->rows[row].after > row + 1) open.push_back(row);
  }
  m_firstOf.resize(count + 1, 0);
  for (uint32_t row = 0; row < count; ++row) m_firstOf[row + 1] = m_firstOf[row] + childCount[row];
  m_children.resize(m_firstOf[count]);
  for (uint32_t row = 0; row < count; ++row)
    if (m_parent[row] != row) m_children[m_firstOf[m_parent[row]] + m_position[row]] = row;
}

QModelIndex FieldsModel::indexOf(uint32_t row) const { return createIndex(static_cast<int>(m_position[row]), 0, row); }

QModelIndex FieldsModel::index(int row, int column, const QModelIndex& parent) const {
  if (row < 0 || column < 0 || column >= 4 || row >= rowCount(parent)) return {};
  const auto at = static_cast<uint32_t>(row);
  return createIndex(row, column,
                     parent.isValid() ? m_children[m_firstOf[FieldsModel::row(parent)] + at] : m_roots[at]);
}

QModelIndex FieldsModel::parent(const QModelIndex& index) const {
  if (!index.isValid() || m_parent[row(index)] == row(index)) return {};
  return indexOf(m_parent[row(index)]);
}

int FieldsModel::rowCount(const QModelIndex& parent) const {
  if (parent.column() > 0) return 0;
  if (!parent.isValid()) return static_cast<int>(m_roots.size());
  return static_cast<int>(m_firstOf[row(parent) + 1] - m_firstOf[row(parent)]);
}

int FieldsModel::columnCount(const QModelIndex&) const { return 4; }

QVariant FieldsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Field& field = m_tree->rows[row(index)];
  if (role == Qt::TextAlignmentRole && index.column() >= 2) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  const bool changed = index.column() == 1 && m_changed.contains(row(index));
  if (role == FieldChangedRole) return changed;
  if (role == Qt::ToolTipRole && index.column() == 1) {
    const QString value = toQt(m_tree->value(row(index), 2000));
    return plainTip(changed ? value + QLatin1Char('\n') + tr("This value has an unsaved change.") : value);
  }
  if (role == FieldRoleRole && index.column() == 0) return static_cast<int>(field.role);
  if (role == Qt::EditRole && index.column() == 1) return textToEdit(row(index)).value_or(QString());
  if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
  switch (index.column()) {
  case 0: return field.index != Field::kNoIndex ? QStringLiteral("[%1]").arg(field.index) : nameToQt(field.name);
  case 1: {
    std::string value = m_tree->value(row(index));
    // A list item that has a name shows it as its value.
    if (value.empty() && field.index != Field::kNoIndex && field.after > row(index) + 1 &&
        m_tree->rows[row(index) + 1].type == FieldType::String)
      value = m_tree->value(row(index) + 1);
    return changed && role == Qt::AccessibleTextRole ? tr("%1, changed").arg(toQt(value)) : toQt(value);
  }
  case 2: return toQt(hexText(m_tree->bytes.offset().value_or(0) + field.offset));
  default: return toQt(groupedText(field.size));
  }
}

Qt::ItemFlags FieldsModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractItemModel::flags(index);
  return m_editable && index.column() == 1 && textToEdit(row(index)) ? flags | Qt::ItemIsEditable : flags;
}

std::optional<QString> FieldsModel::textToEdit(uint32_t row) const {
  return m_tree->rows[row].type == FieldType::Literal ? fieldtext::jsonText(*m_tree, row)
                                                      : fieldtext::editText(*m_tree, row);
}

bool FieldsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable)) return false;
  if (value.toString() != data(index, Qt::EditRole).toString()) Q_EMIT valueEntered(row(index), value.toString());
  return true;
}

QVariant FieldsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section > 3) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant((section >= 2 ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
  case 0: return tr("Field");
  case 1: return tr("Value");
  case 2: return m_tree && !m_tree->bytes.offset() ? tr("Offset in data") : tr("Offset in file");
  default: return tr("Bytes");
  }
}

} // namespace blobscope::ui
