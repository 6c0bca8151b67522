#include "ui/compare/compare_view.h"

#include "core/base/text.h"
#include "core/describe/comparison.h"
#include "ui/compare/cut_row.h"
#include "ui/compare/diff_delegate.h"
#include "ui/compare/diff_look.h"
#include "ui/compare/elided_label.h"
#include "ui/compare/pair_view.h"
#include "ui/text/core_text.h"
#include "ui/text/plain_text.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/filter_keys.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/progress_strip.h"
#include "ui/widgets/tool_button.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kHead = 36, kTree = 380, kNarrowTree = 230;
/// Number of rows of the tree that are expanded at first.
constexpr int kMostExpanded = 400;
constexpr std::size_t kSizes = 4;
/// Below this width, the facts about the files are hidden to leave room for their names.
constexpr int kFactsWidth = 980;

QString capitalised(QString text) {
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

QString plural(diff::NodeKind kind) {
  switch (kind) {
  case diff::NodeKind::Module: return CompareView::tr("Modules");
  case diff::NodeKind::Kernel: return CompareView::tr("Kernels");
  case diff::NodeKind::Function: return CompareView::tr("Functions");
  case diff::NodeKind::Tensor: return CompareView::tr("Tensors");
  case diff::NodeKind::Section: return CompareView::tr("Sections");
  case diff::NodeKind::Symbol: return CompareView::tr("Symbols");
  case diff::NodeKind::Member: return CompareView::tr("Members");
  case diff::NodeKind::Field: break;
  }
  return CompareView::tr("Fields");
}

/// Returns the part of `name` that differs from `other`, cut at word boundaries; the whole name if that part is too
/// short.
QString shortName(const QString& name, const QString& other) {
  qsizetype front = 0, back = 0;
  while (front < name.size() && front < other.size() && name[front] == other[front]) ++front;
  while (back < name.size() - front && back < other.size() - front &&
         name[name.size() - 1 - back] == other[other.size() - 1 - back])
    ++back;
  while (front > 0 && name[front - 1].isLetterOrNumber()) --front;
  while (back > 0 && name[name.size() - back].isLetterOrNumber()) --back;
  const QString middle = name.mid(front, name.size() - front - back);
  return middle.size() < 2 ? name : middle;
}

} // namespace

CompareView::CompareView(Jobs& jobs, library::PackagePtr a, QString titleA, library::PackagePtr b, QString titleB,
                         QWidget* parent)
    : QWidget(parent), m_comparison(jobs, std::move(a), std::move(titleA), std::move(b), std::move(titleB)),
      m_model(new DiffModel(this)) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  setLayoutDirection(Qt::LeftToRight); // the old file is at the left in every language
  layout->addWidget(makeHead());
  layout->addWidget(makeSummary());
  layout->addWidget(new Rule(Qt::Horizontal, this));
  m_progress = new ProgressStrip(this);
  layout->addWidget(m_progress);
  m_bannerBox = new QWidget(this);
  auto* const bannerLayout = new QVBoxLayout(m_bannerBox);
  bannerLayout->setContentsMargins(12, 8, 12, 8);
  m_banner = new Banner(m_bannerBox);
  bannerLayout->addWidget(m_banner);
  m_bannerBox->hide();
  layout->addWidget(m_bannerBox);

  m_splitter = new QSplitter(Qt::Horizontal, this);
  m_splitter->setChildrenCollapsible(false);
  m_splitter->addWidget(makeTree());
  m_pair = new PairView(m_comparison, m_splitter);
  m_splitter->addWidget(m_pair);
  m_splitter->setStretchFactor(0, 0);
  m_splitter->setStretchFactor(1, 1);
  m_splitter->setSizes({kTree, 1060});
  layout->addWidget(m_splitter, 1);
  setFocusProxy(m_tree);

  connect(m_pair, &PairView::nextWanted, this, [this](bool backwards) { goToNextRow(backwards); });
  connect(m_pair, &PairView::exportWanted, this, &CompareView::exportRequested);
  connect(m_pair, &PairView::message, this, &CompareView::message);
  connect(m_pair, &PairView::selectionText, this, &CompareView::selectionText);
  connect(m_pair, &PairView::copyWanted, this, [this] {
    const NodePair& pair = m_comparison.pair();
    Q_EMIT copyRequested(pair.a, pair.b);
  });
  connectComparison(jobs);
  updateHead();
  m_comparison.start();
}

void CompareView::connectComparison(Jobs& jobs) {
  connect(&m_comparison, &Comparison::firstFound, this, &CompareView::showCompared);
  connect(&m_comparison, &Comparison::compared, this, [this] {
    showCompared();
    Q_EMIT finished();
  });
  connect(&m_comparison, &Comparison::cancelled, this, [this] {
    m_banner->showMessage(Banner::Kind::Note, tr("The comparison was cancelled."),
                          tr("The tree shows the differences that were found until then."),
                          {{tr("Compare again"), [this] { m_comparison.start(); }}});
    m_bannerBox->show();
    Q_EMIT finished();
  });
  connect(&m_comparison, &Comparison::reported, this, &CompareView::reportWritten);
  connect(&m_comparison, &Comparison::reportFailed, this, &CompareView::message);
  connect(m_progress, &ProgressStrip::cancelled, &m_comparison, &Comparison::cancel);
  connect(&jobs, &Jobs::started, this, [this](const QString& tag) {
    if (tag != m_comparison.tag()) return;
    m_bannerBox->hide();
    m_progress->begin(tr("Comparing"));
  });
  connect(&jobs, &Jobs::progressed, this, [this](const QString& tag, const QString& what, quint64 done, quint64 total) {
    if (tag == m_comparison.tag()) m_progress->showProgress(what, done, total);
  });
  connect(&jobs, &Jobs::finished, this, [this](const QString& tag) {
    if (tag == m_comparison.tag()) m_progress->end();
  });
}

CompareView::~CompareView() {
  // Pages cancel their jobs when they are deleted, so what they refer to must still exist.
  m_comparison.jobs().disconnect(this);
  delete m_pair;
}

// ---------------------------------------------------------------------------------------------- parts

QWidget* CompareView::makeHead() {
  auto* const head = new QWidget(this);
  head->setMinimumHeight(kHead);
  auto* const layout = new QHBoxLayout(head);
  layout->setContentsMargins(16, 4, 16, 0);
  layout->setSpacing(10);
  const auto addSide = [&](Side side) {
    auto* const box = new QHBoxLayout;
    box->setSpacing(10);
    box->addWidget(new SideMark(side, head));
    ElidedLabel*& title = m_titles[side == Side::A ? 0 : 1];
    title = new ElidedLabel(TextRole::Body, Role::Text, true, head);
    box->addWidget(title, 0);
    ElidedLabel*& facts = m_facts[side == Side::A ? 0 : 1];
    facts = new ElidedLabel(TextRole::Secondary, Role::Secondary, false, head);
    box->addWidget(facts, 0);
    box->addStretch(1);
    layout->addLayout(box, 1);
  };
  addSide(Side::A);
  QToolButton* const button = wordButton(QStringLiteral("compare"), tr("Swap"), head);
  button->setToolTip(tr("Swaps A and B"));
  connect(button, &QToolButton::clicked, this, &CompareView::swap);
  layout->addWidget(button);
  layout->addSpacing(8);
  addSide(Side::B);
  return head;
}

QWidget* CompareView::makeSummary() {
  m_summary = new QWidget(this);
  auto* const layout = new QVBoxLayout(m_summary);
  layout->setContentsMargins(16, 4, 16, 10);
  layout->setSpacing(6);
  m_sentence = new ThemeLabel(tr("Comparing…"), TextRole::Body, Role::Text, m_summary);
  QFont bold = m_sentence->font();
  bold.setWeight(QFont::DemiBold);
  m_sentence->setFont(bold);
  m_sentence->setWordWrap(true);
  m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  layout->addWidget(m_sentence);
  return m_summary;
}

QWidget* CompareView::makeTree() {
  auto* const left = new QWidget(this);
  left->setMinimumWidth(200);
  auto* const layout = new QVBoxLayout(left);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* const row = new QHBoxLayout;
  row->setContentsMargins(8, 8, 8, 8);
  row->setSpacing(4);
  m_filter = new QLineEdit(left);
  m_filter->setPlaceholderText(tr("Filter"));
  m_filter->setAccessibleName(tr("Filter the tree"));
  m_filter->setClearButtonEnabled(true);
  addFindIcon(*m_filter);
  m_filter->setMinimumWidth(60);
  row->addWidget(m_filter, 1);
  m_show = new QPushButton(left);
  m_show->setFixedHeight(28);
  m_showMenu = new QMenu(m_show);
  m_show->setMenu(m_showMenu);
  m_show->setToolTip(tr("Chooses which nodes the tree shows"));
  row->addWidget(m_show);
  layout->addLayout(row);
  layout->addWidget(new Rule(Qt::Horizontal, left));
  m_tree = new QTreeView(left);
  m_tree->setModel(m_model);
  m_tree->setItemDelegate(new DiffTreeDelegate(m_tree));
  m_tree->setHeaderHidden(true);
  m_tree->setUniformRowHeights(true);
  m_tree->setMouseTracking(true);
  m_tree->setFrameShape(QFrame::NoFrame);
  m_tree->setAccessibleName(tr("Differences"));
  m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
  m_tree->setExpandsOnDoubleClick(false);
  m_tree->installEventFilter(this);
  layout->addWidget(m_tree, 1);

  m_filterDelay.setSingleShot(true);
  m_filterDelay.setInterval(120);
  connect(m_filter, &QLineEdit::textChanged, &m_filterDelay, qOverload<>(&QTimer::start));
  connect(&m_filterDelay, &QTimer::timeout, this, &CompareView::applyFilter);
  connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& index) { showRow(index, std::exchange(m_lastWanted, false)); });
  connect(m_tree, &QTreeView::customContextMenuRequested, this, &CompareView::openMenu);
  connect(m_tree, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
    if (m_model->isGroup(index) || m_model->isRoot(index)) {
      m_tree->setExpanded(index, !m_tree->isExpanded(index));
      return;
    }
    const auto a = m_model->ref(index, Side::A), b = m_model->ref(index, Side::B);
    if (b)
      Q_EMIT nodeChosen(Side::B, *b);
    else if (a)
      Q_EMIT nodeChosen(Side::A, *a);
  });
  fillShowMenu();
  return left;
}

void CompareView::updateHead() {
  for (const Side side : {Side::A, Side::B}) {
    const auto at = static_cast<std::size_t>(side == Side::A ? 0 : 1);
    m_titles[at]->setText(m_comparison.title(side));
    m_titles[at]->setToolTip(plainTip(toQt(m_comparison.package(side)->path)));
    m_facts[at]->setText(fileFacts(*m_comparison.package(side)));
  }
  setAccessibleName(
      plainLine(tr("Comparison of %1 and %2").arg(m_comparison.title(Side::A), m_comparison.title(Side::B))));
}

QString CompareView::title() const {
  const QString &a = m_comparison.title(Side::A), &b = m_comparison.title(Side::B);
  return QStringLiteral("%1 ↔ %2").arg(shortName(a, b), shortName(b, a));
}

QString CompareView::sentence() const { return m_sentence->text(); }

void CompareView::updateSummary() {
  const Compared& compared = *m_comparison.result();
  const diff::DiffTree& tree = compared.tree;
  QString text = coreText(describe::sentenceOf(tree));
  if (isRunning()) text = tr("So far: %1").arg(text);
  for (const std::string& note : tree.notes) text += QLatin1Char(' ') + capitalised(toQt(note)) + QLatin1Char('.');
  m_sentence->setText(text);
  m_sentence->setToolTip(plainTip(toQt(describe::summaryLine(tree))));

  delete m_chips;
  m_chips = new CutRow(m_summary);
  const diff::Topic topic = describe::mainTopic(tree);
  m_chips->add(
      new ThemeLabel(capitalised(coreText(diff::topicPlural(topic))), TextRole::Secondary, Role::Secondary, m_chips),
      8);
  for (const diff::Status status : {diff::Status::Same, diff::Status::Renamed, diff::Status::Moved,
                                    diff::Status::Changed, diff::Status::Added, diff::Status::Removed}) {
    const uint64_t count = tree.count(topic, status);
    if (count == 0 && status == diff::Status::Moved) continue;
    auto* const chip = new StatusChip(m_chips);
    const QString word = status == diff::Status::Added     ? tr("added")
                         : status == diff::Status::Removed ? tr("removed")
                                                           : statusWord(status);
    chip->showStatus(QStringLiteral("%1 %2").arg(toQt(groupedText(count)), word), status, count == 0);
    m_chips->add(chip, status == diff::Status::Removed ? 18 : 6);
  }
  for (const SizeChange& change : sizeChanges(compared, kSizes)) {
    m_chips->add(new ThemeLabel(change.label, TextRole::Secondary, Role::Secondary, m_chips), 6, true);
    auto* const amount = new ThemeLabel(change.text, TextRole::Secondary, Role::Text, m_chips);
    QFont font = amount->font();
    font.setWeight(QFont::Medium);
    amount->setFont(font);
    m_chips->add(amount, 20);
  }
  m_summary->layout()->addWidget(m_chips);
}

// ---------------------------------------------------------------------------------------------- the tree

void CompareView::showCompared() {
  const NodePair& pair = m_comparison.pair();
  const bool had = pair.a.has_value() || pair.b.has_value();
  {
    const QSignalBlocker quiet(m_tree->selectionModel());
    m_model->setCompared(m_comparison.result());
  }
  fillShowMenu();
  expandRows();
  updateSummary();
  QModelIndex chosen = had ? m_model->find(pair.a, pair.b) : QModelIndex();
  const bool kept = chosen.isValid();
  if (!kept) chosen = m_model->firstChange();
  if (!chosen.isValid()) chosen = m_model->index(0, 0);
  {
    const QSignalBlocker quiet(m_tree->selectionModel());
    m_tree->setCurrentIndex(chosen);
  }
  m_tree->viewport()->update();
  m_tree->scrollTo(chosen);
  // The selected pair was already compared by the caller; only its displayed properties are new.
  const std::optional<Ref> a = m_model->ref(chosen, Side::A), b = m_model->ref(chosen, Side::B);
  if (!kept || pair.a != a || pair.b != b || (pair.pages.empty() && !m_comparison.isPairing())) {
    showRow(chosen);
  } else {
    const uint32_t node = m_model->node(chosen);
    if (node != DiffModel::kNone) {
      const diff::DiffNode& both = m_comparison.result()->tree.nodes[node];
      const Compared::Node& facts = m_comparison.result()->nodes[node];
      m_pair->showItem(nodeTitle(both), both.status, toQt(both.detail), facts.sizeA, facts.sizeB);
    }
  }
}

void CompareView::showRow(const QModelIndex& index, bool lastChange) {
  if (!index.isValid() || m_model->isGroup(index)) return;
  const ComparedPtr& compared = m_comparison.result();
  const std::optional<Ref> a = m_model->ref(index, Side::A), b = m_model->ref(index, Side::B);
  const uint32_t node = m_model->node(index);
  QString name = index.data().toString(), detail;
  auto status = static_cast<diff::Status>(index.data(StatusRole).toInt());
  std::optional<uint64_t> sizeA = compared->tree.a.size, sizeB = compared->tree.b.size;
  if (node != DiffModel::kNone) {
    const diff::DiffNode& both = compared->tree.nodes[node];
    name = nodeTitle(both);
    detail = toQt(both.detail);
    sizeA = compared->nodes[node].sizeA;
    sizeB = compared->nodes[node].sizeB;
  }
  m_pair->show(a, b, name, lastChange);
  m_pair->showItem(name, status, detail, sizeA, sizeB);
  // The status line has no room for the first differing line, which the pair shows anyway.
  const QString summary = detail.section(QLatin1String(", from line "), 0, 0);
  Q_EMIT selectionText(summary.isEmpty() ? toQt(b ? b->shown() : a ? a->shown() : std::string()) : summary);
}

void CompareView::expandRows() {
  // Expands what differs, except rows that represent many nodes.
  int left = kMostExpanded;
  const auto walk = [&](const auto& self, const QModelIndex& index) -> void {
    if (left <= 0 || m_model->rowCount(index) == 0) return;
    const bool searched = !m_model->filter().words.isEmpty();
    if (m_model->isGroup(index) && (!searched || index.data(DimRole).toBool())) return;
    if (!m_model->isRoot(index) && !searched && m_model->filter().changedOnly &&
        static_cast<diff::Status>(index.data(StatusRole).toInt()) == diff::Status::Same)
      return;
    m_tree->setExpanded(index, true);
    left -= m_model->rowCount(index);
    for (int row = 0; row < m_model->rowCount(index) && left > 0; ++row) self(self, m_model->index(row, 0, index));
  };
  walk(walk, m_model->index(0, 0));
}

void CompareView::setFilter(const DiffFilter& filter) {
  if (filter == m_model->filter()) return;
  const NodePair& pair = m_comparison.pair();
  const QSignalBlocker quiet(m_tree->selectionModel());
  m_model->setFilter(filter);
  expandRows();
  // The displayed pair stays, even if the tree no longer shows it.
  if (const QModelIndex kept = m_model->find(pair.a, pair.b); kept.isValid() && m_tree->isExpanded(kept.parent())) {
    m_tree->setCurrentIndex(kept);
    m_tree->scrollTo(kept);
  }
  m_tree->viewport()->update();
}

void CompareView::applyFilter() {
  DiffFilter filter = m_model->filter();
  filter.words = m_filter->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  setFilter(filter);
}

void CompareView::fillShowMenu() {
  m_showMenu->clear();
  const DiffFilter& filter = m_model->filter();
  const auto add = [this](QActionGroup* group, const QString& text, bool on,
                          const std::function<void(DiffFilter&)>& change) {
    QAction* const action = m_showMenu->addAction(text);
    action->setCheckable(true);
    action->setChecked(on);
    group->addAction(action);
    connect(action, &QAction::triggered, this, [this, change] {
      DiffFilter next = m_model->filter();
      change(next);
      setFilter(next);
      fillShowMenu();
    });
  };
  auto* const which = new QActionGroup(m_showMenu);
  add(which, tr("Changed only"), filter.changedOnly, [](DiffFilter& next) { next.changedOnly = true; });
  add(which, tr("All"), !filter.changedOnly, [](DiffFilter& next) { next.changedOnly = false; });
  m_showMenu->addSeparator();
  auto* const kinds = new QActionGroup(m_showMenu);
  add(kinds, tr("All kinds"), !filter.kind, [](DiffFilter& next) { next.kind.reset(); });
  for (const diff::NodeKind kind : m_model->kinds())
    add(kinds, plural(kind), filter.kind == kind, [kind](DiffFilter& next) { next.kind = kind; });
  const QString kind = filter.kind ? plural(*filter.kind) : QString();
  m_show->setText(filter.changedOnly ? (filter.kind ? tr("Changed: %1").arg(kind.toLower()) : tr("Changed only"))
                                     : (filter.kind ? kind : tr("All")));
  m_show->setAccessibleName(plainLine(tr("Shown: %1").arg(m_show->text())));
}

void CompareView::openMenu(const QPoint& place) {
  const QModelIndex index = m_tree->indexAt(place).isValid() ? m_tree->indexAt(place) : m_tree->currentIndex();
  const auto a = m_model->ref(index, Side::A), b = m_model->ref(index, Side::B);
  if (!a && !b) return;
  auto* const menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  if (a) menu->addAction(tr("Open A in a tab"), this, [this, ref = *a] { Q_EMIT nodeChosen(Side::A, ref); });
  if (b) menu->addAction(tr("Open B in a tab"), this, [this, ref = *b] { Q_EMIT nodeChosen(Side::B, ref); });
  if (m_documentSide && isCopied(a, b, static_cast<diff::Status>(index.data(StatusRole).toInt()))) {
    menu->addSeparator();
    menu->addAction(copyText(a, b, *m_documentSide), this, [this, a, b] { Q_EMIT copyRequested(a, b); });
  }
  menu->popup(m_tree->viewport()->mapToGlobal(place));
}

bool CompareView::showNode(const std::optional<Ref>& a, const std::optional<Ref>& b) {
  const QModelIndex index = m_model->find(a, b);
  if (!index.isValid()) return false;
  m_tree->setCurrentIndex(index);
  m_tree->scrollTo(index);
  return true;
}

// ---------------------------------------------------------------------------------------------- changes

bool CompareView::goToNextRow(bool backwards) {
  const auto wanted = [this](const QModelIndex& index) {
    if (m_model->node(index) == DiffModel::kNone ||
        static_cast<diff::Status>(index.data(StatusRole).toInt()) == diff::Status::Same)
      return false;
    for (int row = 0; row < m_model->rowCount(index); ++row)
      if (static_cast<diff::Status>(m_model->index(row, 0, index).data(StatusRole).toInt()) != diff::Status::Same)
        return false;
    return true;
  };
  // Walks the tree in model order, whether rows are expanded or not.
  const auto last = [this](QModelIndex index) {
    while (m_model->rowCount(index) > 0) index = m_model->index(m_model->rowCount(index) - 1, 0, index);
    return index;
  };
  const auto step = [&](const QModelIndex& index) -> QModelIndex {
    if (backwards) return index.row() > 0 ? last(m_model->index(index.row() - 1, 0, index.parent())) : index.parent();
    if (m_model->rowCount(index) > 0) return m_model->index(0, 0, index);
    for (QModelIndex at = index; at.isValid(); at = at.parent())
      if (const QModelIndex next = m_model->index(at.row() + 1, 0, at.parent()); next.isValid()) return next;
    return {};
  };
  QModelIndex index = m_tree->currentIndex();
  if (!index.isValid()) index = m_model->index(0, 0);
  while ((index = step(index)).isValid()) {
    if (!wanted(index)) continue;
    m_lastWanted = backwards;
    m_tree->setCurrentIndex(index);
    m_tree->scrollTo(index);
    return true;
  }
  return false;
}

bool CompareView::goToNextChange(bool backwards) { return m_pair->goToNextChange(backwards) || goToNextRow(backwards); }

// ---------------------------------------------------------------------------------------------- sides, report

void CompareView::swap() {
  if (m_documentSide) m_documentSide = *m_documentSide == Side::A ? Side::B : Side::A;
  m_pair->setDocumentSide(m_documentSide);
  m_comparison.swap();
  updateHead();
  Q_EMIT titleChanged(title());
}

void CompareView::setPackage(Side side, library::PackagePtr package, const QString& title) {
  m_comparison.setPackage(side, std::move(package), title);
  updateHead();
  Q_EMIT titleChanged(this->title());
}

void CompareView::setDocumentSide(std::optional<Side> side) {
  m_documentSide = side;
  m_pair->setDocumentSide(side);
}

void CompareView::exportReport(const QString& path) { m_comparison.writeReport(path); }

// ---------------------------------------------------------------------------------------------- events

bool CompareView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_tree && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && m_pair->page() &&
        !m_model->isGroup(m_tree->currentIndex())) {
      m_pair->page()->setFocus(Qt::OtherFocusReason);
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void CompareView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_F7) {
    const bool found = goToNextChange(event->modifiers() & Qt::ShiftModifier);
    Q_EMIT message(found ? QString() : tr("There are no more changes in this direction."));
    return;
  }
  if (event->key() == Qt::Key_Escape) {
    if (m_comparison.isRunning()) {
      m_comparison.cancel();
      return;
    }
    if (m_comparison.isPairing()) {
      m_comparison.cancelPair();
      return;
    }
  }
  QWidget::keyPressEvent(event);
}

void CompareView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  for (ElidedLabel* const facts : m_facts) facts->setVisible(width() >= kFactsWidth);
  const int wanted = width() < 1'000 ? kNarrowTree : kTree;
  if (const QList<int> sizes = m_splitter->sizes();
      event->oldSize().width() <= 0 || ((sizes[0] == kTree || sizes[0] == kNarrowTree) && sizes[0] != wanted))
    m_splitter->setSizes({wanted, std::max(width() - wanted - 1, 1)});
}

} // namespace blobscope::ui
