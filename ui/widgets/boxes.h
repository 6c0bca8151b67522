#pragma once

#include <QInputDialog>
#include <QMessageBox>

#include <optional>

namespace blobscope::ui {

/// Returns a message box that shows its texts as plain text, shortened and broken into lines that fit on the screen. It
/// deletes itself when it closes.
QMessageBox* makeMessageBox(QMessageBox::Icon icon, const QString& title, const QString& text, const QString& more,
                            QMessageBox::StandardButtons buttons, QWidget* parent);

/// Returns a box that asks for a text; the label is shown as in makeMessageBox(). It deletes itself when it closes.
QInputDialog* makeTextInput(const QString& title, const QString& label, const QString& value, QWidget* parent);

/// Asks for a number and waits for it; returns nullopt if the user cancels.
std::optional<int> askForNumber(const QString& title, const QString& label, int value, int minimum, int maximum,
                                QWidget* parent);

/// Shows the About box. `html` is our text and must not contain text of a file.
void showAbout(const QString& title, const QString& html, QWidget* parent);

} // namespace blobscope::ui
