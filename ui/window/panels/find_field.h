#pragma once

#include <QAbstractButton>

namespace blobscope::ui {

/// Looks like a search field and opens the command palette.
class FindField : public QAbstractButton {
  Q_OBJECT
public:
  FindField(const QString& text, const QString& shortcut, QWidget* parent = nullptr);
  QSize sizeHint() const override { return {320, 28}; }
  QSize minimumSizeHint() const override { return {40, 28}; }

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  QString m_shortcut;
};

} // namespace blobscope::ui
