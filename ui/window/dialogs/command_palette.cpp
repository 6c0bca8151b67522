#include "ui/window/dialogs/command_palette.h"

#include "core/base/text.h"
#include "ui/text/plain_text.h"
#include "ui/theme/delegates.h"
#include "ui/theme/theme.h"
#include "ui/window/dialogs/palette_match.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStyleOption>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <tuple>

namespace blobscope::ui {
namespace {

constexpr int kBetween = 12; ///< pixels between the name and the text at the right
constexpr std::size_t kShown = 200;

/// Paints icon, name, and at the right the kind and place, or the shortcut.
class EntryDelegate : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {200, metrics::rowHeight() + 4};
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    painter->save();
    QStyleOptionViewItem row = option;
    row.state |= QStyle::State_Active; // the line edit has the keyboard focus
    paintRow(painter, row);
    QRect rect = option.rect.adjusted(8, 0, -8, 0);
    index.data(Qt::DecorationRole)
        .value<QIcon>()
        .paint(painter, placed(option, QRect(rect.left(), rect.center().y() - metrics::kIcon / 2 + 1, metrics::kIcon,
                                             metrics::kIcon)));
    rect.setLeft(rect.left() + metrics::kIcon + 8);
    // The name gets the width it needs; kind and place get the rest.
    const QFont small = textFont(TextRole::Secondary);
    const int name = std::min(option.fontMetrics.horizontalAdvance(index.data().toString()), rect.width() * 4 / 5);
    const QString detail = QFontMetrics(small).elidedText(index.data(Qt::UserRole).toString(), Qt::ElideMiddle,
                                                          rect.width() - name - kBetween);
    painter->setFont(small);
    painter->setPen(theme().color(Role::Secondary));
    painter->drawText(placed(option, rect), Qt::AlignRight | Qt::AlignVCenter, detail);
    rect.setRight(rect.right() - QFontMetrics(small).horizontalAdvance(detail) - kBetween);
    painter->setFont(option.font);
    painter->setPen(theme().color(index.flags() & Qt::ItemIsEnabled ? Role::Text : Role::Secondary));
    painter->drawText(placed(option, rect), nameFlags(*painter, Qt::AlignLeft | Qt::AlignVCenter),
                      option.fontMetrics.elidedText(index.data().toString(), Qt::ElideMiddle, rect.width()));
    painter->restore();
  }
};

} // namespace

CommandPalette::CommandPalette(QVector<Entry> entries, PlaceOf placeOf, QWidget* parent)
    : QDialog(parent, Qt::Popup), m_entries(std::move(entries)), m_placeOf(std::move(placeOf)),
      m_edit(new QLineEdit(this)), m_list(new QListWidget(this)),
      m_status(new ThemeLabel({}, TextRole::Secondary, Role::Secondary, this)) {
  setAccessibleName(tr("Find or go to"));
  auto* const layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(8);
  m_edit->setPlaceholderText(tr("Find or go to…"));
  m_edit->setToolTip(tr("A name, an offset such as 0x1000, or a reference such as m2/kernel:NAME"));
  m_edit->installEventFilter(this);
  layout->addWidget(m_edit);
  layout->addWidget(m_list, 1);
  layout->addWidget(m_status);
  m_status->setAlignment(Qt::AlignTop);
  m_list->setItemDelegate(new EntryDelegate(m_list));
  m_list->setUniformItemSizes(true);
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_list->setFocusPolicy(Qt::NoFocus);
  m_edit->setAccessibleName(tr("Find or go to"));
  resize(640, 420);
  connect(m_edit, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(m_edit, &QLineEdit::returnPressed, this, &CommandPalette::runCurrent);
  connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
  filter();
  m_edit->setFocus();
}

void CommandPalette::addRow(const Entry& entry) {
  m_shown.push_back(entry.run);
  auto* const item = new QListWidgetItem(entry.icon, entry.text, m_list);
  QStringList words{entry.kind, entry.detail};
  words.removeAll(QString());
  item->setData(Qt::UserRole, words.join(QLatin1String("  ")));
  words.prepend(entry.text);
  item->setData(Qt::AccessibleTextRole, words.join(QLatin1String(", ")));
  if (!entry.run) item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
}

void CommandPalette::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  QStyleOption option;
  option.initFrom(this);
  style()->drawPrimitive(QStyle::PE_PanelMenu, &option, &painter, this); // edge of a popup
}

void CommandPalette::filter() {
  const PaletteQuery query(m_edit->text());
  // Whether it is not possible now, whether it is a file name, match quality, given position.
  using Ranked = std::tuple<bool, bool, PaletteMatch, int>;
  std::vector<Ranked> found;
  const QString typed = m_edit->text().trimmed();
  bool listed = false; // a reference is listed as an entry
  for (int i = 0; i < m_entries.size(); ++i) {
    const Entry& entry = m_entries[i];
    const PaletteMatch match = query.match(entry.text, entry.kind, entry.reference);
    listed = listed || (!typed.isEmpty() && entry.reference == typed);
    if (match != PaletteMatch::None)
      found.emplace_back(!entry.run, entry.isFile && match != PaletteMatch::Exact, match, i);
  }
  const std::size_t shown = std::min(found.size(), kShown);
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(shown), found.end());
  m_list->clear();
  m_shown.clear();
  const std::optional<Entry> place = m_placeOf && !listed ? m_placeOf(typed) : std::nullopt;
  if (place) addRow(*place);
  for (std::size_t i = 0; i < shown; ++i) addRow(m_entries[std::get<int>(found[i])]);
  m_list->setCurrentRow(0);
  m_status->setText(m_shown.empty() ? tr("There is no match for “%1”.").arg(plainLine(typed))
                    : found.size() > shown
                        ? tr("The first %1 of %2 matches are shown.").arg(shown).arg(toQt(groupedText(found.size())))
                        : QString());
  m_status->setVisible(!m_status->text().isEmpty());
  m_list->setVisible(!m_shown.empty()); // else the message is below the line
}

void CommandPalette::runCurrent() {
  const int row = m_list->currentRow();
  if (row < 0 || static_cast<std::size_t>(row) >= m_shown.size()) return;
  const auto run = m_shown[static_cast<std::size_t>(row)];
  if (!run) return;
  accept();
  run();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_edit && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int step = key == Qt::Key_Down       ? 1
                     : key == Qt::Key_Up       ? -1
                     : key == Qt::Key_PageDown ? 10
                     : key == Qt::Key_PageUp   ? -10
                                               : 0;
    if (step != 0) {
      m_list->setCurrentRow(qMax(0, qMin(m_list->currentRow() + step, m_list->count() - 1)));
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

} // namespace blobscope::ui
