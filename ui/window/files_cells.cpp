#include "ui/window/files_cells.h"

#include "core/view/page.h"
#include "ui/models/preflight_model.h"
#include "ui/pages/kind_look.h"
#include "ui/text/plain_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/charts/state_cell.h"

#include <QHeaderView>
#include <QPainter>
#include <QScrollBar>
#include <QTableView>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kCellSide = 8, kFooter = 28;

/// A library is shown with the icon of its first module for a device.
KindLook lookOfFile(const QModelIndex& index) {
  const QString key = index.data(DeviceKeyRole).toString();
  return key.isEmpty() ? KindLook{QStringLiteral("kind-library"), Role::KindContainer}
                       : kindLook(library::RowKind::Module, key);
}

} // namespace

QSize FilesDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QSize size = QStyledItemDelegate::sizeHint(option, index);
  size.setHeight(metrics::rowHeight());
  size.setWidth(size.width() + 2 * kCellSide + (index.column() == 0 ? metrics::kIcon + 8 : 0));
  return size;
}

void FilesDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QStyleOptionViewItem row = option;
  row.state &= ~QStyle::State_HasFocus; // the current cell has its own frame
  paintRow(painter, row);
  painter->save();
  const bool isCurrent = (option.state & QStyle::State_HasFocus) != 0;
  if (const QVariant state = index.data(TargetStateRole); state.isValid()) {
    QRectF box = QRectF(option.rect).adjusted(kCellSide, 3, -kCellSide, -3);
    StateCell::paint(*painter, box, static_cast<view::ChecklistPage::State>(state.toInt()),
                     index.data(TargetStepRole).toUInt());
    if (isCurrent) {
      painter->setRenderHint(QPainter::Antialiasing);
      painter->setPen(QPen(theme().color(Role::Accent), 2));
      painter->setBrush(Qt::NoBrush);
      painter->drawRoundedRect(box, 3, 3);
    }
    painter->restore();
    return;
  }
  QRect room = option.rect.adjusted(kCellSide, 0, -kCellSide, 0);
  const bool faint = index.data(NotCountedRole).toBool();
  const bool selected = (option.state & QStyle::State_Selected) != 0;
  if (index.column() == PreflightModel::Library) {
    const KindLook look = lookOfFile(index);
    const QRect place(room.left(), room.top(), metrics::kIcon, room.height());
    const QPixmap picture =
        iconPixmap(look.icon, faint ? Role::Faint : look.role, metrics::kIcon, painter->device()->devicePixelRatioF());
    painter->drawPixmap(QStyle::visualRect(option.direction, option.rect, place).left(),
                        place.top() + (place.height() - metrics::kIcon) / 2, picture);
    room.setLeft(room.left() + metrics::kIcon + 8);
    room = QStyle::visualRect(option.direction, option.rect, room);
  }
  painter->setFont(option.font);
  painter->setPen(theme().color(faint && !selected                          ? Role::Faint
                                : index.column() == PreflightModel::Library ? Role::Text
                                                                            : Role::Secondary));
  const auto alignment = static_cast<Qt::Alignment>(index.data(Qt::TextAlignmentRole).toInt());
  painter->setLayoutDirection(option.direction);
  painter->drawText(room, nameFlags(*painter, alignment),
                    painter->fontMetrics().elidedText(
                        index.data().toString(),
                        index.column() == PreflightModel::Library ? Qt::ElideMiddle : Qt::ElideRight, room.width()));
  if (isCurrent) {
    painter->setPen(theme().color(Role::Accent));
    painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
  }
  painter->restore();
}

ColumnFooter::ColumnFooter(QTableView& table, QWidget* parent) : QWidget(parent), m_table(table) {
  setFixedHeight(kFooter);
  const auto follow = [this] { update(); };
  connect(table.horizontalHeader(), &QHeaderView::sectionResized, this, follow);
  connect(table.horizontalHeader(), &QHeaderView::geometriesChanged, this, follow);
  connect(table.horizontalScrollBar(), &QScrollBar::valueChanged, this, follow);
}

void ColumnFooter::setTexts(const QString& first, int from, std::vector<Text> texts) {
  m_first = plainLine(first);
  m_from = from;
  m_texts = std::move(texts);
  QStringList words = {m_first};
  for (const Text& text : m_texts) words << text.text;
  setAccessibleName(plainLine(words.join(QStringLiteral(", "))));
  update();
}

void ColumnFooter::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setLayoutDirection(layoutDirection());
  painter.fillRect(rect(), theme().color(Role::Window));
  painter.fillRect(QRect(0, 0, width(), 1), theme().color(Role::Rule));
  const QHeaderView& header = *m_table.horizontalHeader();
  const auto placeOf = [&](int column) {
    return QRect(header.x() + header.sectionViewportPosition(column), 0, header.sectionSize(column), height());
  };
  QFont font = textFont(TextRole::Secondary);
  painter.setFont(font);
  painter.setPen(theme().color(Role::Secondary));
  QRect room(kCellSide, 0, 0, height());
  const int taken = m_from < header.count() ? header.sectionPosition(m_from) : width();
  room.setWidth(std::max(0, taken - 2 * kCellSide));
  painter.drawText(placed(*this, room), Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(m_first, Qt::ElideRight, room.width()));
  for (std::size_t i = 0; i < m_texts.size(); ++i) {
    const int column = m_from + static_cast<int>(i);
    if (column >= header.count()) break;
    font.setWeight(m_texts[i].strong ? QFont::DemiBold : QFont::Normal);
    painter.setFont(font);
    painter.setPen(theme().color(m_texts[i].strong ? Role::Ok : Role::Secondary));
    painter.drawText(placeOf(column), Qt::AlignCenter, m_texts[i].text);
  }
}

} // namespace blobscope::ui
