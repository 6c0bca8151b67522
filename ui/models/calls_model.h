#pragma once

#include "core/view/calls_page.h"
#include "ui/models/table_model.h"

#include <QAbstractItemModel>

#include <cstdint>
#include <vector>

namespace blobscope::ui {

/// A call tree with the columns name, calls, launches, FLOP, code bytes and share. Each row has its share of the chosen
/// measure in its root as its BarRole.
class CallsModel : public QAbstractItemModel {
  Q_OBJECT
public:
  enum Column { Name, Calls, Launches, Flop, Code, Share, Columns };
  enum class Measure { Flop, Calls, Launches, Code };
  /// The number of a row for sorting; a double.
  enum CallsRole { NumberRole = BarRole + 1 };

  explicit CallsModel(view::CallsPagePtr page, QObject* parent = nullptr);
  const view::CallsPage& page() const { return *m_page; }
  void setMeasure(Measure measure);
  Measure measure() const { return m_measure; }
  /// The measure of a row; calls of a function of the model are those of everything below it, and 0 is for what is not
  /// known.
  double value(uint32_t row) const { return m_values[row]; }
  /// The sum of the roots; never 0.
  double total() const { return m_total; }
  /// The root above a row, or the row.
  uint32_t rootOf(uint32_t row) const;
  /// 0 to 1, of the root's measure.
  double share(uint32_t row) const;
  const std::vector<uint32_t>& roots() const { return m_children[0]; }
  const std::vector<uint32_t>& childrenOf(uint32_t row) const { return m_children[row + 1]; }
  static uint32_t row(const QModelIndex& index) { return static_cast<uint32_t>(index.internalId()); }
  QModelIndex indexOf(uint32_t row, int column = Name) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  double measured(uint32_t row) const;
  QString text(uint32_t row, int column) const;

  view::CallsPagePtr m_page;
  Measure m_measure = Measure::Calls;
  std::vector<std::vector<uint32_t>> m_children; ///< of the root, then of each row
  std::vector<uint32_t> m_parent;                ///< of each row; its own number for roots
  std::vector<uint32_t> m_position;              ///< among its siblings
  std::vector<double> m_values;
  double m_total = 1;
};

} // namespace blobscope::ui
