#include "ui/compare/bytes_pair_page.h"

#include "core/base/text.h"
#include "ui/compare/byte_map.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/theme.h"
#include "ui/widgets/hex/hex_view.h"
#include "ui/widgets/labels.h"

#include <QBoxLayout>
#include <QScrollBar>

#include <algorithm>

namespace blobscope::ui {
namespace {

/// Returns the bytes with offsets from the first byte, so that equal positions of both sides are in the same row.
Bytes fromZero(const Bytes& bytes) { return {bytes.owner(), bytes.span(), std::nullopt}; }

QString sentenceAbout(const diff::ByteDiff& bytes) {
  const auto grouped = [](uint64_t number) { return toQt(groupedText(number)); };
  if (bytes.same())
    return BytesPairPage::tr("All %1 byte(s) (is|are) equal.", nullptr, pluralCount(bytes.sizeA))
        .arg(grouped(bytes.sizeA));
  QStringList sentences;
  if (bytes.differing == 0)
    sentences << BytesPairPage::tr("The first %1 byte(s) (is|are) equal.", nullptr, pluralCount(bytes.shared()))
                     .arg(grouped(bytes.shared()));
  else
    sentences << BytesPairPage::tr("%1 of %2 bytes differ, in %n range(s).", nullptr, pluralCount(bytes.rangeCount))
                     .arg(grouped(bytes.differing), grouped(bytes.shared()));
  if (bytes.rest() > 0)
    sentences << (bytes.sizeA > bytes.sizeB
                      ? BytesPairPage::tr("A is %1 byte(s) longer.", nullptr, pluralCount(bytes.rest()))
                      : BytesPairPage::tr("B is %1 byte(s) longer.", nullptr, pluralCount(bytes.rest())))
                     .arg(grouped(bytes.rest()));
  if (bytes.rangesLeftOut() > 0)
    sentences << BytesPairPage::tr("Only the first %n range(s) (is|are) marked.", nullptr,
                                   pluralCount(bytes.ranges.size()));
  return sentences.join(QLatin1Char(' '));
}

} // namespace

BytesPairPage::BytesPairPage(const ComparedPage& page, QWidget* parent)
    : PairPage(parent), m_a(new HexView(this)), m_b(new HexView(this)) {
  const auto& bytes = std::get<diff::ByteDiff>(page.diff.content);
  const auto& a = std::get<view::HexPage>(page.diff.a.content);
  const auto& b = std::get<view::HexPage>(page.diff.b.content);
  FindHits places;
  for (const Extent& range : bytes.ranges) places.push_back({range.offset, range.size, 0});
  if (bytes.rest() > 0 && bytes.rangesLeftOut() == 0) places.push_back({bytes.shared(), bytes.rest(), 0});
  m_places = std::make_shared<const FindHits>(std::move(places));

  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* const sentence = new ThemeLabel(sentenceAbout(bytes), TextRole::Secondary, Role::Secondary, this);
  sentence->setContentsMargins(12, 8, 12, 0);
  layout->addWidget(sentence);
  m_map = new ByteMap(bytes, this);
  layout->addWidget(m_map);
  layout->addWidget(new Rule(Qt::Horizontal, this));
  m_sides = new QHBoxLayout;
  m_sides->setSpacing(0);
  m_sides->addWidget(m_a, 1);
  m_sides->addWidget(new Rule(Qt::Vertical, this));
  m_sides->addWidget(m_b, 1);
  layout->addLayout(m_sides, 1);
  setFocusProxy(m_b);

  m_a->setBytes(fromZero(a.bytes));
  m_b->setBytes(fromZero(b.bytes));
  m_a->setAccessibleName(tr("Bytes of A"));
  m_b->setAccessibleName(tr("Bytes of B"));
  for (HexView* const view : {m_a, m_b}) {
    // Fields are at the offsets of their own side.
    view->setFields(view == m_a ? a.fields : b.fields);
    view->showHits(m_places, std::nullopt);
    HexView* const other = view == m_a ? m_b : m_a;
    connect(view->verticalScrollBar(), &QScrollBar::valueChanged, this, [this, view, other] { follow(view, other); });
    connect(view, &HexView::visibleBytesChanged, this, [this, view, other](quint64 offset, quint64 size) {
      if (view->bytes().size() >= other->bytes().size()) m_map->setVisibleBytes({offset, size});
    });
    connect(view, &HexView::refused, this, &PairPage::message);
    connect(view, &HexView::selectionChanged, this, [this, view](quint64 offset, quint64) {
      if (view->hasFocus()) Q_EMIT selectionText(view->describe(offset));
    });
  }
  connect(m_map, &ByteMap::wanted, this, &BytesPairPage::goTo);
}

void BytesPairPage::follow(HexView* moved, HexView* other) {
  if (m_following) return;
  // The shorter side stops at its end; the longer one keeps scrolling.
  m_following = true;
  other->verticalScrollBar()->setValue(moved->verticalScrollBar()->value());
  m_following = false;
}

void BytesPairPage::goTo(quint64 offset) {
  for (HexView* const view : {m_a, m_b})
    if (offset < view->bytes().size()) view->goTo(offset);
}

void BytesPairPage::goToPlace(int place) {
  m_current = place;
  const FindHit& hit = (*m_places)[static_cast<std::size_t>(place)];
  for (HexView* const view : {m_a, m_b}) {
    view->showHits(m_places, static_cast<std::size_t>(place));
    if (hit.offset < view->bytes().size()) view->goTo(hit.offset);
  }
  Q_EMIT changeMoved(m_current, changeCount());
}

bool BytesPairPage::goToNextChange(bool backwards) {
  const int to = backwards ? m_current - 1 : m_current + 1;
  if (to < 0 || to >= changeCount()) return false;
  goToPlace(to);
  return true;
}

void BytesPairPage::goToEnd(bool last) {
  if (changeCount() > 0) goToPlace(last ? changeCount() - 1 : 0);
}

void BytesPairPage::resizeEvent(QResizeEvent* event) {
  PairPage::resizeEvent(event);
  // In a narrow window, the sides are one below the other.
  const auto wanted = width() < 820 ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight;
  if (m_sides->direction() == wanted) return;
  m_sides->setDirection(wanted);
  QLayoutItem* const between = m_sides->takeAt(1);
  delete between->widget();
  delete between;
  m_sides->insertWidget(1, new Rule(wanted == QBoxLayout::LeftToRight ? Qt::Vertical : Qt::Horizontal, this));
}

} // namespace blobscope::ui
