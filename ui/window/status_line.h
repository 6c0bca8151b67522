#pragma once

#include "ui/session/document.h"

#include <QVector>
#include <QWidget>

class QHBoxLayout;

namespace blobscope::ui {

class ThemeLabel;

/// The bottom line of the window: container, architecture, era, host ABI, blob size, selection, coverage.
class StatusLine : public QWidget {
  Q_OBJECT
public:
  explicit StatusLine(QWidget* parent = nullptr);
  /// Null: no file is open.
  void setState(const Document::StatePtr& state);
  void setSelection(const QString& text);
  QString text() const;

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  void fit();

  QVector<QWidget*> m_parts; ///< of m_items, each with its rule; the last ones are hidden first
  QWidget* m_items = nullptr;
  QHBoxLayout* m_layout;
  ThemeLabel *m_selection, *m_hint;
  QWidget* m_coverage = nullptr;
};

} // namespace blobscope::ui
