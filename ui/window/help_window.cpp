#include "ui/window/help_window.h"

#include "ui/pages/cell_delegate.h"
#include "ui/pages/help_pages.h"
#include "ui/text/plain_text.h"
#include "ui/theme/theme.h"

#include <QAbstractTextDocumentLayout>
#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextTable>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace blobscope::ui {

namespace {

/// The role of the topic's name; CellDelegate uses the ones before it.
constexpr int kTopicRole = Qt::UserRole + 64;
/// The role of the title and the text of its page, which the first search reads.
constexpr int kTextRole = kTopicRole + 1;

} // namespace

HelpWindow::HelpWindow(QWidget* parent)
    : QDialog(parent), m_search(new QLineEdit), m_back(new QToolButton), m_list(new QListWidget),
      m_browser(new QTextBrowser) {
  setWindowTitle(tr("Help"));
  resize(860, 620);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* const splitter = new QSplitter(Qt::Horizontal, this);
  auto* const side = new QWidget(splitter);
  auto* const column = new QVBoxLayout(side);
  column->setContentsMargins(0, 6, 0, 0);
  column->setSpacing(6);
  auto* const bar = new QHBoxLayout;
  bar->setContentsMargins(6, 0, 6, 0);
  m_back->setArrowType(Qt::LeftArrow);
  m_back->setText(tr("Back"));
  m_back->setToolTip(plainTip(
      tr("Back to the page before (%1)").arg(QKeySequence(QKeySequence::Back).toString(QKeySequence::NativeText))));
  m_back->setAccessibleName(tr("Back"));
  m_back->setShortcut(QKeySequence::Back);
  m_back->setAutoRaise(true);
  m_back->setEnabled(false);
  m_search->setPlaceholderText(tr("Search the help"));
  m_search->setAccessibleName(tr("Search the help"));
  m_search->setClearButtonEnabled(true);
  bar->addWidget(m_back);
  bar->addWidget(m_search, 1);
  column->addLayout(bar);
  column->addWidget(m_list, 1);
  splitter->addWidget(side);
  splitter->addWidget(m_browser);
  splitter->setSizes({220, 640});
  layout->addWidget(splitter);
  m_list->setAccessibleName(tr("Topics"));
  m_list->setItemDelegate(new CellDelegate(m_list));
  m_list->setMouseTracking(true);
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_browser->setAccessibleName(tr("Help page"));
  m_browser->setOpenLinks(false);
  m_browser->document()->setDocumentMargin(24);
  for (const QString& topic : help::topics()) {
    auto* const item = new QListWidgetItem(help::title(topic));
    item->setData(kTopicRole, topic);
    m_list->addItem(item);
  }
  m_list->sortItems();
  connect(m_list, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
    if (item) load(item->data(kTopicRole).toString());
  });
  connect(m_search, &QLineEdit::textChanged, this, &HelpWindow::search);
  connect(m_search, &QLineEdit::returnPressed, this, &HelpWindow::openFound);
  connect(m_back, &QToolButton::clicked, this, &HelpWindow::goBack);
  connect(m_browser, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
    if (link.isRelative() && link.path().endsWith(QLatin1String(".md"))) showTopic(link.path().chopped(3));
  });
}

void HelpWindow::showTopic(const QString& topic) {
  const QString page = help::exists(topic) ? topic : help::topicOfRule(topic);
  select(page.isEmpty() ? QStringLiteral("index") : page);
  show();
  raise();
  activateWindow();
  if (page != topic) goToRule(topic);
}

void HelpWindow::goToRule(const QString& id) {
  for (QTextBlock block = m_browser->document()->begin(); block.isValid(); block = block.next()) {
    if (!block.text().startsWith(id + QLatin1Char(','))) continue;
    QTextCursor cursor(block);
    cursor.movePosition(QTextCursor::Right, QTextCursor::KeepAnchor, static_cast<int>(id.size()));
    m_browser->setTextCursor(cursor);
    const QRectF place = m_browser->document()->documentLayout()->blockBoundingRect(block);
    m_browser->verticalScrollBar()->setValue(static_cast<int>(place.top()));
    return;
  }
}

void HelpWindow::select(const QString& topic) {
  m_search->clear(); // the topic is in the list again
  for (int i = 0; i < m_list->count(); ++i)
    if (m_list->item(i)->data(kTopicRole).toString() == topic) m_list->setCurrentRow(i);
  load(topic);
}

void HelpWindow::search(const QString& text) {
  const QStringList words = text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (int i = 0; i < m_list->count(); ++i) {
    QListWidgetItem* const item = m_list->item(i);
    if (item->data(kTextRole).isNull())
      item->setData(kTextRole,
                    QString(item->text() + QLatin1Char('\n') + help::page(item->data(kTopicRole).toString())));
    const QString page = item->data(kTextRole).toString();
    item->setHidden(
        !std::ranges::all_of(words, [&](const QString& word) { return page.contains(word, Qt::CaseInsensitive); }));
  }
}

/// A topic whose title contains the text goes before one that only mentions it.
void HelpWindow::openFound() {
  const QString text = m_search->text().simplified();
  QListWidgetItem* found = nullptr;
  for (int i = m_list->count() - 1; i >= 0; --i) {
    QListWidgetItem* const item = m_list->item(i);
    const bool inTitle = item->text().contains(text, Qt::CaseInsensitive);
    if (!item->isHidden() && (inTitle || !found || !found->text().contains(text, Qt::CaseInsensitive))) found = item;
  }
  if (found) m_list->setCurrentItem(found);
}

void HelpWindow::goBack() {
  if (m_visited.isEmpty()) return;
  const QString topic = m_visited.takeLast();
  m_topic.clear(); // this step is not one to go back to
  select(topic);
  m_back->setEnabled(!m_visited.isEmpty());
}

void HelpWindow::changeEvent(QEvent* event) {
  QDialog::changeEvent(event);
  // Links and borders still have the colours of the earlier palette.
  if (event->type() != QEvent::PaletteChange || m_topic.isEmpty()) return;
  const int top = m_browser->verticalScrollBar()->value();
  load(std::exchange(m_topic, QString()));
  m_browser->verticalScrollBar()->setValue(top);
}

void HelpWindow::load(const QString& topic) {
  if (m_topic == topic) return;
  if (!m_topic.isEmpty()) m_visited << m_topic;
  m_back->setEnabled(!m_visited.isEmpty());
  m_topic = topic;
  m_browser->setMarkdown(help::page(topic));
  for (QTextFrame* frame : m_browser->document()->rootFrame()->childFrames()) {
    auto* const table = qobject_cast<QTextTable*>(frame);
    if (!table) continue;
    QTextTableFormat format = table->format();
    format.setCellPadding(5);
    format.setCellSpacing(0);
    format.setBorder(1);
    format.setBorderCollapse(true);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBorderBrush(theme().color(Role::Rule));
    format.setTopMargin(8);
    format.setBottomMargin(8);
    table->setFormat(format);
  }
}

QString HelpWindow::topicOf(const QWidget* widget) {
  for (; widget; widget = widget->parentWidget())
    if (const QVariant topic = widget->property("helpTopic"); topic.isValid() && !topic.toString().isEmpty())
      return topic.toString();
  return QStringLiteral("index");
}

} // namespace blobscope::ui
