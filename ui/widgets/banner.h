#pragma once

#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"

#include <QVector>

#include <functional>

namespace blobscope::ui {

/// One state in a line: a bar, an icon, a bold sentence, a plain one, at most two actions. Stays until it is answered;
/// answering hides it.
class Banner : public Panel {
  Q_OBJECT
public:
  enum class Kind { Ok, Note, Warning, Error };
  struct Action {
    QString text;
    std::function<void()> run;
    bool stays = false; ///< the banner is still true afterwards
  };

  explicit Banner(QWidget* parent = nullptr);
  /// Shows a message in place of the one before; returns its number.
  int tell(Kind kind, const QString& bold, const QString& plain, const QVector<Action>& actions = {});
  /// Hides the message of that number, whose cause is gone; another one stays.
  void withdraw(int number);
  Kind kind() const { return m_kind; }
  QString text() const { return m_bold->text() + QLatin1Char(' ') + m_plain->text(); }

private:
  Kind m_kind = Kind::Note;
  int m_number = 0; ///< of the message that is shown
  IconLabel* m_icon;
  ThemeLabel *m_bold, *m_plain;
  QWidget* m_actions;
};

} // namespace blobscope::ui
