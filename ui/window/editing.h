#pragma once

#include "core/base/json.h"
#include "core/base/ref.h"
#include "core/edit/images.h"
#include "core/edit/rules.h"
#include "ui/session/document.h"
#include "ui/window/actions.h"

#include <QObject>
#include <QString>

#include <functional>

class QWidget;

namespace blobscope::ui {

class Banner;
class PageWidget;
class RepackDialog;

/// The actions that change the opened file: asks for the required input, turns it into edits, and shows in the banner
/// what could not be done. Refs name the tree as it is shown.
class Editing : public QObject {
  Q_OBJECT
public:
  /// `selection` returns what the actions apply to, nullopt for a list of parts; `page` the current page, or null.
  /// `window` is the parent of dialogs.
  Editing(Document& document, Banner& banner, const Actions& actions, std::function<std::optional<Ref>()> selection,
          std::function<PageWidget*()> page, QWidget* window);

  /// Returns why the action is not possible for `ref`, as a sentence; empty when it is possible.
  QString why(ActionId action, const std::optional<Ref>& ref) const;
  /// Called after the selection or the document has changed.
  void updateActions();
  /// Returns the actions that apply to the node, for a context menu.
  QList<QAction*> fitting(const Ref& ref) const;

  void askForFile(const Ref& ref);
  void replaceWithFile(const Ref& ref, const QString& path);
  /// Replaces the bytes of a kernel or a text field.
  void setBytes(const Ref& ref, const Bytes& bytes);
  /// Overwrites bytes of a module, as one change: runs with their offsets in the payload as it is shown.
  void overwrite(const Ref& module, const std::vector<std::pair<uint64_t, Bytes>>& runs);
  void setField(const Ref& field, const json::Value& value);
  /// Sets values of tensors as one change.
  void setValues(const std::vector<edit::SetValue>& values);
  /// Stores compiled code; the refs of the edits name the current tree.
  void storeCode(const std::vector<edit::Edit>& edits);
  /// Reverts all changes of this place.
  void revertAt(const Ref& ref);
  void askForName(const Ref& ref);
  /// Asks first if other code of the file looks up the old name.
  void rename(const Ref& ref, const QString& name);
  /// Asks only if other modules would no longer be imported.
  void remove(const Ref& ref);
  void askForModule(const Ref& ref);
  void addModule(const Ref& parent, const QString& key, const QString& path);
  /// Adds a file to the innermost archive around `ref`.
  void askForMember(const Ref& ref);
  void addMember(const Ref& archive, const QString& path, const QString& file);
  void askForImports(const Ref& ref);
  void setImports(const Ref& ref, const std::vector<Ref>& imports);
  /// Makes `parent` import the module and, if `from` is given, removes the import by `from`.
  void reparent(const Ref& module, const Ref& parent, const std::optional<Ref>& from);

  /// Asks which images to keep: of the module that `ref` names or is in, if it has a fat binary, else of its blob or of
  /// the whole file.
  void askForImages(const std::optional<Ref>& ref);
  /// Removes images as one change.
  void removeImages(const std::vector<Ref>& images);

  /// Asks for which GPUs to compile the PTX of the fat binaries that `ref` means as in askForImages().
  void askForArchitectures(const std::optional<Ref>& ref);
  /// Compiles it and adds the images as one change.
  void addImages(const std::vector<edit::FatBinary>& binaries, const std::vector<std::string>& architectures);

  /// Opens the dialog that writes the file; `overItself`: the target is the opened file.
  void openRepack(bool overItself);
  /// Asks what to do with unsaved changes, after those in progress are made. `refused`: whether a typed text was
  /// refused and would be lost. Returns false when the window must stay open.
  bool mayClose(const std::function<bool()>& refused);

Q_SIGNALS:
  void openRequested(const QString& path);
  /// The user wants to edit the text of this part.
  void textRequested(const Ref& ref);

private:
  /// Offers to keep the old name; `callers`: a sentence for each call that would fail.
  void askAboutCallers(const Ref& ref, const QString& name, const QStringList& callers);
  void renameNow(const Ref& ref, const QString& name);
  /// Returns a dialog that deletes itself when it is closed.
  RepackDialog* makeRepackDialog(bool overItself);
  struct Found;
  Found find(const Ref& ref) const;
  void connectDocument();
  void removeWith(const Ref& ref, edit::Orphans orphans);
  /// Returns "cuda, m2".
  QString nameOf(const Ref& ref) const;
  void showMessage(const QString& bold, const QString& plain);

  Document& m_document;
  Banner& m_banner;
  const Actions& m_actions;
  std::function<std::optional<Ref>()> m_selection;
  std::function<PageWidget*()> m_page;
  QWidget* m_window;
  bool m_refused = false; ///< the edits did not fit the file on disk when it was last read
};

} // namespace blobscope::ui
