#include "ui/window/part_files.h"

#include "core/base/memory.h"
#include "core/base/path_text.h"
#include "ui/session/part_file.h"
#include "ui/text/plain_text.h"
#include "ui/widgets/banner.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QMimeData>
#include <QPointer>
#include <QTemporaryDir>
#include <QThreadPool>
#include <QUrl>

#include <chrono>
#include <future>

namespace blobscope::ui {
namespace {

using Written = Result<std::string>;

const QString kUris = QStringLiteral("text/uri-list");
/// Far longer than the bytes of PartFiles::kAtOnce need.
constexpr std::chrono::seconds kWait{20};

/// The folder of all files that are dragged out of any window. A child of the application, so that a program that got a
/// file can read it as long as Blobscope runs.
class DragFolder : public QObject {
public:
  explicit DragFolder(QObject* parent) : QObject(parent) { setObjectName(QStringLiteral("dragFolder")); }
  /// Returns the path of a new folder; empty if there is none.
  QString add() {
    const QString name = QString::number(++m_count);
    return m_folder.isValid() && QDir(m_folder.path()).mkdir(name) ? m_folder.filePath(name) : QString();
  }
  static DragFolder& ofApplication() {
    if (QObject* const made = qApp->findChild<QObject*>(QStringLiteral("dragFolder"), Qt::FindDirectChildrenOnly))
      return *static_cast<DragFolder*>(made);
    return *new DragFolder(qApp);
  }

private:
  QTemporaryDir m_folder; // readable by the user only
  int m_count = 0;
};

std::filesystem::path native(const QString& path) { return pathFrom(QFile::encodeName(path).toStdString()); }

/// The file of a part. Its place is given when the file is complete.
class PartMimeData : public QMimeData {
public:
  PartMimeData(QString path, std::shared_future<Written> written)
      : m_path(std::move(path)), m_written(std::move(written)) {}
  QString path() const { return m_path; }
  /// Returns the result; null while the file is being written.
  const Written* written() const {
    return m_written.wait_for(std::chrono::seconds(0)) == std::future_status::ready ? &m_written.get() : nullptr;
  }
  QStringList formats() const override { return QMimeData::formats() << kUris; }
  bool hasFormat(const QString& type) const override { return type == kUris || QMimeData::hasFormat(type); }

protected:
  QVariant retrieveData(const QString& type, QMetaType wanted) const override {
    if (type != kUris) return QMimeData::retrieveData(type, wanted);
    if (m_written.wait_for(kWait) != std::future_status::ready || !m_written.get()) return {};
    return QVariantList{QUrl::fromLocalFile(m_path)};
  }

private:
  QString m_path;
  std::shared_future<Written> m_written;
};

} // namespace

PartFiles::PartFiles(Document& document, Banner& banner, QObject* parent)
    : QObject(parent), m_document(document), m_banner(banner) {}

PartFiles::~PartFiles() = default;

QString PartFiles::readyFile(const Ref& part) const {
  for (const Ready& file : m_ready)
    if (file.part == part && file.package.lock() == m_document.state()->package && QFileInfo::exists(file.path))
      return file.path;
  return {};
}

QString PartFiles::newPath(const Ref& part) const {
  const QString folder = DragFolder::ofApplication().add();
  if (folder.isEmpty()) return {};
  const bool whole = part == Ref::file();
  return folder + QLatin1Char('/') +
         (whole ? safeFileName(QFileInfo(m_document.path()).fileName()) : partFileName(part));
}

std::unique_ptr<QMimeData> PartFiles::dragOf(const Ref& part, uint64_t size) {
  if (!m_document.state()) return nullptr;
  std::promise<Written> promise;
  if (const QString path = readyFile(part); !path.isEmpty()) {
    promise.set_value(std::string());
    return std::make_unique<PartMimeData>(path, promise.get_future().share());
  }
  const QString path = newPath(part);
  if (path.isEmpty()) {
    m_banner.showMessage(Banner::Kind::Error, tr("The part cannot be dragged out of the window."),
                         tr("A folder for temporary files could not be created."), {{tr("Close"), [] {}}});
    return nullptr;
  }
  if (size > kAtOnce) {
    writeFirst(part, path);
    return nullptr;
  }
  auto data = std::make_unique<PartMimeData>(path, promise.get_future().share());
  m_ready.append({m_document.state()->package, part, path}); // counts once the file exists
  QThreadPool::globalInstance()->start([package = m_document.state()->package, part, target = native(path),
                                        shared = std::make_shared<std::promise<Written>>(std::move(promise))] {
    NullMonitor monitor;
    shared->set_value(
        withinMemory([&] { return writePart(*package, part, PartForm::AsStored, target, {}, false, monitor); }));
  });
  return data;
}

void PartFiles::writeFirst(const Ref& part, const QString& path) {
  const QString name = QFileInfo(path).fileName();
  m_document.jobs().start<std::string>(
      tag(),
      [package = m_document.state()->package, part, target = native(path)](Monitor& monitor) {
        return writePart(*package, part, PartForm::AsStored, target, {}, false, monitor);
      },
      [guard = QPointer<PartFiles>(this), package = std::weak_ptr(m_document.state()->package), part, path,
       name](const Written& written) {
        if (!guard) return;
        const QVector<Banner::Action> close = {{tr("Close"), [] {}}};
        if (!written) {
          guard->m_banner.showMessage(Banner::Kind::Error, tr("%1 was not written.").arg(name),
                                      toQt(written.error().message()), close);
          return;
        }
        guard->m_ready.append({package, part, path});
        guard->m_banner.showMessage(Banner::Kind::Ok, tr("%1 is ready.").arg(name),
                                    tr("Drag the part again to copy the file."), close, Banner::Lasts::UntilMoved);
      });
}

void PartFiles::showFailure(const QMimeData& data) {
  const auto* const part = dynamic_cast<const PartMimeData*>(&data);
  const Written* const written = part ? part->written() : nullptr;
  if (!written || *written) return;
  m_banner.showMessage(Banner::Kind::Error, tr("%1 was not written.").arg(QFileInfo(part->path()).fileName()),
                       toQt(written->error().message()), {{tr("Close"), [] {}}});
}

} // namespace blobscope::ui
