#pragma once

#include "core/base/ref.h"
#include "core/view/page.h"
#include "ui/session/document.h"
#include "ui/session/part_file.h"

#include <QObject>
#include <QString>

class QWidget;

namespace blobscope::ui {

class Banner;

/// Writes parts of the opened file to separate files in the background, and reports the result in the banner. A
/// cancelled or failed write leaves no file behind.
class Saving : public QObject {
  Q_OBJECT
public:
  /// `window` is the parent of dialogs.
  Saving(Document& document, Banner& banner, QWidget* window);

  /// Asks for a file and writes the bytes of the node.
  void askForBytes(const Ref& ref);
  /// Does the same for a tensor, as a NumPy file.
  void askForTensor(const Ref& ref);
  /// Does the same for the picture of a page of the node, as an SVG file.
  void askForPicture(const Ref& ref, const view::Page& page);
  /// Asks for a folder and exports everything into a new folder in it.
  void askForFolder();

  void saveBytes(const Ref& ref, const QString& path);
  void saveTensor(const Ref& ref, const QString& path);
  void savePicture(const Ref& ref, const view::Page& page, const QString& path);
  void saveFolder(const QString& path);
  /// Asks for a folder, and builds the library of a Model Library Format archive in a new folder in it.
  void askForLibrary();
  void buildLibrary(const QString& path);

Q_SIGNALS:
  /// buildLibrary() has written the library at `path`.
  void libraryBuilt(const QString& path);

private:
  /// Asks for a folder and returns the path of a new one in it; empty when the user cancels.
  QString newFolder(const QString& title, QLatin1String ending) const;
  void saveNode(const Ref& ref, const QString& path, PartForm form);
  void saveAll(const QString& path);
  void showSaved(const QString& path, const QString& note);
  void showFailure(const QString& path, const Error& error);

  Document& m_document;
  Banner& m_banner;
  QWidget* m_window;
};

} // namespace blobscope::ui
