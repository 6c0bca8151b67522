#include "ui/widgets/boxes.h"

#include "ui/text/plain_text.h"

#include <QFontMetrics>
#include <QLabel>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kMaximumWidth = 640;

/// Also covers labels for which the dialog has no setter.
void makePlain(QWidget& box) {
  for (QLabel* const label : box.findChildren<QLabel*>()) label->setTextFormat(Qt::PlainText);
}

} // namespace

QMessageBox* makeMessageBox(QMessageBox::Icon icon, const QString& title, const QString& text, const QString& more,
                            QMessageBox::StandardButtons buttons, QWidget* parent) {
  auto* const box = new QMessageBox(parent);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText); // before there is text: AutoText would lay out rich text immediately
  box->setIcon(icon);
  box->setWindowTitle(plainLine(title));
  box->setText(plainBlock(text));
  // The label of the informative text only exists once there is a text; a short placeholder is laid out quickly.
  if (!more.isEmpty()) {
    box->setInformativeText(QStringLiteral("-"));
    makePlain(*box);
    const QString lines = plainBlock(more);
    // The box makes this label narrower than the other one and would break the lines again.
    if (auto* const label = box->findChild<QLabel*>(QStringLiteral("qt_msgbox_informativelabel")))
      label->setMinimumWidth(std::min(label->fontMetrics().size(0, lines).width() + 8, kMaximumWidth));
    box->setInformativeText(lines);
  }
  box->setStandardButtons(buttons);
  return box;
}

QInputDialog* makeTextInput(const QString& title, const QString& label, const QString& value, QWidget* parent) {
  auto* const dialog = new QInputDialog(parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(plainLine(title));
  dialog->setLabelText(QStringLiteral("-"));
  dialog->setTextValue(value); // creates the widgets
  makePlain(*dialog);
  dialog->setLabelText(plainBlock(label));
  return dialog;
}

std::optional<int> askForNumber(const QString& title, const QString& label, int value, int minimum, int maximum,
                                QWidget* parent) {
  bool ok = false;
  const int number = QInputDialog::getInt(parent, plainLine(title), plainTip(label), value, minimum, maximum, 1, &ok);
  return ok ? std::optional(number) : std::nullopt;
}

void showAbout(const QString& title, const QString& html, QWidget* parent) { QMessageBox::about(parent, title, html); }

} // namespace blobscope::ui
