#pragma once

#include "core/view/page.h"
#include "ui/models/table_order.h"

#include <QAbstractTableModel>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace blobscope::ui {

/// Share of the column's largest number, 0 to 1, for the bar next to it; invalid when the column has no bars.
enum TableRole {
  BarRole = Qt::UserRole,
  LowRole,   ///< whether the percentage of BarRole is below the one that is marked
  WordsRole, ///< the words of a cell, in a column of them: as stored
  GoodRole,  ///< whether these are good or bad news; nothing for other words
  GroupRole, ///< of all cells of a group's heading: what its rows have in sum, as a sentence
  FoldedRole ///< of a group's heading: whether its rows are hidden
};

/// Formats the text of a cell: comparable numbers get separators, offsets stay as they are.
QString cellText(const view::Column& column, const std::string& text);
/// Whether the text is drawn in the code font, because it is an offset or an address.
inline bool isCodeText(std::string_view text) { return text.starts_with("0x"); }
inline bool isCodeText(const QString& text) { return text.startsWith(QLatin1String("0x")); }

/// Rows of a view::TableSource, or some of them in another order. Cells are requested when they are painted.
class TableModel : public QAbstractTableModel {
  Q_OBJECT
public:
  explicit TableModel(std::shared_ptr<const view::TableSource> source, QObject* parent = nullptr);

  const std::shared_ptr<const view::TableSource>& source() const { return m_source; }
  /// Shows another source with the same columns and the same rows in the same order.
  void setSource(std::shared_ptr<const view::TableSource> source);
  /// Shows these rows of the source in this order; nullopt shows all rows in stored order. With groups, each has a
  /// heading, and those that were folded stay folded.
  void setOrder(std::optional<std::vector<uint32_t>> order, std::vector<TableGroup> groups = {});
  /// Sets what a row is and the column that is added up, for the headings of groups.
  void setGroupWords(const std::string& thing, std::optional<std::size_t> sum);
  bool hasGroups() const { return !m_groups.empty(); }
  /// Whether the row is the heading of a group.
  bool isGroup(int row) const { return hasGroups() && (m_shown[static_cast<std::size_t>(row)] & kGroup) != 0; }
  /// Hides or shows the rows of the group whose heading is at `row`.
  void toggleGroup(int row);
  /// Shows the rows of all groups.
  void unfold();
  /// Returns the source row of a row of the model; of a heading, the first row of its group.
  uint64_t sourceRow(int row) const;
  /// The rows of the source that match the filter, in order, those of folded groups included; nullopt: all.
  const std::optional<std::vector<uint32_t>>& order() const { return m_order; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  /// Marks the number of a group among the shown rows.
  static constexpr uint32_t kGroup = 0x8000'0000;

  void measure();
  std::vector<uint32_t> shownRows() const;
  const TableGroup& groupAt(int row) const;
  QVariant groupData(int row, int column, int role) const;

  std::shared_ptr<const view::TableSource> m_source;
  std::vector<view::Column> m_columns;
  std::vector<uint64_t> m_largest; ///< by column, 0 where no bar is drawn
  std::optional<std::vector<uint32_t>> m_order;
  std::vector<TableGroup> m_groups;
  std::vector<uint32_t> m_shown; ///< with groups: kGroup with the number of a group, or a position in m_order
  std::set<std::string> m_folded;
  std::string m_thing;
  std::optional<std::size_t> m_sum;
};

} // namespace blobscope::ui
