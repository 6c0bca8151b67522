#pragma once

#include "core/view/page.h"

#include <QAbstractTableModel>

#include <memory>
#include <optional>
#include <vector>

namespace blobscope::ui {

/// Share of the column's largest number, 0 to 1, for the bar next to it; invalid when the column has no bars.
enum TableRole { BarRole = Qt::UserRole };

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
  /// Shows these rows of the source in this order; nullopt shows all rows in stored order.
  void setOrder(std::optional<std::vector<uint32_t>> order);
  /// Returns the source row of a row of the model.
  uint64_t sourceRow(int row) const {
    return m_order ? (*m_order)[static_cast<std::size_t>(row)] : static_cast<uint64_t>(row);
  }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
  std::shared_ptr<const view::TableSource> m_source;
  std::vector<view::Column> m_columns;
  std::vector<uint64_t> m_largest; ///< by column, 0 where no bar is drawn
  std::optional<std::vector<uint32_t>> m_order;
};

} // namespace blobscope::ui
