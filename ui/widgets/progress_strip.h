#pragma once

#include <QTimer>
#include <QWidget>

class QProgressBar;

namespace blobscope::ui {

class ThemeLabel;
class LinkButton;

/// Shows work that takes longer than 150 ms: a bar of 3 pixels, the task and its progress, and Cancel.
class ProgressStrip : public QWidget {
  Q_OBJECT
public:
  explicit ProgressStrip(QWidget* parent = nullptr);
  /// Work has started; the strip appears after 150 ms.
  void begin(const QString& what);
  /// `total` 0: unknown.
  void showProgress(const QString& what, quint64 done, quint64 total);
  void end();
  bool isBusy() const { return m_busy; }

Q_SIGNALS:
  void cancelled();

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  bool m_busy = false;
  double m_share = -1; ///< negative when it is not known
  QTimer m_delay;
  ThemeLabel* m_text;
  LinkButton* m_cancel;
};

} // namespace blobscope::ui
