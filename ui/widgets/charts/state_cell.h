#pragma once

#include "core/view/page.h"
#include "ui/theme/theme.h"

#include <QWidget>

#include <vector>

namespace blobscope::ui {

/// How the states of targets look: shape and colour differ. Their words: stateText().
class StateCell {
public:
  using State = view::ChecklistPage::State;
  /// Paints a filled box with a tick, a circle, the number of the step, a flash, a question mark or a dash.
  static void paint(QPainter& painter, const QRectF& box, State state, unsigned step);
  /// Returns the icon and its colour for a step or a row.
  static QString iconName(State state);
  static Role role(State state);
  static Role background(State state);
};

/// Explains the boxes of the states.
class StateLegend : public QWidget {
  Q_OBJECT
public:
  explicit StateLegend(const std::vector<StateCell::State>& states, QWidget* parent = nullptr);
};

} // namespace blobscope::ui
