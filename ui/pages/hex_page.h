#pragma once

#include "core/view/page.h"
#include "ui/pages/page_widget.h"

#include <QLineEdit>

namespace blobscope::ui {

class CoverageBar;
class FieldsPage;
class FindBar;
class HexView;

/// Bytes with the tree of their fields next to them; the selection is the same on both sides.
class HexPage : public PageWidget {
  Q_OBJECT
public:
  HexPage(const view::HexPage& page, const PageContext& context, QWidget* parent);
  bool goToOffset(uint64_t offset, std::optional<uint64_t> size) override;
  void markHits(const std::vector<Extent>& hits) override;
  bool showPart(const Ref::Part& part) override;
  QWidget* tools() override { return m_tools; }
  void openFind() override;
  void findNext(bool backwards) override;
  void openGoTo() override;
  HexView& view() { return *m_view; }

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void fillTools();
  void goToText(const QString& text);
  void reportSelection(quint64 offset, quint64 size);

  HexView* m_view;
  std::optional<uint64_t> m_blobOffset;
  std::shared_ptr<const FieldTree> m_tree; ///< null when the bytes have no decoded fields
  std::vector<view::Span> m_spans;         ///< of a file: the nodes that own its bytes
  std::optional<Extent> m_damage;          ///< the field that does not fit
  QWidget* m_tools;
  QLineEdit* m_goTo;
  CoverageBar* m_coverage;
  FieldsPage* m_fields = nullptr; ///< null when the bytes have no decoded fields
  FindBar* m_find;
};

} // namespace blobscope::ui
