#include "ui/compare/pair_page.h"

#include "core/base/text.h"
#include "ui/compare/bytes_pair_page.h"
#include "ui/compare/graph_pair_page.h"
#include "ui/compare/rows_pair_page.h"
#include "ui/compare/size_pair_page.h"
#include "ui/compare/tensor_pair_page.h"
#include "ui/compare/text_pair_view.h"
#include "ui/pages/page_factory.h"
#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/find/find_bar.h"
#include "ui/widgets/find/find_target.h"
#include "ui/widgets/labels.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

/// Searches the side of a text pair that was current when the find bar was opened.
class PairFindTarget : public FindTarget {
public:
  explicit PairFindTarget(TextPairView* view) : m_view(view) {}
  Side side = Side::B;

  Bytes findBytes() const override {
    const TextPairPtr& text = m_view->lines().text();
    return text ? side == Side::A ? text->a : text->b : Bytes();
  }
  bool findsLines() const override { return true; }
  uint64_t findOrigin() const override { return m_view->currentSide() == side ? m_view->selection().offset : 0; }
  void showHits(std::shared_ptr<const FindHits>, std::optional<std::size_t>) override {}
  void goToHit(const FindHit& hit) override {
    m_view->select(side, hit.offset, hit.size);
    const uint64_t row = m_view->currentRow();
    const PairLines::Row here = m_view->lines().row(row);
    if (here.folds == 0 || here.open) return;
    m_view->toggleRow(row);
    m_view->select(side, hit.offset, hit.size);
  }

private:
  TextPairView* m_view;
};

class TextPairPage : public PairPage {
  Q_DECLARE_TR_FUNCTIONS(blobscope::ui::TextPairPage)
public:
  TextPairPage(const TextPairPtr& text, QWidget* parent)
      : PairPage(parent), m_view(new TextPairView(this)), m_target(m_view), m_find(new FindBar(&m_target, this)) {
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_find);
    m_find->hide();
    layout->addWidget(m_view);
    connect(m_find, &FindBar::limited, this, &PairPage::message);
    connect(m_find, &FindBar::closed, m_view, qOverload<>(&QWidget::setFocus));
    setFocusProxy(m_view);
    connect(m_view, &TextPairView::changeMoved, this, &PairPage::changeMoved);
    connect(m_view, &TextPairView::refused, this, &PairPage::message);
    connect(m_view, &TextPairView::rowMoved, this, [this](quint64 row) {
      if (!m_view->hasFocus()) return;
      const PairLines::Row here = m_view->lines().rowCount() > 0 ? m_view->lines().row(row) : PairLines::Row{};
      const uint64_t line = m_view->currentSide() == Side::A ? here.a : here.b;
      if (line != PairLines::kNone)
        Q_EMIT selectionText(tr("Line %1 of %2")
                                 .arg(toQt(groupedText(line + 1)))
                                 .arg(m_view->currentSide() == Side::A ? QStringLiteral("A") : QStringLiteral("B")));
    });
    m_view->setText(text);
  }
  int changeCount() const override { return m_view->changeCount(); }
  int currentChange() const override { return m_view->currentChange(); }
  bool goToNextChange(bool backwards) override { return m_view->goToNextChange(backwards); }
  void goToEnd(bool last) override { m_view->goToChange(last ? m_view->changeCount() - 1 : 0); }
  bool canFold() const override { return true; }
  void setFolding(bool folding) override { m_view->setFolding(folding); }
  bool canWrap() const override { return true; }
  void setWrapping(bool wrapping) override { m_view->setWrapping(wrapping); }
  void openFind() override {
    const bool other = m_target.side != m_view->currentSide();
    m_target.side = m_view->currentSide();
    m_find->setToolTip(plainTip(m_target.side == Side::A ? tr("Searches A") : tr("Searches B")));
    m_find->open();
    if (other) m_find->restart();
  }
  void findNext(bool backwards) override { m_find->continueSearch(backwards); }

private:
  TextPairView* m_view;
  PairFindTarget m_target;
  FindBar* m_find;
};

/// Pages without a comparison: one side only, or both side by side.
class PlainPairPage : public PairPage {
public:
  PlainPairPage(Comparison& comparison, const NodePair& pair, const view::Page* a, const view::Page* b,
                const QString& sentence, QWidget* parent)
      : PairPage(parent) {
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    if (!sentence.isEmpty()) {
      auto* const label = new ThemeLabel(sentence, TextRole::Secondary, Role::Secondary, this);
      label->setWordWrap(true);
      label->setContentsMargins(12, 8, 12, 8);
      layout->addWidget(label);
      layout->addWidget(new Rule(Qt::Horizontal, this));
    }
    auto* const sides = new QHBoxLayout;
    sides->setSpacing(0);
    layout->addLayout(sides, 1);
    for (const view::Page* const page : {a, b}) {
      if (!page) continue;
      const std::optional<Ref>& ref = page == a ? pair.a : pair.b;
      PageContext context{comparison.jobs(), ref.value_or(Ref::file())};
      context.title = toQt(context.node.shown());
      if (context.title.isEmpty()) context.title = comparison.title(page == a ? Side::A : Side::B);
      PageWidget* const widget = createPage(*page, context, this);
      connect(widget, &PageWidget::message, this, &PairPage::message);
      connect(widget, &PageWidget::selectionText, this, &PairPage::selectionText);
      if (sides->count() > 0) sides->addWidget(new Rule(Qt::Vertical, this));
      sides->addWidget(widget, 1);
      setFocusProxy(widget);
    }
  }
};

} // namespace

PairPage* createPairPage(Comparison& comparison, const NodePair& pair, const NodePair::Page& page, QWidget* parent) {
  if (!page.compared) {
    const QString sentence = page.a ? PairPage::tr("Only A has this page.") : PairPage::tr("Only B has this page.");
    const bool lonely = !pair.a || !pair.b;
    return new PlainPairPage(comparison, pair, page.a ? &*page.a : nullptr, page.b ? &*page.b : nullptr,
                             lonely ? QString() : sentence, parent);
  }
  const ComparedPage& compared = *page.compared;
  if (compared.tensor && pair.tensorA && pair.tensorB)
    return new TensorPairPage(*compared.tensor, parent,
                              TensorPairPage::Tensors{comparison.jobs(), pair.tensorA, pair.tensorB});
  if (compared.tensor) return new TensorPairPage(*compared.tensor, parent);
  if (compared.sizes && !compared.diff.same) return new SizePairPage(*compared.sizes, parent);
  if (compared.text) return new TextPairPage(compared.text, parent);
  if (std::holds_alternative<diff::ByteDiff>(compared.diff.content)) return new BytesPairPage(compared, parent);
  if (std::holds_alternative<diff::GraphDiff>(compared.diff.content)) {
    PageContext context{comparison.jobs(), pair.b.value_or(Ref::file())};
    context.title = toQt(compared.diff.name);
    context.package = comparison.package(Side::B);
    return new GraphPairPage(page.compared, context, parent);
  }
  if (compared.diff.content.index() != 0) return new RowsPairPage(page.compared, parent);
  const bool notice = std::holds_alternative<view::NoticePage>(compared.diff.a.content) &&
                      std::holds_alternative<view::NoticePage>(compared.diff.b.content);
  if (notice && compared.diff.same) return new PlainPairPage(comparison, pair, nullptr, &compared.diff.b, {}, parent);
  QString sentence = notice ? QString() : toQt(compared.diff.note);
  if (!sentence.isEmpty()) sentence = sentence.left(1).toUpper() + sentence.mid(1) + QLatin1Char('.');
  return new PlainPairPage(comparison, pair, &compared.diff.a, &compared.diff.b, sentence, parent);
}

} // namespace blobscope::ui
