#include "ui/pages/text_page.h"

#include "ui/widgets/find_bar.h"
#include "ui/widgets/text_view.h"

#include <QInputDialog>
#include <QVBoxLayout>

#include <limits>

namespace blobscope::ui {

TextPage::TextPage(const view::TextPage& page, QWidget* parent) : PageWidget(parent), m_view(new TextView), m_find(new FindBar(m_view)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(m_view, 1);
  layout->addWidget(m_find);
  m_find->hide();
  m_view->setText(page.text, page.language);
  connect(m_view, &TextView::cursorMoved, this,
          [this](quint64 line, quint64 column) { Q_EMIT selectionText(tr("Line %1, column %2").arg(line).arg(column)); });
  connect(m_view, &TextView::refused, this, &PageWidget::message);
  connect(m_find, &FindBar::limited, this, &PageWidget::message);
}

bool TextPage::goToOffset(uint64_t offset, std::optional<uint64_t> size) {
  const uint64_t base = m_view->text().offset().value_or(0);
  if (offset < base || offset - base >= m_view->text().size()) return false;
  size ? m_view->select(offset - base, *size) : m_view->goToOffset(offset - base);
  return true;
}

void TextPage::openFind() { m_find->open(); }

void TextPage::openGoTo() {
  bool ok = false;
  const int last = static_cast<int>(qMin<quint64>(m_view->lineCount(), std::numeric_limits<int>::max()));
  const int line = QInputDialog::getInt(this, tr("Go to line"), tr("Line, 1 to %1").arg(last), static_cast<int>(m_view->currentLine()), 1, last, 1, &ok);
  if (ok) m_view->goToLine(static_cast<quint64>(line));
}

} // namespace blobscope::ui
