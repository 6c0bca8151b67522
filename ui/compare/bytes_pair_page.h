#pragma once

#include "ui/compare/pair_page.h"
#include "ui/widgets/find/find_search.h"

#include <memory>

class QBoxLayout;

namespace blobscope::ui {

class ByteMap;
class HexView;

/// The bytes of both sides, compared position by position: a map of the differences, and two hex views that scroll
/// together.
class BytesPairPage : public PairPage {
  Q_OBJECT
public:
  /// `page`: its difference is a ByteDiff.
  BytesPairPage(const ComparedPage& page, QWidget* parent);
  int changeCount() const override { return static_cast<int>(m_places->size()); }
  int currentChange() const override { return m_current; }
  bool goToNextChange(bool backwards) override;
  void goToEnd(bool last) override;

  HexView& view(Side side) { return side == Side::A ? *m_a : *m_b; }
  ByteMap& map() { return *m_map; }
  /// Shows the byte on both sides.
  void goTo(quint64 offset);

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  void goToPlace(int place);
  void follow(HexView* moved, HexView* other);

  HexView *m_a, *m_b;
  ByteMap* m_map;
  QBoxLayout* m_sides;
  std::shared_ptr<const FindHits> m_places; ///< where both differ, and the start of the bytes that only one side has
  int m_current = -1;
  bool m_following = false;
};

} // namespace blobscope::ui
