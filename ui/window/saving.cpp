#include "ui/window/saving.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/describe/page_picture.h"
#include "core/run/archive.h"
#include "core/write/export_folder.h"
#include "ui/session/part_file.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/widgets/banner.h"

#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QUrl>

namespace blobscope::ui {
namespace {

const QString kTag = QStringLiteral("save");

} // namespace

Saving::Saving(Document& document, Banner& banner, QWidget* window)
    : QObject(window), m_document(document), m_banner(banner), m_window(window) {}

void Saving::askForBytes(const Ref& ref) {
  const QString path = QFileDialog::getSaveFileName(
      m_window, plainLine(tr("Save the bytes of %1").arg(toQt(ref.shown()))), partFileName(ref));
  if (!path.isEmpty()) saveBytes(ref, path);
}

void Saving::askForTensor(const Ref& ref) {
  const QString path = QFileDialog::getSaveFileName(m_window, tr("Save the tensor as a NumPy file"),
                                                    partName(ref) + QLatin1String(".npy"), tr("NumPy files (*.npy)"));
  if (!path.isEmpty()) saveTensor(ref, path);
}

void Saving::askForPicture(const Ref& ref, const view::Page& page) {
  const QString name =
      safeFileName(partName(ref) + QLatin1Char('-') + toQt(page.name).toLower() + QLatin1String(".svg"));
  const QString path = QFileDialog::getSaveFileName(m_window, tr("Save the picture"), name, tr("SVG files (*.svg)"));
  if (!path.isEmpty()) savePicture(ref, page, path);
}

QString Saving::newFolder(const QString& title, QLatin1String ending) const {
  const QString above = QFileDialog::getExistingDirectory(m_window, title);
  if (above.isEmpty()) return {};
  const QString base = QFileInfo(m_document.path()).completeBaseName() + ending;
  QString name = base;
  for (int number = 2; QFileInfo::exists(QDir(above).filePath(name)); ++number)
    name = QStringLiteral("%1-%2").arg(base).arg(number);
  return QDir(above).filePath(name);
}

void Saving::askForFolder() {
  const QString path = newFolder(tr("Select where to create the export folder"), QLatin1String("-parts"));
  if (!path.isEmpty()) saveFolder(path);
}

void Saving::askForLibrary() {
  const QString path = newFolder(tr("Select where to create the folder of the library"), QLatin1String("-library"));
  if (!path.isEmpty()) m_document.afterEdits([this, path] { buildLibrary(path); });
}

void Saving::buildLibrary(const QString& path) {
  if (!m_document.state()) return;
  m_document.jobs().start<std::filesystem::path>(
      kTag,
      [package = m_document.state()->package, target = pathFrom(fromQt(path))](Monitor& monitor) {
        return run::buildArchiveIn(package, target, monitor);
      },
      [guard = QPointer<Saving>(this), path](const Result<std::filesystem::path>& library) {
        if (!guard) return;
        if (!library) {
          guard->showFailure(path, library.error());
          return;
        }
        guard->showSaved(path, tr("The library opens in another window, where its model can be run."));
        Q_EMIT guard->libraryBuilt(toQt(pathText(*library)));
      });
}

void Saving::saveBytes(const Ref& ref, const QString& path) {
  m_document.afterEdits([this, ref, path] { saveNode(ref, path, PartForm::AsStored); });
}

void Saving::saveTensor(const Ref& ref, const QString& path) {
  m_document.afterEdits([this, ref, path] { saveNode(ref, path, PartForm::Npy); });
}

void Saving::saveNode(const Ref& ref, const QString& path, PartForm form) {
  if (!m_document.state()) return;
  m_document.jobs().start<std::string>(
      kTag,
      [package = m_document.state()->package, ref, target = fromQt(path), source = fromQt(m_document.path()),
       form](Monitor& monitor) { return writePart(*package, ref, form, target, {{source}}, true, monitor); },
      [guard = QPointer<Saving>(this), path](const Result<std::string>& note) {
        if (!guard) return;
        if (note)
          guard->showSaved(path, toQt(*note));
        else
          guard->showFailure(path, note.error());
      });
}

void Saving::savePicture(const Ref& ref, const view::Page& page, const QString& path) {
  const QString title = partName(ref) + QLatin1String(", ") + toQt(page.name);
  m_document.jobs().start<uint64_t>(
      kTag,
      [page, title = fromQt(title), target = fromQt(path),
       source = fromQt(m_document.path())](Monitor& monitor) -> Result<uint64_t> {
        BLOBSCOPE_TRY(text, describe::pagePicture(page, title, monitor));
        BLOBSCOPE_CHECK(writeFile(pathFrom(target), {{pathFrom(source)}}, Bytes::copyOf(text), monitor));
        return uint64_t{text.size()};
      },
      [guard = QPointer<Saving>(this), path](Result<uint64_t> size) {
        if (!guard) return;
        if (size)
          guard->showSaved(path, toQt(sizeText(*size)));
        else
          guard->showFailure(path, size.error());
      });
}

void Saving::saveFolder(const QString& path) {
  m_document.afterEdits([this, path] { saveAll(path); });
}

void Saving::saveAll(const QString& path) {
  if (!m_document.state()) return;
  m_document.jobs().start<write::ExportResult>(
      kTag,
      [package = m_document.state()->package, target = fromQt(path)](Monitor& monitor) {
        return write::exportFolder(package, target, monitor);
      },
      [guard = QPointer<Saving>(this), path](Result<write::ExportResult> done) {
        if (!guard) return;
        if (done)
          guard->showSaved(path,
                           tr("%n file(s), %1.", nullptr, pluralCount(done->files)).arg(toQt(sizeText(done->bytes))));
        else
          guard->showFailure(path, done.error());
      });
}

void Saving::showSaved(const QString& path, const QString& note) {
  const QFileInfo info(path);
  const QString folder = info.isDir() ? info.absoluteFilePath() : info.absolutePath();
  m_banner.showMessage(
      Banner::Kind::Ok, tr("Saved %1.").arg(info.fileName()), note,
      {{tr("Open the folder"), [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); }, true},
       {tr("Close"), [] {}}});
}

void Saving::showFailure(const QString& path, const Error& error) {
  m_banner.showMessage(Banner::Kind::Error, tr("%1 was not saved.").arg(QFileInfo(path).fileName()),
                       toQt(error.message()), {{tr("Close"), [] {}}});
}

} // namespace blobscope::ui
