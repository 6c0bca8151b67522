#pragma once

#include "core/base/ref.h"
#include "ui/session/document.h"

#include <QObject>
#include <QString>

class QWidget;

namespace blobscope::ui {

class Banner;

/// Writes parts of the opened file into files of their own, in the background, and says in the banner what became of
/// it. What is cancelled or fails leaves nothing behind.
class Saving : public QObject {
  Q_OBJECT
public:
  /// `window` is the parent of dialogs.
  Saving(Document& document, Banner& banner, QWidget* window);

  /// Asks for a file and writes the bytes of the node.
  void askForBytes(const Ref& ref);
  /// The same as a NumPy file, for tensors.
  void askForTensor(const Ref& ref);
  /// Asks for a folder and writes everything into a new one in it.
  void askForFolder();

  void saveBytes(const Ref& ref, const QString& path);
  void saveTensor(const Ref& ref, const QString& path);
  void saveFolder(const QString& path);

  /// A file name for the node: "m2-add_kernel". Never a folder or a path, whatever the node is called.
  static QString suggestedName(const Ref& ref);

private:
  enum class Form { AsStored, Npy };
  void saveNode(const Ref& ref, const QString& path, Form form);
  void showSaved(const QString& path, const QString& note);
  void showFailure(const QString& path, const Error& error);

  Document& m_document;
  Banner& m_banner;
  QWidget* m_window;
};

} // namespace blobscope::ui
