#pragma once

#include "core/base/ref.h"
#include "ui/session/document.h"

#include <QObject>
#include <QString>
#include <QVector>

#include <cstdint>
#include <memory>

class QMimeData;

namespace blobscope::ui {

class Banner;

/// The files of parts that the user drags out of the window. They contain what `extract` writes, are in a private
/// folder, and are removed when the program ends.
class PartFiles : public QObject {
  Q_OBJECT
public:
  /// Parts up to this size are written while they are dragged; larger ones before, with progress.
  static constexpr uint64_t kAtOnce = uint64_t{32} << 20;

  PartFiles(Document& document, Banner& banner, QObject* parent);
  ~PartFiles() override;
  /// Returns the data of a drag: the file of the part, which is being written; it is ready at the latest when its place
  /// is requested. Null for a large part: it is written first, then the banner says that it can be dragged.
  std::unique_ptr<QMimeData> dragOf(const Ref& part, uint64_t size);
  /// Shows in the banner why the dragged part could not be written, if that is so.
  void showFailure(const QMimeData& data);
  static QString tag() { return QStringLiteral("drag"); }

private:
  /// A file that is ready.
  struct Ready {
    std::weak_ptr<const library::Package> package;
    Ref part;
    QString path;
  };
  QString readyFile(const Ref& part) const;
  /// Returns where to write the file; empty if there is no folder for it.
  QString newPath(const Ref& part) const;
  void writeFirst(const Ref& part, const QString& path);

  Document& m_document;
  Banner& m_banner;
  QVector<Ready> m_ready;
};

} // namespace blobscope::ui
