#include "ui/models/contents_model.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"

#include <QMimeData>

#include <optional>
#include <utility>

namespace blobscope::ui {

void ContentsModel::setRows(std::vector<library::ContentsRow> rows) {
  beginResetModel();
  m_rows = std::move(rows);
  m_children.assign(m_rows.size() + 1, {});
  m_position.assign(m_rows.size(), 0);
  for (uint32_t row = 0; row < m_rows.size(); ++row) {
    const uint32_t parent = m_rows[row].parent;
    auto& siblings = m_children[parent == library::ContentsRow::kNoParent ? m_rows.size() : parent];
    m_position[row] = static_cast<uint32_t>(siblings.size());
    siblings.push_back(row);
  }
  endResetModel();
}

const std::vector<uint32_t>& ContentsModel::childrenOf(const QModelIndex& parent) const {
  return m_children[parent.isValid() ? parent.internalId() : m_rows.size()];
}

QModelIndex ContentsModel::find(const Ref& ref, const std::string& page) const {
  for (uint32_t row = 0; row < m_rows.size(); ++row)
    if (m_rows[row].ref == ref && m_rows[row].page == page)
      return createIndex(static_cast<int>(m_position[row]), 0, row);
  return {};
}

QModelIndex ContentsModel::index(int row, int column, const QModelIndex& parent) const {
  if (m_children.empty() || column != 0 || row < 0) return {};
  const auto& children = childrenOf(parent);
  if (static_cast<std::size_t>(row) >= children.size()) return {};
  return createIndex(row, 0, children[static_cast<std::size_t>(row)]);
}

QModelIndex ContentsModel::parent(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const uint32_t parent = m_rows[index.internalId()].parent;
  if (parent == library::ContentsRow::kNoParent) return {};
  return createIndex(static_cast<int>(m_position[parent]), 0, parent);
}

int ContentsModel::rowCount(const QModelIndex& parent) const {
  if (m_children.empty() || parent.column() > 0) return 0;
  return static_cast<int>(childrenOf(parent).size());
}

int ContentsModel::columnCount(const QModelIndex&) const { return 1; }

namespace {

QString tipText(const library::ContentsRow& row) {
  return row.shared ? ContentsModel::tr("%1\nShared: more than one module imports it").arg(toQt(row.name))
                    : toQt(row.name);
}

} // namespace

QVariant ContentsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const library::ContentsRow& row = m_rows[index.internalId()];
  switch (role) {
  case Qt::DisplayRole: return toQt(row.name);
  case Qt::ToolTipRole: return plainTip(tipText(row));
  case TipTextRole: return tipText(row);
  case Qt::AccessibleTextRole: {
    // Nothing by colour or icon alone: severity and size are part of the words.
    QString text = toQt(row.name);
    if (!row.detail.empty()) text += QStringLiteral(", ") + toQt(row.detail);
    if (row.size) text += QStringLiteral(", ") + toQt(sizeText(*row.size));
    if (row.worst) text += QStringLiteral(", ") + severityWord(*row.worst);
    return text;
  }
  case DetailRole: return toQt(row.detail);
  case SizeRole: return row.size ? QVariant(static_cast<qulonglong>(*row.size)) : QVariant();
  case SeverityRole: return row.worst ? QVariant(static_cast<int>(*row.worst)) : QVariant();
  case KindRole: return static_cast<int>(row.kind);
  case ModuleKeyRole: return toQt(row.moduleKey);
  case RefRole: return toQt(row.ref.shown());
  case PageRole: return toQt(row.page);
  default: return {};
  }
}

namespace {

const QString kRefs = QStringLiteral("application/x-blobscope-module");

/// "REF", or "REF PARENT": what is dragged, and from where.
std::pair<std::optional<Ref>, std::optional<Ref>> draggedRefs(const QMimeData& data) {
  const QList<QByteArray> words = data.data(kRefs).split(' ');
  return {Ref::parse(words.value(0).toStdString()),
          words.size() > 1 ? Ref::parse(words[1].toStdString()) : std::nullopt};
}

} // namespace

Qt::ItemFlags ContentsModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractItemModel::flags(index);
  if (!index.isValid() || row(index).kind != library::RowKind::Module) return flags;
  if (row(index).ref.module != 0) flags |= Qt::ItemIsDragEnabled;
  return flags | Qt::ItemIsDropEnabled;
}

QStringList ContentsModel::mimeTypes() const { return {kRefs}; }

QMimeData* ContentsModel::mimeData(const QModelIndexList& indexes) const {
  if (indexes.isEmpty() || row(indexes.first()).kind != library::RowKind::Module) return nullptr;
  QByteArray words = QByteArray::fromStdString(row(indexes.first()).ref.toString());
  const QModelIndex above = indexes.first().parent();
  if (above.isValid() && row(above).kind == library::RowKind::Module)
    words += ' ' + QByteArray::fromStdString(row(above).ref.toString());
  auto* const data = new QMimeData;
  data->setData(kRefs, words);
  return data;
}

bool ContentsModel::canDropMimeData(const QMimeData* data, Qt::DropAction, int, int, const QModelIndex& parent) const {
  if (!data->hasFormat(kRefs) || !parent.isValid() || row(parent).kind != library::RowKind::Module) return false;
  const auto [module, from] = draggedRefs(*data);
  const Ref& onto = row(parent).ref;
  return module && *module != onto && module->prefix == onto.prefix && module->members == onto.members;
}

bool ContentsModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                                 const QModelIndex& parent) {
  if (!canDropMimeData(data, action, row, column, parent)) return false;
  const auto [module, from] = draggedRefs(*data);
  Q_EMIT moduleDropped(*module, this->row(parent).ref, action == Qt::MoveAction && from ? *from : Ref::file());
  return false; // the rows come with the edit
}

QString severityIcon(Severity severity) {
  return severity == Severity::Error     ? QStringLiteral("error")
         : severity == Severity::Warning ? QStringLiteral("warning")
                                         : QStringLiteral("note");
}

QString severityWord(Severity severity) { return toQt(severityName(severity)); }

} // namespace blobscope::ui
