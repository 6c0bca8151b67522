#pragma once

#include "ui/theme/theme.h"
#include "ui/widgets/labels.h"

#include <QVector>

#include <functional>

namespace blobscope::ui {

/// A message in one line: a bar, an icon, a bold sentence, a plain one, and at most two actions. It is hidden when an
/// action is clicked, or earlier when its Lasts ends.
class Banner : public Panel {
  Q_OBJECT
public:
  enum class Kind { Ok, Note, Warning, Error };
  /// How long a message stays: until an action is clicked; until the file is edited (edits, undo and redo); until then
  /// or until another page or node is shown.
  enum class Lasts { UntilAnswered, UntilEdited, UntilMoved };
  struct Action {
    QString text;
    std::function<void()> run;
    bool stays = false; ///< the banner stays after a click
  };

  explicit Banner(QWidget* parent = nullptr);
  void showMessage(Kind kind, const QString& bold, const QString& plain, const QVector<Action>& actions = {},
                   Lasts lasts = Lasts::UntilAnswered);
  /// Shows a sentence about a page; an empty one hides the last.
  void showNote(const QString& text);
  /// Hides a message that no longer applies after an edit.
  void endEdited();
  /// Hides a message that no longer applies on another page.
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
