#pragma once

#include <QInputDialog>
#include <QMessageBox>

#include <optional>

namespace blobscope::ui {

/// A message box that shows its texts as they are: never as rich text, cut and in lines that fit the screen. It deletes
/// itself when it closes.
QMessageBox* makeMessageBox(QMessageBox::Icon icon, const QString& title, const QString& text, const QString& more,
                            QMessageBox::StandardButtons buttons, QWidget* parent);

/// A box that asks for a text; the label is shown as in makeMessageBox(). It deletes itself when it closes.
QInputDialog* makeTextInput(const QString& title, const QString& label, const QString& value, QWidget* parent);

/// Asks for a number and waits for it; nothing when the user cancels.
std::optional<int> askForNumber(const QString& title, const QString& label, int value, int least, int most,
                                QWidget* parent);

/// The box about this program. `html` is ours and holds no text of a file.
void showAbout(const QString& title, const QString& html, QWidget* parent);

} // namespace blobscope::ui
