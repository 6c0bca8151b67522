#include "ui/window/panels/search_panel.h"

#include "core/base/text.h"
#include "core/library/open.h"
#include "ui/models/contents_model.h"
#include "ui/pages/cell_delegate.h"
#include "ui/pages/kind_look.h"
#include "ui/text/plain_text.h"
#include "ui/theme/icons.h"
#include "ui/widgets/filter_keys.h"
#include "ui/widgets/item_menu.h"
#include "ui/widgets/labels.h"

#include <QComboBox>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPointer>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <unordered_map>

namespace blobscope::ui {
namespace {

constexpr int kShownHits = 10'000;
constexpr qint64 kHitBatchMs = 50;

struct Outcome {
  bool full = false; ///< there are more hits than shown
};

/// Returns the name of a node in the list: "softmax_kernel · kernel in m2".
QString nameOf(const library::ContentsRow& row) {
  const QString kind = kindText(row.kind);
  QString name = contentsName(row);
  if (kind.isEmpty()) return name;
  Ref owner = row.ref;
  owner.parts.clear();
  const bool part = row.ref.kind == Ref::Kind::Module && !row.ref.parts.empty();
  return part ? SearchPanel::tr("%1 · %2 in %3").arg(name, kind, toQt(owner.shown()))
              : QStringLiteral("%1 · %2 %3").arg(name, kind, toQt(row.detail)).trimmed();
}

/// Names of nodes by ref, as in Contents.
class NodeNames {
public:
  explicit NodeNames(const std::vector<library::ContentsRow>& rows) {
    for (const library::ContentsRow& row : rows)
      if (row.page.empty()) m_names.try_emplace(row.ref.toString(), &row);
  }
  QString find(const Ref& node) const {
    if (const auto found = m_names.find(node.toString()); found != m_names.end()) return nameOf(*found->second);
    const std::string shown = node.shown();
    return shown.empty() ? SearchPanel::tr("file") : toQt(shown);
  }

private:
  std::unordered_map<std::string, const library::ContentsRow*> m_names;
};

} // namespace

SearchPanel::SearchPanel(Document& document, QWidget* parent)
    : QWidget(parent), m_document(document), m_model(new SearchModel(this)), m_edit(new QLineEdit(this)),
      m_syntax(new QComboBox(this)), m_scope(new QComboBox(this)), m_case(new QToolButton(this)),
      m_status(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)),
      m_cancel(new LinkButton(tr("Cancel"), this)), m_view(new QTreeView(this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* const bar = new QHBoxLayout;
  bar->setContentsMargins(8, 6, 8, 6);
  bar->setSpacing(8);
  m_edit->setPlaceholderText(tr("Find in the whole file"));
  m_edit->setAccessibleName(tr("Find in the whole file"));
  addFindIcon(*m_edit);
  m_edit->setClearButtonEnabled(true);
  m_edit->setMaximumWidth(320);
  m_edit->installEventFilter(this);
  m_case->setText(tr("Aa"));
  m_case->setCheckable(true);
  m_case->setAutoRaise(true);
  m_case->setToolTip(tr("Match case"));
  m_case->setAccessibleName(tr("Match case"));
  m_syntax->addItems({tr("Text"), tr("Bytes in hex"), tr("Regular expression")});
  m_syntax->setAccessibleName(tr("Kind of pattern"));
  m_scope->addItem(tr("Whole file"));
  m_scope->setAccessibleName(tr("Where to search"));
  m_scope->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_scope->setMaximumWidth(280);
  bar->addWidget(m_edit, 1);
  bar->addWidget(m_case);
  bar->addWidget(m_syntax);
  bar->addWidget(m_scope);
  bar->addWidget(m_cancel);
  bar->addStretch(1);
  bar->addWidget(m_status);
  layout->addLayout(bar);
  layout->addWidget(new Rule(Qt::Horizontal, this));
  m_view->setModel(m_model);
  m_view->setItemDelegate(new CellDelegate(m_view, {SearchModel::Around}));
  m_view->setUniformRowHeights(true);
  m_view->setMouseTracking(true);
  m_view->setFrameShape(QFrame::NoFrame);
  m_view->setExpandsOnDoubleClick(false);
  m_view->setAccessibleName(tr("Search results"));
  m_view->header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  m_view->header()->setStretchLastSection(true);
  m_view->setColumnWidth(SearchModel::Where, 380);
  layout->addWidget(m_view, 1);
  connect(m_syntax, &QComboBox::currentIndexChanged, this,
          [this](int syntax) { m_case->setEnabled(static_cast<search::Syntax>(syntax) != search::Syntax::Hex); });
  connect(m_edit, &QLineEdit::returnPressed, this, &SearchPanel::start);
  clearOnEscape(*m_edit);
  connect(m_cancel, &QAbstractButton::clicked, this, &SearchPanel::cancel);
  connect(m_model, &QAbstractItemModel::rowsInserted, m_view, [this](const QModelIndex& group, int first) {
    if (group.isValid() && first == 0) m_view->expand(group);
  });
  connect(m_view, &QTreeView::activated, this, &SearchPanel::choose);
  connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
    if (m_view->hasFocus() && m_model->hitAt(index)) choose(index);
  });
  onItemMenu(*m_view, [this](const QModelIndex& index, QPoint at) {
    if (const auto place = placeOf(index)) Q_EMIT menuRequested(*place, index.data().toString(), at);
  });
  showStatus(tr("Press Enter to search"), false);
}

std::optional<Ref> SearchPanel::placeOf(const QModelIndex& index) const {
  if (const search::Hit* const found = m_model->hitAt(index))
    return found->ref.node().withBytes(found->offset, found->size);
  if (const search::Hit* const first = m_model->hitAt(m_model->index(0, 0, index.siblingAtColumn(0))))
    return first->ref.node();
  return std::nullopt;
}

void SearchPanel::choose(const QModelIndex& index) {
  const auto place = placeOf(index);
  if (!place) return;
  if (const search::Hit* const found = m_model->hitAt(index)) {
    const Extent bytes{found->offset, found->size};
    Q_EMIT activated(*place, &bytes);
  } else {
    Q_EMIT activated(*place, nullptr);
  }
}

std::vector<Extent> SearchPanel::hitsBeside(const Ref& node) const {
  std::vector<Extent> out;
  for (int i = 0; i < m_model->hitCount(); ++i)
    if (const search::Hit& found = m_model->hit(i); found.ref.members == node.members)
      out.push_back({found.offset, found.size});
  return out;
}

bool SearchPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_edit && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Down &&
      m_model->hitCount() > 0) {
    m_view->setFocus(Qt::TabFocusReason);
    if (!m_view->currentIndex().isValid() || !m_model->hitAt(m_view->currentIndex()))
      m_view->setCurrentIndex(m_model->index(0, 0, m_model->index(0, 0)));
    else
      choose(m_view->currentIndex());
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

search::Query SearchPanel::query() const {
  search::Query query{fromQt(m_edit->text()), static_cast<search::Syntax>(m_syntax->currentIndex()),
                      m_case->isChecked()};
  if (m_scope->currentIndex() == 1) query.in = m_node;
  return query;
}

QString SearchPanel::status() const { return m_status->text(); }

void SearchPanel::open(const Ref& node) {
  // The scope stays for the same node; another node resets it.
  if (const Ref target = node.node(); target != m_node || m_scope->count() == 1) {
    m_node = target;
    while (m_scope->count() > 1) m_scope->removeItem(1);
    if (m_document.state() && m_node != Ref::file())
      m_scope->addItem(plainAction(tr("In %1").arg(NodeNames(m_document.state()->contents).find(m_node))));
  }
  m_edit->setFocus(Qt::ShortcutFocusReason);
  m_edit->selectAll();
}

void SearchPanel::showStatus(const QString& text, bool busy) {
  m_status->setText(text);
  m_cancel->setVisible(busy);
}

void SearchPanel::reset() {
  m_document.jobs().cancel(tag());
  ++m_run;
  m_model->clear();
  Q_EMIT countChanged(0);
  showStatus(tr("Press Enter to search"), false);
}

void SearchPanel::cancel() {
  if (!m_document.jobs().isRunning(tag())) return;
  m_document.jobs().cancel(tag());
  ++m_run;
  showStatus(tr("Cancelled after %n (match|matches)", nullptr, m_model->hitCount()), false);
  Q_EMIT ended();
}

void SearchPanel::start() {
  if (!m_document.state() || m_edit->text().isEmpty()) return;
  reset();
  const quint64 run = m_run;
  showStatus(tr("Searching"), true);
  Jobs& jobs = m_document.jobs();
  const QPointer<SearchPanel> guard(this);
  jobs.start<Outcome>(
      tag(),
      [state = m_document.state(), wanted = query(), run, guard, &jobs](Monitor& monitor) -> Result<Outcome> {
        Outcome outcome;
        int count = 0;
        const NodeNames names(state->contents);
        std::vector<FoundText> batch;
        QElapsedTimer clock;
        clock.start();
        const auto send = [&] {
          QMetaObject::invokeMethod(
              &jobs,
              [guard, run, found = std::make_shared<std::vector<FoundText>>(std::move(batch))] {
                if (!guard || guard->m_run != run) return;
                guard->m_model->append(std::move(*found));
                Q_EMIT guard->countChanged(guard->m_model->hitCount());
              },
              Qt::QueuedConnection);
          batch.clear();
          clock.restart();
        };
        BLOBSCOPE_CHECK(search::find(*state->package, wanted, monitor, [&](const search::Hit& hit) {
          batch.push_back({hit, names.find(hit.ref.node())});
          if (clock.elapsed() > kHitBatchMs) send();
          outcome.full = ++count == kShownHits;
          return !outcome.full;
        }));
        send();
        BLOBSCOPE_CHECK(library::checkUnchanged(*state->package));
        return outcome;
      },
      [guard](Result<Outcome> outcome) {
        if (!guard) return;
        if (!outcome) {
          guard->showStatus(toQt(outcome.error().message()), false);
        } else {
          const int count = guard->m_model->hitCount();
          guard->showStatus(outcome->full ? tr("The first %n matches are shown. blobscope-cli find lists all of them.",
                                               nullptr, count)
                            : count == 0  ? tr("No matches")
                                          : tr("%n (match|matches)", nullptr, count),
                            false);
        }
        Q_EMIT guard->ended();
      });
}

} // namespace blobscope::ui
