#include "ui/window/saving.h"

#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/library/node.h"
#include "core/library/open.h"
#include "core/write/export_folder.h"
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

/// The result of saving: a sentence, or nothing.
struct Saved {
  std::string note;
};

} // namespace

Saving::Saving(Document& document, Banner& banner, QWidget* window)
    : QObject(window), m_document(document), m_banner(banner), m_window(window) {}

QString Saving::suggestedName(const Ref& ref) {
  QString name = ref.kind == Ref::Kind::Module ? QStringLiteral("m%1").arg(ref.module) : nameToQt(ref.name);
  if (ref.kind == Ref::Kind::Blob) name = QStringLiteral("blob");
  for (const Ref::Part& part : ref.parts) name += QLatin1Char('-') + nameToQt(part.name);
  for (QChar& letter : name)
    if (QStringLiteral("/\\:*?\"<>|").contains(letter)) letter = QLatin1Char('_');
  // A name of dots is a folder, and a name that begins with a dot is hidden.
  if (name.startsWith(QLatin1Char('.'))) name[0] = QLatin1Char('_');
  return name.isEmpty() ? QStringLiteral("bytes") : name.left(100);
}

void Saving::askForBytes(const Ref& ref) {
  const QString path =
      QFileDialog::getSaveFileName(m_window, plainLine(tr("Save the bytes of %1").arg(toQt(ref.shown()))),
                                   suggestedName(ref) + QLatin1String(".bin"));
  if (!path.isEmpty()) saveBytes(ref, path);
}

void Saving::askForTensor(const Ref& ref) {
  const QString path =
      QFileDialog::getSaveFileName(m_window, tr("Save the tensor as a NumPy file"),
                                   suggestedName(ref) + QLatin1String(".npy"), tr("NumPy files (*.npy)"));
  if (!path.isEmpty()) saveTensor(ref, path);
}

void Saving::askForFolder() {
  const QString above = QFileDialog::getExistingDirectory(m_window, tr("Select where to create the export folder"));
  if (above.isEmpty()) return;
  const QString base = QFileInfo(m_document.path()).completeBaseName() + QLatin1String("-parts");
  QString name = base;
  for (int number = 2; QFileInfo::exists(QDir(above).filePath(name)); ++number)
    name = QStringLiteral("%1-%2").arg(base).arg(number);
  saveFolder(QDir(above).filePath(name));
}

void Saving::saveBytes(const Ref& ref, const QString& path) { saveNode(ref, path, Form::AsStored); }
void Saving::saveTensor(const Ref& ref, const QString& path) { saveNode(ref, path, Form::Npy); }

void Saving::saveNode(const Ref& ref, const QString& path, Form form) {
  if (!m_document.state()) return;
  m_document.jobs().start<Saved>(
      kTag,
      [package = m_document.state()->package, ref, target = fromQt(path), source = fromQt(m_document.path()),
       form](Monitor& monitor) -> Result<Saved> {
        BLOBSCOPE_TRY(node, library::findNode(*package, ref, monitor));
        if (!node.bytes)
          return Error(DiagnosticId::RefNoBytes, {arg("ref", ref.toString()), {"reason", node.whyNoBytes}}, ref);
        Saved saved;
        if (form == Form::Npy) {
          BLOBSCOPE_TRY(npy, library::toNpy(node));
          node.bytes = std::move(npy.bytes);
          saved.note = std::move(npy.note);
        }
        BLOBSCOPE_TRY(out, OutputFile::create(target, {{source}}));
        BLOBSCOPE_CHECK(out.write(*node.bytes, monitor));
        BLOBSCOPE_CHECK(library::checkUnchanged(*package));
        BLOBSCOPE_CHECK(out.commit());
        return saved;
      },
      [guard = QPointer<Saving>(this), path](Result<Saved> saved) {
        if (!guard) return;
        if (saved)
          guard->showSaved(path, toQt(saved->note));
        else
          guard->showFailure(path, saved.error());
      });
}

void Saving::saveFolder(const QString& path) {
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
