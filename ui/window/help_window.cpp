#include "ui/window/help_window.h"

#include "ui/pages/cell_delegate.h"
#include "ui/pages/help_pages.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QListWidget>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextTable>
#include <QVBoxLayout>

namespace blobscope::ui {

HelpWindow::HelpWindow(QWidget* parent) : QDialog(parent), m_list(new QListWidget), m_browser(new QTextBrowser) {
  setWindowTitle(tr("Help"));
  resize(860, 620);
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* const splitter = new QSplitter(Qt::Horizontal, this);
  splitter->addWidget(m_list);
  splitter->addWidget(m_browser);
  splitter->setSizes({220, 640});
  layout->addWidget(splitter);
  m_list->setAccessibleName(tr("Topics"));
  m_list->setItemDelegate(new CellDelegate(m_list));
  m_list->setMouseTracking(true);
  m_browser->setAccessibleName(tr("Help page"));
  m_browser->setOpenLinks(false);
  m_browser->document()->setDocumentMargin(24);
  for (const QString& topic : help::topics()) {
    auto* const item = new QListWidgetItem(help::title(topic));
    item->setData(Qt::UserRole, topic);
    m_list->addItem(item);
  }
  m_list->sortItems();
  connect(m_list, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
    if (item) load(item->data(Qt::UserRole).toString());
  });
  connect(m_browser, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
    if (link.isRelative() && link.path().endsWith(QLatin1String(".md"))) showTopic(link.path().chopped(3));
  });
}

void HelpWindow::showTopic(const QString& topic) {
  const QString known = help::exists(topic) ? topic : QStringLiteral("index");
  for (int i = 0; i < m_list->count(); ++i)
    if (m_list->item(i)->data(Qt::UserRole).toString() == known) m_list->setCurrentRow(i);
  load(known);
  show();
  raise();
  activateWindow();
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
