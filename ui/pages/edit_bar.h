#pragma once

#include "ui/theme/theme.h"

#include <QWidget>

class QToolButton;

namespace blobscope::ui {

class ThemeLabel;

/// The bar above a text that can be edited: what was changed, and the commands for it.
class EditBar : public QWidget {
  Q_OBJECT
public:
  explicit EditBar(QWidget* parent = nullptr);

  enum class State {
    Unchanged, ///< nothing was typed; the text may differ from the file as opened
    Typed,     ///< the text has changes that are not in the list of changes
    Applying   ///< they are being made a change of the document
  };
  /// `different`: the text can be compared with that of the file as opened.
  void setState(State state, bool different);
  bool showsDifferences() const;
  void setShowsDifferences(bool shows);

Q_SIGNALS:
  void applyRequested();
  void revertRequested();
  void differencesToggled(bool shown);

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  ThemeLabel* m_label;
  QToolButton *m_apply, *m_revert, *m_diff;
};

} // namespace blobscope::ui
