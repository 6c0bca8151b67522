#pragma once

#include <QWidget>

class QToolButton;

namespace blobscope::ui {

class ThemeLabel;

/// The bar above bytes that were changed: what was typed, with the commands for it, or what the byte at the cursor was.
class ByteBar : public QWidget {
  Q_OBJECT
public:
  explicit ByteBar(QWidget* parent = nullptr);

  enum class State {
    Hidden,
    Typed,    ///< bytes were typed that are not in the list of changes
    Applying, ///< they are being made a change of the document
    Changed   ///< the byte at the cursor differs from the file as opened
  };
  void setState(State state, const QString& text = {});
  State state() const { return m_state; }
  QString text() const;

Q_SIGNALS:
  void applyRequested();
  void revertRequested();

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  State m_state = State::Hidden;
  ThemeLabel* m_label;
  QToolButton *m_apply, *m_revert;
};

} // namespace blobscope::ui
