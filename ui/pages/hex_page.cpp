#include "ui/pages/hex_page.h"

#include "core/base/text.h"
#include "ui/pages/fields_page.h"
#include "ui/pages/kind_look.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/charts/coverage_bar.h"
#include "ui/widgets/find/find_bar.h"
#include "ui/widgets/hex/hex_view.h"
#include "ui/widgets/labels.h"
#include "ui/widgets/tool_button.h"

#include <QEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QSplitter>
#include <QVBoxLayout>

#include <array>

namespace blobscope::ui {
namespace {

/// A legend of the field colours.
class FieldLegend : public QWidget {
public:
  explicit FieldLegend(QWidget* parent) : QWidget(parent) {
    setFixedHeight(28);
    setProperty("helpTopic", QStringLiteral("fields"));
  }

protected:
  void paintEvent(QPaintEvent*) override {
    constexpr std::array kRoles = {FieldRole::Length, FieldRole::Text,     FieldRole::TypeKey, FieldRole::Number,
                                   FieldRole::Offset, FieldRole::TypeCode, FieldRole::Padding, FieldRole::Payload};
    QPainter painter(this);
    painter.fillRect(rect(), theme().color(Role::Base));
    painter.fillRect(QRect(0, 0, width(), 1), theme().color(Role::Rule));
    const QFont font = textFont(TextRole::Chip);
    painter.setFont(font);
    int x = 12;
    for (const FieldRole role : kRoles) {
      QString name = fieldRoleName(role);
      name[0] = name[0].toUpper();
      const int width = QFontMetrics(font).horizontalAdvance(name);
      if (x + 18 + width > this->width()) break;
      const QColor color = theme().color(fieldRoleColor(role));
      QColor tint = color;
      tint.setAlphaF(static_cast<float>(theme().fieldTint(false)));
      const QRectF box(x, 9, 11, 11);
      painter.fillRect(box, tint);
      painter.fillRect(QRectF(box.left(), box.bottom() - 1.4, box.width(), 1.4), color);
      painter.fillRect(QRectF(box.left(), box.top(), 1.4, box.height()), color);
      painter.setPen(theme().color(Role::Secondary));
      painter.drawText(QRect(x + 16, 0, width + 2, height()), Qt::AlignVCenter, name);
      x += 16 + width + 16;
    }
  }
};

} // namespace

HexPage::HexPage(const view::HexPage& page, const PageContext& context, QWidget* parent)
    : PageWidget(parent), m_view(new HexView), m_blobOffset(context.blobOffset), m_tools(new QWidget(this)),
      m_goTo(new QLineEdit(m_tools)), m_coverage(new CoverageBar(this)), m_find(new FindBar(m_view)) {
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  std::vector<Role> roles;
  std::vector<HexView::Owner> owners;
  for (const view::Span& span : page.spans)
    if (const auto role = spanRole(span)) {
      roles.push_back(*role);
      owners.push_back({span.extent, *role});
    }
  if (!owners.empty()) m_spans = page.spans;
  m_view->setOwners(std::move(owners));
  m_coverage->setSpans(page.spans, page.bytes.size(), roles);
  m_coverage->setVisible(!page.spans.empty());
  layout->addWidget(m_coverage);
  auto* const rule = new Rule(Qt::Horizontal, this);
  rule->setVisible(!page.spans.empty());
  layout->addWidget(rule);
  auto* const splitter = new QSplitter(Qt::Horizontal, this);
  splitter->addWidget(m_view);
  splitter->setChildrenCollapsible(false);
  m_view->setBytes(page.bytes);
  m_view->setDamage(page.damage);
  m_damage = page.damage;
  if (page.fields && !page.fields->rows.empty()) {
    m_tree = page.fields;
    m_view->setFields(page.fields);
    m_fields = new FieldsPage({page.fields}, context, splitter);
    splitter->addWidget(m_fields);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 0);
    m_view->setMinimumWidth(320);
    splitter->setSizes({560, 250});
    m_fields->view().setColumnHidden(2, true);
    m_fields->view().setColumnHidden(3, true);
    m_fields->view().setColumnWidth(0, 140);
    m_fields->setMinimumWidth(160);
    connect(m_view, &HexView::fieldActivated, m_fields, &FieldsPage::select);
    connect(m_fields, &FieldsPage::rowChosen, this, [this](quint32 row) {
      if (m_view->selectedField() != row) m_view->selectField(row);
    });
    connect(m_fields, &FieldsPage::detailsChanged, this, &PageWidget::detailsChanged);
  }
  layout->addWidget(splitter, 1);
  if (m_tree) layout->addWidget(new FieldLegend(this));
  layout->addWidget(m_find);
  m_find->hide();
  setFocusProxy(m_view);

  fillTools();

  connect(m_goTo, &QLineEdit::returnPressed, this, [this] { goToText(m_goTo->text()); });
  connect(m_view, &HexView::selectionChanged, this, &HexPage::reportSelection);
  connect(m_view, &HexView::visibleBytesChanged, m_coverage,
          [this](quint64 offset, quint64 size) { m_coverage->setVisibleBytes({offset, size}); });
  connect(m_coverage, &CoverageBar::jumped, this, [this](quint64 offset) { m_view->goTo(offset); });
  connect(m_view, &HexView::refused, this, &PageWidget::message);
  connect(m_find, &FindBar::limited, this, &PageWidget::message);
  m_coverage->setVisibleBytes(m_view->visibleBytes());
}

void HexPage::fillTools() {
  auto* const tools = new QHBoxLayout(m_tools);
  tools->setContentsMargins(0, 0, 0, 0);
  tools->setSpacing(4);
  m_goTo->setPlaceholderText(tr("Go to offset"));
  m_goTo->setAccessibleName(tr("Go to offset, decimal or 0x…"));
  m_goTo->setToolTip(tr("An offset in the file, decimal or 0x… (Ctrl+G)"));
  m_goTo->setMinimumWidth(80);
  m_goTo->setMaximumWidth(130);
  m_goTo->installEventFilter(this);
  tools->addWidget(m_goTo);
  tools->addWidget(
      toolButton(QStringLiteral("find"), tr("Find in these bytes (Ctrl+F)"), m_tools, [this] { openFind(); }));
  tools->addWidget(
      toolButton(QStringLiteral("copy"), tr("Copy the selected bytes as hex"), m_tools, [this] { m_view->copy(); }));
  m_tools->hide();
}

void HexPage::reportSelection(quint64 offset, quint64 size) {
  Q_EMIT selectionText(
      tr("%1 selected at %2").arg(toQt(sizeText(size)), toQt(view::offsetText(m_view->bytes(), offset))));
  if (const auto field = m_view->selectedField(); field && m_tree)
    Q_EMIT detailsChanged(view::fieldDetails(*m_tree, *field, m_blobOffset));
  else
    Q_EMIT detailsChanged(view::bytesDetails(m_view->bytes(), offset, size, m_spans));
}

bool HexPage::goToOffset(uint64_t offset, std::optional<uint64_t> size) {
  const uint64_t base = m_view->fileOffset(0);
  if (offset < base || offset - base >= m_view->bytes().size()) return false;
  // An offset without a size selects the small field that begins there; with the size of a field, it selects that
  // field.
  constexpr uint64_t kSmall = 4096;
  if (m_tree)
    if (const auto row = m_tree->rowAt(offset - base);
        row && m_tree->rows[*row].offset == offset - base && m_tree->rows[*row].size <= kSmall &&
        m_tree->rows[*row].size == size.value_or(m_tree->rows[*row].size)) {
      m_view->selectField(*row, true);
      return true;
    }
  if (!size && m_damage && m_damage->offset == offset - base) size = m_damage->size;
  m_view->select(offset - base, size.value_or(1));
  return true;
}

bool HexPage::showPart(const Ref::Part& part) {
  if (part.kind != PartKind::Field || !m_tree) return false;
  const auto row = m_tree->find(part.name);
  if (row) m_view->selectField(*row, true);
  return row.has_value();
}

void HexPage::markHits(const std::vector<Extent>& hits) {
  m_view->showHits(hitsWithin({m_view->fileOffset(0), m_view->bytes().size()}, hits), std::nullopt);
}

void HexPage::openFind() { m_find->open(); }

void HexPage::findNext(bool backwards) { m_find->continueSearch(backwards); }

void HexPage::openGoTo() {
  m_goTo->setFocus(Qt::ShortcutFocusReason);
  m_goTo->selectAll();
}

void HexPage::goToText(const QString& text) {
  const auto offset = parseNumber(fromQt(text.trimmed()));
  if (offset && goToOffset(*offset, std::nullopt)) {
    m_view->setFocus();
    Q_EMIT message({});
    return;
  }
  Q_EMIT message(
      tr("Invalid offset %1. Enter an offset from %2 to %3.")
          .arg(text, toQt(hexText(m_view->fileOffset(0))), toQt(hexText(m_view->fileOffset(m_view->bytes().size())))));
}

bool HexPage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_goTo && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    m_view->setFocus();
    return true;
  }
  return PageWidget::eventFilter(watched, event);
}

} // namespace blobscope::ui
