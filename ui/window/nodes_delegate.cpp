#include "ui/window/nodes_delegate.h"

#include "ui/models/nodes_model.h"
#include "ui/pages/kind_look.h"
#include "ui/theme/delegates.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QPainter>

#include <algorithm>

namespace blobscope::ui {
namespace {

struct NodeStatusLook {
  const char* icon;
  Role role;
};
NodeStatusLook lookOfNode(NodeStatus status) {
  switch (status) {
  case NodeStatus::Same: return {"ok", Role::Secondary};
  case NodeStatus::Within: return {"ok", Role::Ok};
  case NodeStatus::Differs:
  case NodeStatus::First: return {"error", Role::Error};
  default: return {"note", Role::Note};
  }
}

} // namespace

void NodesDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  painter->save();
  paintRow(painter, option);
  QRect rect = option.rect.adjusted(8, 0, -8, 0);
  const auto status = static_cast<NodeStatus>(index.data(NodeStatusRole).toInt());
  const int column = index.column();
  const auto icon = [&](const QString& name, Role role) {
    paintRowIcon(painter, option, rect, iconPixmap(name, role, metrics::kIcon, painter->device()->devicePixelRatioF()));
    rect.setLeft(rect.left() + metrics::kIcon + 6);
  };
  if (column == NodesModel::Node) {
    const KindLook look = kindLook(library::RowKind::HostFunction, {});
    icon(look.icon, look.role);
  } else if (column == NodesModel::Status) {
    const NodeStatusLook look = lookOfNode(status);
    icon(QLatin1String(look.icon), look.role);
  } else if (column == NodesModel::Largest || column == NodesModel::Share) {
    if (const double share = index.data(NodeShareRole).toDouble(); share > 0) {
      const QRectF bar = placed(option, QRect(rect.left(), rect.center().y() - 2, kBar, 5));
      painter->fillRect(bar, theme().color(Role::Header));
      const Role role = column == NodesModel::Share ? Role::Accent
                        : isDifference(status)      ? Role::Error
                                                    : Role::Secondary;
      painter->fillRect(QRectF(bar.left(), bar.top(), std::max(1.0, bar.width() * share), bar.height()),
                        theme().color(role));
    }
    rect.setLeft(rect.left() + kBar + 6);
  }
  QFont font = column == NodesModel::OutputType ? textFont(TextRole::Code) : option.font;
  if (status == NodeStatus::First && column != NodesModel::OutputType) font.setWeight(QFont::DemiBold);
  const bool dim = column == NodesModel::OutputType ||
                   (status == NodeStatus::Same &&
                    (column == NodesModel::Status || column == NodesModel::Largest || column == NodesModel::Elements));
  painter->setFont(font);
  painter->setPen(theme().color(dim ? Role::Secondary : Role::Text));
  const auto alignment = static_cast<Qt::Alignment>(index.data(Qt::TextAlignmentRole).toInt());
  painter->drawText(placed(option, rect), nameFlags(*painter, alignment),
                    QFontMetrics(font).elidedText(index.data().toString(),
                                                  column == NodesModel::Node ? Qt::ElideMiddle : Qt::ElideRight,
                                                  rect.width()));
  painter->restore();
}

} // namespace blobscope::ui
