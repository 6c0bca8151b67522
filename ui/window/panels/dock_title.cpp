#include "ui/window/panels/dock_title.h"

#include "ui/widgets/labels.h"
#include "ui/widgets/tool_button.h"

#include <QDockWidget>
#include <QHBoxLayout>

namespace blobscope::ui {

DockTitle::DockTitle(QDockWidget& dock, const QVector<QWidget*>& tools) : QWidget(&dock) {
  setFixedHeight(metrics::kDockTitle);
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(isRightToLeft() ? 4 : 12, 0, isRightToLeft() ? 12 : 4, 0);
  layout->setSpacing(0);
  auto* const label = new ThemeLabel(dock.windowTitle(), TextRole::Secondary, Role::Text, this);
  QFont font = label->font();
  font.setWeight(QFont::DemiBold);
  label->setFont(font);
  label->setTextInteractionFlags(Qt::NoTextInteraction); // dragging the title moves the dock
  layout->addWidget(label);
  layout->addStretch();
  for (QWidget* tool : tools) layout->addWidget(tool);
  layout->addWidget(
      toolButton(QStringLiteral("cancel"), tr("Close %1").arg(dock.windowTitle()), this, [&dock] { dock.hide(); }));
}

} // namespace blobscope::ui
