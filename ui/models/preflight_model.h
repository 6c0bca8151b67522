#pragma once

#include "core/view/page.h"
#include "ui/session/files_check.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include <optional>

namespace blobscope::ui {

enum PreflightRole {
  TargetStateRole = Qt::UserRole, ///< of a target's cell: view::ChecklistPage::State as a number; else invalid
  TargetStepRole,                 ///< the step that fails; 0 for none
  NotCountedRole,                 ///< whether the file is no library of TVM
  DeviceKeyRole,                  ///< type key of the first module for a device; may be empty
  PreflightSortRole               ///< what rows are sorted by; of a target's cell, the worst is the smallest
};

/// Files and targets: one row per file; its path, era and size, and a column per target.
class PreflightModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum Column { Library, Era, Size, FirstTarget };
  using QAbstractTableModel::QAbstractTableModel;

  void setCheck(FilesCheckPtr check);
  const FilesCheckPtr& check() const { return m_check; }
  const preflight::FileOutcomes& file(int row) const { return m_check->report.files[static_cast<std::size_t>(row)]; }
  /// Number of a target's column among the targets; nullopt for other columns.
  static std::optional<std::size_t> targetOf(int column) {
    return column < FirstTarget ? std::nullopt : std::optional(static_cast<std::size_t>(column - FirstTarget));
  }
  /// Null for other columns, and for files that were not compared.
  const preflight::Outcome* outcome(const QModelIndex& index) const;
  /// Number of libraries that have no fault on the target of this column.
  int fitting(int column) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  QString text(const QModelIndex& index) const;
  QString tip(const QModelIndex& index) const;
  QVariant sortValue(const QModelIndex& index) const;
  QString targetName(std::size_t target) const;

  FilesCheckPtr m_check;
};

/// Rows that contain some words and have a target in a state, sorted.
class PreflightFilter : public QSortFilterProxyModel {
  Q_OBJECT
public:
  explicit PreflightFilter(PreflightModel& model, QObject* parent = nullptr);
  void setWords(const QString& words);
  void setState(std::optional<view::ChecklistPage::State> state);
  /// Returns the results with only the rows that are shown, in their order.
  preflight::FilesReport shown() const;

protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
  PreflightModel& m_model;
  QString m_words;
  std::optional<view::ChecklistPage::State> m_state;
};

} // namespace blobscope::ui
