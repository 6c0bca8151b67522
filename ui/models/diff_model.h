#pragma once

#include "ui/models/contents_model.h"
#include "ui/session/comparison.h"

#include <QAbstractItemModel>
#include <QStringList>

#include <optional>
#include <vector>

namespace blobscope::ui {

/// Roles beyond those of ContentsRole (KindRole and ModuleKeyRole are the same here).
enum DiffRole {
  StatusRole = Qt::UserRole + 32, ///< diff::Status as a number
  BadgeRole,                      ///< "≠", "+", "−", "~", "↕"; empty for the same
  NewNameRole,                    ///< name in B if it differs
  DifferenceRole,                 ///< change of the size: "−71.7 KiB"; empty when it is the same
  DimRole                         ///< represents nodes that are the same
};

/// Which nodes of the comparison are shown.
struct DiffFilter {
  QStringList words; ///< all must occur in names or details, in any case
  bool changedOnly = true;
  std::optional<diff::NodeKind> kind;
  friend bool operator==(const DiffFilter&, const DiffFilter&) = default;
};

/// The tree of a comparison below one row for both files. Siblings that are the same are folded into one row with their
/// count; long lists of small things get a separate row. Indexes carry row numbers, never pointers.
class DiffModel : public QAbstractItemModel {
  Q_OBJECT
public:
  static constexpr uint32_t kNone = UINT32_MAX;
  using QAbstractItemModel::QAbstractItemModel;

  /// Null shows nothing.
  void setCompared(ComparedPtr compared);
  void setFilter(const DiffFilter& filter);
  const DiffFilter& filter() const { return m_filter; }
  const ComparedPtr& compared() const { return m_compared; }

  /// Returns the node that the row represents; kNone for both files and for rows that represent several nodes.
  uint32_t node(const QModelIndex& index) const { return index.isValid() ? m_rows[index.internalId()].node : kNone; }
  /// Whether the row represents both files.
  bool isRoot(const QModelIndex& index) const { return index.isValid() && index.internalId() == 0; }
  /// Whether the row represents several nodes.
  bool isGroup(const QModelIndex& index) const { return index.isValid() && m_rows[index.internalId()].count > 0; }
  /// Returns the row of a node; invalid when it is not shown.
  QModelIndex find(uint32_t node) const;
  /// Returns the row of the node with this ref in A or in B.
  QModelIndex find(const std::optional<Ref>& a, const std::optional<Ref>& b) const;
  /// Returns the ref of the row's node; Ref::file() for the first row.
  std::optional<Ref> ref(const QModelIndex& index, Side side) const;
  /// Returns the first node that differs and has no differing node below it; invalid when there is none.
  QModelIndex firstChange() const;
  /// Returns the kinds of nodes that occur.
  std::vector<diff::NodeKind> kinds() const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

private:
  struct Row {
    uint32_t node = kNone;
    uint32_t parent = kNone, position = 0;
    diff::Topic topic = diff::Topic::Module;
    diff::Status status = diff::Status::Same;
    uint32_t count = 0; ///< number of nodes, for a row that represents several
    std::vector<uint32_t> children;
  };

  void rebuild();
  uint32_t addRow(uint32_t parent, Row row);
  void addChildren(uint32_t row, const std::vector<uint32_t>& nodes);
  void addNodes(uint32_t row, const std::vector<uint32_t>& nodes);
  bool matches(const diff::DiffNode& node) const;
  QModelIndex indexOf(uint32_t row) const;
  QString nameOf(const Row& row) const;
  QString differenceOf(const Row& row) const;

  ComparedPtr m_compared;
  DiffFilter m_filter;
  std::vector<std::string> m_words; ///< of the filter, in lower case
  std::vector<Row> m_rows;          ///< the first one represents both files
  std::vector<uint32_t> m_rowOf;    ///< by node, kNone when it is not shown
  // Used while rows are built:
  std::vector<std::vector<uint32_t>> m_children; ///< of each node
  std::vector<bool> m_shown;                     ///< matches, or a node below it does
};

/// Returns the displayed name of the node, with its kind if the name is a number: "Constant 12", "add → add_1".
QString nodeTitle(const diff::DiffNode& node);
/// "≠", "+", "−", "~", "↕", empty.
QString statusBadge(diff::Status status);
/// "changed", "only in B", "only in A", "renamed", "moved", "same".
QString statusWord(diff::Status status);
/// Returns "−71.7 KiB", "+265 B"; empty for 0.
QString sizeDifference(uint64_t before, uint64_t after);

} // namespace blobscope::ui
