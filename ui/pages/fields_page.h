#pragma once

#include "ui/models/fields_model.h"
#include "ui/pages/page_widget.h"

#include <QTreeView>

namespace blobscope::ui {

/// The fields of a range of bytes as a tree: name, value, offset, size. Values of a module's fields can be edited in
/// place.
class FieldsPage : public PageWidget {
  Q_OBJECT
public:
  FieldsPage(const view::FieldsPage& page, const PageContext& context, QWidget* parent);
  bool goToOffset(uint64_t offset, std::optional<uint64_t> size) override;
  bool showPart(const Ref::Part& part) override;
  std::optional<Ref::Part> selectedPart() const override;
  bool editSelection() override;
  QWidget* tools() override { return m_tools; }

  QTreeView& view() { return *m_view; }
  /// Selects a row and brings it into view.
  void select(uint32_t row);

Q_SIGNALS:
  /// The user selected a row of the tree.
  void rowChosen(quint32 row);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void expandFirst();
  /// Emits fieldEdited() for a typed value of JSON, or says which type it must have.
  void enterJson(uint32_t row, const QString& text);
  void copySelection();
  void editRow(const QModelIndex& index);

  Ref m_node;
  std::shared_ptr<const FieldTree> m_tree;
  bool m_isJson = false; ///< the tree is that of a JSON file in an archive, which can be edited
  std::optional<uint64_t> m_blobOffset;
  QWidget* m_tools;
  FieldsModel* m_model;
  QTreeView* m_view;
};

} // namespace blobscope::ui
