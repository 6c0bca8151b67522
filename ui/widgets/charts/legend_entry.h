#pragma once

#include "ui/theme/theme.h"

#include <QWidget>

namespace blobscope::ui {

/// A square in the colour of a part of a chart, and its name.
class LegendEntry : public QWidget {
  Q_OBJECT
public:
  LegendEntry(const QString& name, Role role, QWidget* parent = nullptr);

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  Role m_role;
};

} // namespace blobscope::ui
