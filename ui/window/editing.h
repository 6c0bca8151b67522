#pragma once

#include "core/base/json.h"
#include "core/base/ref.h"
#include "core/edit/rules.h"
#include "ui/session/document.h"
#include "ui/window/actions.h"

#include <QObject>
#include <QString>

#include <functional>

class QWidget;

namespace blobscope::ui {

class Banner;
class RepackDialog;

/// The actions that change what is opened: asks what they need to know, makes edits of the answers, and says in the
/// banner what could not be done. Refs name the tree as it is shown.
class Editing : public QObject {
  Q_OBJECT
public:
  /// `selection` is what the actions are about. `window` is the parent of dialogs.
  Editing(Document& document, Banner& banner, const Actions& actions, std::function<Ref()> selection, QWidget* window);

  /// Why the action cannot be done on that, a sentence; empty when it can.
  QString why(ActionId action, const Ref& ref) const;
  /// After the selection or the document changed.
  void updateActions();
  /// The actions that fit the node, for a context menu.
  QList<QAction*> fitting(const Ref& ref) const;

  void askForFile(const Ref& ref);
  void replaceWithFile(const Ref& ref, const QString& path);
  /// Opens a dialog with the text once it was read.
  void editText(const Ref& ref);
  void setField(const Ref& field, const json::Value& value);
  void askForName(const Ref& ref);
  /// Asks first when other code of the file looks up the old name.
  void rename(const Ref& ref, const QString& name);
  /// Asks only when something else would hang in the air.
  void remove(const Ref& ref);
  void askForModule(const Ref& ref);
  void addModule(const Ref& parent, const QString& key, const QString& path);
  void askForImports(const Ref& ref);
  void setImports(const Ref& ref, const std::vector<Ref>& imports);
  /// Hangs a module below another parent, and takes it from `from` when that is given.
  void hang(const Ref& module, const Ref& parent, const std::optional<Ref>& from);

  /// The dialog that writes the file; `overItself`: the file itself is the target.
  void openRepack(bool overItself);
  /// Asks what is to become of changes that no file has. False: the window stays.
  bool mayClose();

Q_SIGNALS:
  void openRequested(const QString& path);

private:
  /// Offers to keep the old name; `callers`: a sentence for each call that would fail.
  void askAboutCallers(const Ref& ref, const QString& name, const QStringList& callers);
  void renameNow(const Ref& ref, const QString& name);
  /// Deletes itself when it is closed.
  RepackDialog* makeRepackDialog(bool overItself);
  struct Found;
  Found find(const Ref& ref) const;
  /// What a dialog that edits a text needs.
  struct Text;
  static Result<Bytes> findText(const library::Package& package, const Ref& ref, Monitor& monitor, Text& text);
  static void readText(const Bytes& bytes, Text& out);
  void openText(const Text& text);
  void connectDocument();
  void removeWith(const Ref& ref, edit::Orphans orphans);
  /// "cuda, m2".
  QString nameOf(const Ref& ref) const;
  void showMessage(const QString& bold, const QString& plain);

  Document& m_document;
  Banner& m_banner;
  const Actions& m_actions;
  std::function<Ref()> m_selection;
  QWidget* m_window;
  bool m_refused = false; ///< the edits did not fit the file on disk when it was last read
};

} // namespace blobscope::ui
