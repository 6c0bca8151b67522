#include "ui/theme/delegates.h"

#include "ui/theme/icons.h"

#include <QPainter>

#include <array>

namespace blobscope::ui {
namespace {

// Of ui/models/contents_model.h; the theme layer knows no models, so the roles are agreed by number.
constexpr int kDetailRole = Qt::UserRole, kSizeRole = Qt::UserRole + 1, kSeverityRole = Qt::UserRole + 2,
              kKindRole = Qt::UserRole + 3, kModuleKeyRole = Qt::UserRole + 4;

QString scannedSize(qulonglong bytes) {
  if (bytes < 1024) return QStringLiteral("%1 B").arg(bytes);
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return QStringLiteral("%1 %2").arg(value, 0, 'f', value < 10 ? 2 : 1).arg(QLatin1String(kUnits[unit]));
}

void fillRow(QPainter* painter, const QStyleOptionViewItem& option) {
  const Theme& look = theme();
  const bool active = option.state & QStyle::State_Active;
  if (option.state & QStyle::State_Selected)
    painter->fillRect(option.rect, look.color(active ? Role::Selection : Role::InactiveSelection));
  else if (option.state & QStyle::State_MouseOver)
    painter->fillRect(option.rect, look.color(Role::Hover));
  if ((option.state & QStyle::State_HasFocus) && (option.state & QStyle::State_KeyboardFocusChange)) {
    painter->setPen(look.color(Role::Accent));
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
  }
}

} // namespace

KindLook kindLook(int kind, const QString& moduleKey) {
  enum { Library, Blob, Module, Kernels, Kernel, HostCode, HostFunction, Symbols, Sections, Section, More };
  switch (kind) {
  case Library: return {QStringLiteral("kind-library"), Role::KindContainer};
  case Kernels:
  case Kernel: return {QStringLiteral("kind-kernel"), Role::KindDevice};
  case HostCode: return {QStringLiteral("kind-host-code"), Role::KindHost};
  case HostFunction: return {QStringLiteral("kind-function"), Role::KindHost};
  case Symbols: return {QStringLiteral("kind-symbol"), Role::KindHost};
  case More: return {QStringLiteral("forward"), Role::Secondary};
  case Blob:
  case Sections:
  case Section: return {QStringLiteral("kind-section"), Role::KindContainer};
  case Module: break;
  default: return {QStringLiteral("kind-unknown"), Role::KindUnknown};
  }
  struct Known {
    const char* key;
    const char* icon;
    Role role;
  };
  constexpr std::array<Known, 15> kKnown = {{{"_lib", "kind-host-code", Role::KindHost},
                                             {"cuda", "kind-cuda", Role::KindDevice},
                                             {"opencl", "kind-opencl", Role::KindDevice},
                                             {"vulkan", "kind-vulkan", Role::KindDevice},
                                             {"metal", "kind-metal", Role::KindDevice},
                                             {"webgpu", "kind-webgpu", Role::KindDevice},
                                             {"hip", "kind-rocm", Role::KindDevice},
                                             {"hsaco", "kind-rocm", Role::KindDevice},
                                             {"hexagon", "kind-hexagon", Role::KindDevice},
                                             {"relax.Executable", "kind-vm", Role::KindVm},
                                             {"relax.VMExecutable", "kind-vm", Role::KindVm},
                                             {"VMExecutable", "kind-vm", Role::KindVm},
                                             {"GraphExecutorFactory", "kind-graph", Role::KindVm},
                                             {"GraphRuntimeFactory", "kind-graph", Role::KindVm},
                                             {"const_loader", "kind-constants", Role::KindData}}};
  for (const Known& known : kKnown)
    if (moduleKey == QLatin1String(known.key)) return {QLatin1String(known.icon), known.role};
  return {QStringLiteral("kind-module"), Role::KindUnknown};
}

QSize TreeDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return QSize(QStyledItemDelegate::sizeHint(option, index).width(), metrics::rowHeight());
}

void TreeDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const Theme& look = theme();
  painter->save();
  fillRow(painter, option);
  const qreal ratio = painter->device()->devicePixelRatioF();
  QRect rect = option.rect.adjusted(4, 0, -8, 0);

  const KindLook kind = kindLook(index.data(kKindRole).toInt(), index.data(kModuleKeyRole).toString());
  painter->drawPixmap(rect.left(), rect.center().y() - metrics::kIcon / 2 + 1,
                      iconPixmap(kind.icon, kind.role, metrics::kIcon, ratio));
  rect.setLeft(rect.left() + metrics::kIcon + 6);

  const bool top = !index.parent().isValid();
  QFont nameFont = option.font;
  if (top) nameFont.setWeight(QFont::DemiBold);
  const QFontMetrics nameMetrics(nameFont);
  const QString name = index.data(Qt::DisplayRole).toString();
  const int nameWidth = nameMetrics.horizontalAdvance(name);

  if (const QVariant severity = index.data(kSeverityRole); severity.isValid()) {
    constexpr std::array kIcons = {"error", "warning", "note"};
    constexpr std::array kRoles = {Role::Error, Role::Warning, Role::Note};
    const auto at = static_cast<std::size_t>(severity.toInt());
    painter->drawPixmap(rect.right() - metrics::kIcon + 1, rect.center().y() - metrics::kIcon / 2 + 1,
                        iconPixmap(QLatin1String(kIcons[at]), kRoles[at], metrics::kIcon, ratio));
    rect.setRight(rect.right() - metrics::kIcon - 6);
  }
  const QFont small = textFont(TextRole::Secondary);
  const QFontMetrics smallMetrics(small);
  // On the selection faint text becomes secondary.
  painter->setPen(look.color(Role::Secondary));
  painter->setFont(small);
  if (const QVariant size = index.data(kSizeRole); size.isValid()) {
    const QString text = scannedSize(size.toULongLong());
    const int width = smallMetrics.horizontalAdvance(text);
    if (width + 24 < rect.width() - qMin(nameWidth, rect.width() / 2)) {
      painter->drawText(rect, Qt::AlignRight | Qt::AlignVCenter, text);
      rect.setRight(rect.right() - width - 8);
    }
  }
  const QString detail = index.data(kDetailRole).toString();
  if (!detail.isEmpty() && nameWidth + 8 + 24 < rect.width()) {
    const QRect place = rect.adjusted(nameWidth + 8, 0, 0, 0);
    painter->drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                      smallMetrics.elidedText(detail, Qt::ElideRight, place.width()));
  }
  painter->setFont(nameFont);
  painter->setPen(look.color(Role::Text));
  painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, nameMetrics.elidedText(name, Qt::ElideMiddle, rect.width()));
  painter->restore();
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return QSize(QStyledItemDelegate::sizeHint(option, index).width() + 8, metrics::rowHeight());
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  painter->save();
  fillRow(painter, option);
  const QFont font = m_code.contains(index.column()) ? textFont(TextRole::Code) : option.font;
  painter->setFont(font);
  painter->setPen(theme().color(Role::Text));
  const QRect rect = option.rect.adjusted(8, 0, -8, 0);
  const QVariant alignment = index.data(Qt::TextAlignmentRole);
  const Qt::Alignment align = alignment.isValid() ? Qt::Alignment(alignment.toInt()) : Qt::AlignLeft | Qt::AlignVCenter;
  painter->drawText(rect, static_cast<int>(align),
                    QFontMetrics(font).elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideMiddle, rect.width()));
  painter->restore();
}

} // namespace blobscope::ui
