#pragma once

#include "core/describe/write_plan.h"
#include "ui/theme/theme.h"

#include <QAbstractListModel>
#include <QAbstractTableModel>
#include <QStyledItemDelegate>
#include <QVector>

#include <vector>

/// The lists of the Repack dialog: changes that can be excluded, and the steps of the plan.
namespace blobscope::ui {

/// The texts of an edit.
struct ChangeRow {
  QString sentence, values;
  QString icon = QStringLiteral("kind-module");
  Role role = Role::KindUnknown;
};

/// Changes with check boxes, all checked at first.
class ChangesModel : public QAbstractListModel {
  Q_OBJECT
public:
  enum { ValuesRole = Qt::UserRole, IconRole, ColorRole };
  ChangesModel(QVector<ChangeRow> rows, QObject* parent);
  bool isIncluded(int row) const { return m_included[row]; }
  int included() const { return static_cast<int>(m_included.count(true)); }

  int rowCount(const QModelIndex& parent = {}) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

private:
  QVector<ChangeRow> m_rows;
  QVector<bool> m_included;
};

/// Paints check box, icon, sentence, and values at the right. A click anywhere in the row, or the space bar, toggles
/// the box.
class ChangesDelegate : public QStyledItemDelegate {
  Q_OBJECT
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;
};

/// The steps of a plan.
class StepsModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum Column { Number, What, At, Size, Why, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;
  void setSteps(std::vector<describe::StepText> steps);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  QString text(int row, int column) const;
  std::vector<describe::StepText> m_steps;
};

/// Paints cells of steps: number and reason in the secondary colour, offsets in the code font.
class StepsDelegate : public QStyledItemDelegate {
  Q_OBJECT
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  /// Returns the width in pixels of the column's longest text.
  static int widthOf(const StepsModel& model, int column);
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace blobscope::ui
