#pragma once

#include "core/base/field_tree.h"

#include <QAbstractItemModel>

#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace blobscope::ui {

/// The FieldRole as a number, for the first column; whether the value has an unsaved change, for the second.
enum FieldsRole { FieldRoleRole = Qt::UserRole, FieldChangedRole };

/// A field tree with the columns field, value, offset and bytes. Children are found by the tree's indexes, so a million
/// rows cost nothing before they are expanded.
class FieldsModel : public QAbstractItemModel {
  Q_OBJECT
public:
  explicit FieldsModel(std::shared_ptr<const FieldTree> tree, QObject* parent = nullptr);

  /// Whether values can be edited. A value that the user enters is reported by valueEntered(); the model does not
  /// change it.
  void setEditable(bool editable) { m_editable = editable; }

  /// Marks the rows whose values have unsaved changes.
  void setChanged(std::set<uint32_t> rows) { m_changed = std::move(rows); }

  static uint32_t row(const QModelIndex& index) { return static_cast<uint32_t>(index.internalId()); }
  QModelIndex indexOf(uint32_t row) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

Q_SIGNALS:
  void valueEntered(quint32 row, const QString& text);

private:
  std::optional<QString> textToEdit(uint32_t row) const;

  std::shared_ptr<const FieldTree> m_tree;
  bool m_editable = false;
  std::set<uint32_t> m_changed;
  std::vector<uint32_t> m_parent;   ///< of each row, its own number for roots
  std::vector<uint32_t> m_position; ///< among its siblings
  std::vector<uint32_t> m_firstOf;  ///< where a row's children begin in m_children; one more entry than rows
  std::vector<uint32_t> m_children; ///< row numbers, grouped by parent
  std::vector<uint32_t> m_roots;
};

} // namespace blobscope::ui
