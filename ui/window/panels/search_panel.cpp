#include "ui/window/panels/search_panel.h"

#include "core/base/text.h"
#include "core/library/open.h"
#include "ui/pages/cell_delegate.h"
#include "ui/text/plain_text.h"
#include "ui/theme/icons.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/list_table.h"

#include <QComboBox>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QLineEdit>
#include <QPointer>
#include <QTableView>
#include <QVBoxLayout>

namespace blobscope::ui {
namespace {

constexpr int kShownHits = 10'000;
constexpr qint64 kBatchMs = 50;

struct Outcome {
  bool full = false; ///< more were there than are shown
};

} // namespace

SearchPanel::SearchPanel(Document& document, QWidget* parent)
    : QWidget(parent), m_document(document), m_model(new SearchModel(this)), m_edit(new QLineEdit(this)),
      m_syntax(new QComboBox(this)), m_status(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)),
      m_cancel(new LinkButton(tr("Cancel"), this)), m_view(new QTableView(this)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* const bar = new QHBoxLayout;
  bar->setContentsMargins(8, 6, 8, 6);
  bar->setSpacing(8);
  m_edit->setPlaceholderText(tr("Find in the whole file"));
  m_edit->setAccessibleName(tr("Find in the whole file"));
  m_edit->addAction(icon(QStringLiteral("find")), QLineEdit::LeadingPosition);
  m_edit->setClearButtonEnabled(true);
  m_edit->setMaximumWidth(320);
  m_syntax->addItems({tr("Text"), tr("Bytes in hex"), tr("Regular expression")});
  m_syntax->setAccessibleName(tr("What the pattern is"));
  bar->addWidget(m_edit, 1);
  bar->addWidget(m_syntax);
  bar->addWidget(m_cancel);
  bar->addStretch(1);
  bar->addWidget(m_status);
  layout->addLayout(bar);
  layout->addWidget(new Rule(Qt::Horizontal, this));
  m_view->setModel(m_model);
  m_view->setItemDelegate(new CellDelegate(m_view, {SearchModel::Offset, SearchModel::Around}));
  setUpList(*m_view);
  m_view->setAccessibleName(tr("Search results"));
  m_view->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  m_view->horizontalHeader()->setStretchLastSection(true);
  m_view->setColumnWidth(SearchModel::Where, 260);
  m_view->setColumnWidth(SearchModel::Offset, 110);
  layout->addWidget(m_view, 1);
  connect(m_edit, &QLineEdit::returnPressed, this, &SearchPanel::start);
  connect(m_cancel, &QAbstractButton::clicked, this, &SearchPanel::cancel);
  connect(m_view, &QTableView::activated, this, [this](const QModelIndex& index) {
    const search::Hit& hit = m_model->hit(index.row());
    Q_EMIT activated(hit.ref.node().withBytes(hit.offset, hit.size));
  });
  connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
    if (!index.isValid() || !m_view->hasFocus()) return;
    const search::Hit& hit = m_model->hit(index.row());
    Q_EMIT activated(hit.ref.node().withBytes(hit.offset, hit.size));
  });
  tell(tr("Enter starts; case matters"), false);
}

QString SearchPanel::status() const { return m_status->text(); }

void SearchPanel::open() {
  m_edit->setFocus(Qt::ShortcutFocusReason);
  m_edit->selectAll();
}

void SearchPanel::tell(const QString& text, bool busy) {
  m_status->setText(text);
  m_cancel->setVisible(busy);
}

void SearchPanel::reset() {
  m_document.jobs().cancel(tag());
  ++m_run;
  m_model->clear();
  Q_EMIT countChanged(0);
  tell(tr("Enter starts; case matters"), false);
}

void SearchPanel::cancel() {
  if (!m_document.jobs().isRunning(tag())) return;
  m_document.jobs().cancel(tag());
  ++m_run;
  tell(tr("Cancelled after %1 hits").arg(m_model->rowCount()), false);
  Q_EMIT ended();
}

void SearchPanel::start() {
  if (!m_document.state() || m_edit->text().isEmpty()) return;
  reset();
  const quint64 run = m_run;
  const auto syntax = static_cast<search::Syntax>(m_syntax->currentIndex());
  tell(tr("Searching"), true);
  Jobs& jobs = m_document.jobs();
  const QPointer<SearchPanel> guard(this);
  jobs.start<Outcome>(
      tag(),
      [package = m_document.state()->package, pattern = fromQt(m_edit->text()), syntax, run, guard,
       &jobs](Monitor& monitor) -> Result<Outcome> {
        Outcome outcome;
        int count = 0;
        std::vector<search::Hit> batch;
        QElapsedTimer clock;
        clock.start();
        const auto send = [&] {
          QMetaObject::invokeMethod(
              &jobs,
              [guard, run, hits = std::make_shared<std::vector<search::Hit>>(std::move(batch))] {
                if (!guard || guard->m_run != run) return;
                guard->m_model->append(std::move(*hits));
                Q_EMIT guard->countChanged(guard->m_model->rowCount());
              },
              Qt::QueuedConnection);
          batch.clear();
          clock.restart();
        };
        BLOBSCOPE_CHECK(search::find(*package, {pattern, syntax}, monitor, [&](const search::Hit& hit) {
          batch.push_back(hit);
          if (clock.elapsed() > kBatchMs) send();
          outcome.full = ++count == kShownHits;
          return !outcome.full;
        }));
        send();
        BLOBSCOPE_CHECK(library::checkUnchanged(*package));
        return outcome;
      },
      [guard](Result<Outcome> outcome) {
        if (!guard) return;
        if (!outcome) {
          guard->tell(toQt(outcome.error().message()), false);
        } else {
          const int count = guard->m_model->rowCount();
          guard->tell(outcome->full ? tr("The first %1 hits; blobscope-cli find lists all").arg(count)
                      : count == 0  ? tr("Nothing found")
                      : count == 1  ? tr("1 hit")
                                    : tr("%1 hits").arg(count),
                      false);
        }
        Q_EMIT guard->ended();
      });
}

} // namespace blobscope::ui
