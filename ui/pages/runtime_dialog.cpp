#include "ui/pages/runtime_dialog.h"

#include <QCoreApplication>
#include <QFileDialog>

namespace blobscope::ui {
namespace {

class RuntimeDialog {
  Q_DECLARE_TR_FUNCTIONS(blobscope::ui::RuntimeDialog)
public:
  static void open(QWidget* parent, bool folder, const std::function<void(const QString&)>& chosen) {
    auto* const dialog =
        new QFileDialog(parent, folder ? tr("Select the folder of a TVM runtime, or a Python environment")
                                       : tr("Select a TVM runtime"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
    if (folder)
      dialog->setOption(QFileDialog::ShowDirsOnly);
    else
      dialog->setNameFilter(tr("Runtimes (*.so *.so.* *.dll *.dylib *.wasm *.apk *.ipa *.whl);;All files (*)"));
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, chosen);
    dialog->open();
  }
};

} // namespace

void askForRuntimeFile(QWidget* parent, const std::function<void(const QString&)>& chosen) {
  RuntimeDialog::open(parent, false, chosen);
}

void askForRuntimeFolder(QWidget* parent, const std::function<void(const QString&)>& chosen) {
  RuntimeDialog::open(parent, true, chosen);
}

} // namespace blobscope::ui
