#pragma once

#include "core/view/page.h"

#include <QAbstractTableModel>
#include <QTableView>
#include <QWidget>

class QVBoxLayout;

namespace blobscope::ui {

/// Rows of a small table of a checklist; the icon of a row's state is in the last column but one.
class ChecklistTableModel : public QAbstractTableModel {
  Q_OBJECT
public:
  explicit ChecklistTableModel(view::ChecklistPage::Table table, QObject* parent = nullptr)
      : QAbstractTableModel(parent), m_table(std::move(table)) {}
  const view::ChecklistPage::Table& table() const { return m_table; }
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  view::ChecklistPage::Table m_table;
};

/// The tables beside the steps of a checklist. A click or Enter on a row chooses its device.
class ChecklistTables : public QWidget {
  Q_OBJECT
public:
  explicit ChecklistTables(QWidget* parent = nullptr);
  /// `device`: the chosen one; its row is selected.
  void setTables(const std::vector<view::ChecklistPage::Table>& tables, const std::string& device);

Q_SIGNALS:
  void chosen(const QString& device);

private:
  QWidget* makeTable(const view::ChecklistPage::Table& table, const std::string& device, QWidget* parent);
  static QWidget* makeValues(const view::ChecklistPage::Table& table, QWidget* parent);

  QVBoxLayout* m_layout;
  QWidget* m_content = nullptr;
};

} // namespace blobscope::ui
