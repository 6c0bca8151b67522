#include "ui/pages/hex_page.h"

#include "core/base/text.h"
#include "ui/pages/fields_page.h"
#include "ui/session/strings.h"
#include "ui/widgets/find_bar.h"
#include "ui/widgets/hex_view.h"

#include <QInputDialog>
#include <QSplitter>
#include <QVBoxLayout>

namespace blobscope::ui {

HexPage::HexPage(const view::HexPage& page, QWidget* parent) : PageWidget(parent), m_view(new HexView), m_find(new FindBar(m_view)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* const splitter = new QSplitter(Qt::Horizontal, this);
  splitter->addWidget(m_view);
  m_view->setBytes(page.bytes);
  if (page.fields && !page.fields->rows.empty()) {
    m_view->setFields(page.fields);
    m_fields = new FieldsPage({page.fields}, splitter);
    splitter->addWidget(m_fields);
    splitter->setStretchFactor(0, 1);
    splitter->setSizes({560, 320});
    m_fields->view().setColumnHidden(2, true);
    m_fields->view().setColumnHidden(3, true);
    m_fields->view().setColumnWidth(0, 170);
    connect(m_view, &HexView::fieldActivated, m_fields, &FieldsPage::select);
    connect(m_fields, &FieldsPage::rowChosen, this, [this](quint32 row) {
      if (m_view->selectedField() != row) m_view->selectField(row);
    });
  }
  layout->addWidget(splitter, 1);
  layout->addWidget(m_find);
  m_find->hide();
  connect(m_view, &HexView::selectionChanged, this, [this](quint64 offset, quint64 size) {
    Q_EMIT selectionText(tr("Selected %1 + %2").arg(toQt(hexText(m_view->fileOffset(offset)))).arg(size));
  });
  connect(m_view, &HexView::refused, this, &PageWidget::message);
  connect(m_find, &FindBar::limited, this, &PageWidget::message);
}

bool HexPage::goToOffset(uint64_t offset, std::optional<uint64_t> size) {
  const uint64_t base = m_view->fileOffset(0);
  if (offset < base || offset - base >= m_view->bytes().size()) return false;
  m_view->select(offset - base, size.value_or(1));
  return true;
}

void HexPage::openFind() { m_find->open(); }

void HexPage::openGoTo() {
  bool ok = false;
  const QString text = QInputDialog::getText(this, tr("Go to offset"), tr("Offset in the file, decimal or 0x…"), QLineEdit::Normal,
                                             toQt(hexText(m_view->fileOffset(m_view->cursor()))), &ok);
  if (!ok) return;
  const auto offset = parseNumber(fromQt(text.trimmed()));
  if (!offset || !goToOffset(*offset, std::nullopt))
    Q_EMIT message(tr("%1 is no offset between %2 and %3").arg(text, toQt(hexText(m_view->fileOffset(0))), toQt(hexText(m_view->fileOffset(m_view->bytes().size())))));
}

} // namespace blobscope::ui
