#pragma once

#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"

#include <QVector>

#include <functional>

namespace blobscope::ui {

/// One state in a line: a bar, an icon, a bold sentence, a plain one, at most two actions. It is hidden when it is
/// answered, and before that when its Lasts is over.
class Banner : public Panel {
  Q_OBJECT
public:
  enum class Kind { Ok, Note, Warning, Error };
  /// How long a state is true: until it is answered; until the file is edited (edits, undo and redo); until then or
  /// until another page or node is shown.
  enum class Lasts { UntilAnswered, UntilEdited, UntilMoved };
  struct Action {
    QString text;
    std::function<void()> run;
    bool stays = false; ///< the banner is still true afterwards
  };

  explicit Banner(QWidget* parent = nullptr);
  void showMessage(Kind kind, const QString& bold, const QString& plain, const QVector<Action>& actions = {},
                   Lasts lasts = Lasts::UntilAnswered);
  /// Shows a sentence of a page; an empty one hides the last.
  void showNote(const QString& text);
  /// Hides what is no longer true after an edit.
  void endEdited();
  /// Hides what is no longer true on another page.
  void endMoved();
  Kind kind() const { return m_kind; }
  QString text() const { return m_bold->text() + QLatin1Char(' ') + m_plain->text(); }

private:
  Kind m_kind = Kind::Note;
  Lasts m_lasts = Lasts::UntilAnswered;
  IconLabel* m_icon;
  ThemeLabel *m_bold, *m_plain;
  QWidget* m_actions;
};

} // namespace blobscope::ui
