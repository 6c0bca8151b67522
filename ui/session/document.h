#pragma once

#include "core/edit/apply.h"
#include "core/edit/describe.h"
#include "core/library/contents.h"
#include "core/library/locator.h"
#include "core/library/native.h"
#include "core/library/overview.h"
#include "core/library/package.h"
#include "core/mlf/check.h"
#include "ui/session/byte_notes.h"
#include "ui/session/jobs.h"
#include "ui/session/journal.h"
#include "ui/session/load_check.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QUndoStack>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace blobscope::ui {

/// The document of a window: one opened file with pending edits. Opening and editing run in the background; the current
/// state stays until the new one is ready. Nothing here reads the file on the GUI thread.
class Document : public QObject {
  Q_OBJECT
public:
  explicit Document(QObject* parent = nullptr);
  ~Document() override;

  /// A state of the file: the package and what was derived from it in the same job.
  struct State {
    library::PackagePtr package; ///< what is shown: the file with all edits
    library::PackagePtr opened;  ///< the file as it was opened; the same pointer without edits
    std::vector<edit::Edit> edits;
    edit::Applied applied;                  ///< the result of the edits for the blobs of `opened`
    std::vector<edit::Description> changes; ///< the edits in words, one for each edit
    std::vector<library::ContentsRow> contents;
    library::Overview overview;
    std::shared_ptr<const check::Report>
        report; ///< for an archive the result of its rules, else what opening found; never null
    std::optional<library::Locator> locator;
    bool returnsSignatures = false; ///< functions of the file can return their signatures when they are run
  };
  using StatePtr = std::shared_ptr<const State>;

  /// Limits the memory for opening a file, in bytes, as in library::OpenOptions; nullopt: the default limit.
  void setMemoryLimit(std::optional<uint64_t> bytes) { m_memoryBytes = bytes; }
  std::optional<uint64_t> memoryLimit() const { return m_memoryBytes; }
  /// Starts to open `path`; opened(), failed() or cancelled() follows.
  void open(const QString& path);
  /// Opens the same path again and applies the pending edits. If that is not possible, refused() follows and the
  /// current state stays.
  void reload() { open(m_path); }
  /// Opens the same path again and discards the pending edits.
  void reloadWithoutEdits();
  void cancelOpening();
  bool isOpening() const { return m_jobs.isRunning(openTag()); }

  /// Null until the first file is open.
  const StatePtr& state() const { return m_state; }
  /// Whether the displayed bytes may differ from the bytes that were opened: the file is too large for memory and
  /// another program wrote to it. Queries the file system; reads nothing.
  bool isUncertain() const;
  /// Whether another program wrote to the open file, even if the displayed bytes are still those that were opened. A
  /// file that replaced it under the same name does not count. Queries the file system; reads nothing.
  bool isOverwritten() const;
  /// Emits changedOnDisk() if the file on disk is not the open file any more. Queries the file system; reads nothing.
  void checkDisk();
  /// Whether a test run of the file was started since it was opened.
  bool wasExecuted() const { return m_executed; }
  void markExecuted();
  /// The signatures that functions of the file returned when they were run; null before. Edits keep them.
  const library::ReadSignatures& readSignatures() const { return m_read; }
  void setReadSignatures(library::ReadSignatures read);
  /// Whether the current state is a reload of the same path.
  bool isReloaded() const { return m_reloaded; }
  /// Path of the open file; empty before.
  const QString& path() const { return m_path; }
  const QString& openingPath() const { return m_openingPath; }
  Jobs& jobs() { return m_jobs; }
  /// The user's bookmarks and notes about the bytes of the open file.
  ByteNotes& notes() { return m_notes; }
  /// On which releases the current state loads.
  const LoadCheck& loadCheck() const { return m_loadCheck; }
  static QString openTag() { return QStringLiteral("open"); }

  // --- editing: each change is made in the background, one after the other; edited() or editFailed() follows ---

  /// Maps refs of the current tree to the names that a list of edits uses.
  class Naming {
  public:
    explicit Naming(const State& state) : m_state(state) {}
    const State& state() const { return m_state; }
    /// Returns REP-TARGET for something that an edit added inside a module.
    Result<edit::Target> target(const Ref& shown) const;

  private:
    const State& m_state;
  };
  /// Adds an edit whose refs name the tree as opened. It replaces an earlier edit of the same thing.
  void edit(edit::Edit edit);
  /// Adds an edit whose refs name the current tree.
  void editShown(const Ref& shown, std::function<edit::Edit(edit::Target)> make);
  /// Adds the edits that `make` returns. It is called in the background after all earlier edits. `text` names the undo
  /// step; by default, the last edit does.
  using Make = std::function<Result<std::vector<edit::Edit>>(const Naming&)>;
  void editShown(Make make, const QString& text = {});
  /// Replaces the pending list; `text` names the undo step.
  void setEdits(std::vector<edit::Edit> edits, const QString& text);
  /// Reverts the edit with this number and keeps the later ones.
  void revert(int index);
  void revertAll();
  void undo();
  void redo();
  /// Calls `run` when all requested changes are made, at once if none is in progress; never if one of them fails or is
  /// cancelled.
  void afterEdits(std::function<void()> run);
  void cancelEditing();
  bool isEditing() const { return m_jobs.isRunning(editTag()); }
  const QUndoStack& undoStack() const { return m_stack; }
  static QString editTag() { return QStringLiteral("edit"); }

  /// Whether there are unsaved changes.
  bool isModified() const { return m_state && !m_stack.isClean(); }
  /// The edits except `left` were written to `path`. If that is the opened file, it is opened again, and only `left`
  /// stays pending.
  void markSaved(const QString& path, std::vector<edit::Edit> left = {});
  /// Discards the pending edits: they are not offered at the next start.
  void discard();
  /// Returns the ref in the current state of something that was shown in `before`; nullopt if it no longer exists.
  std::optional<Ref> follow(const State& before, const Ref& ref) const;
  /// Returns where the pending edit is visible in the current state: its target, the module that it adds, or the parent
  /// of what it removes.
  Ref placeOf(int index) const;
  /// Returns that of every pending edit.
  std::vector<Ref> changedPlaces() const;

Q_SIGNALS:
  void opening(const QString& path);
  void opened();
  void failed(const QString& path, const QString& message);
  void signaturesRead();
  /// wasExecuted() became true.
  void executed();
  void cancelled(const QString& path);
  /// The file on disk is not the open file any more.
  void changedOnDisk();
  /// An edit, undo or redo replaced the state `before`.
  void edited(const Document::StatePtr& before);
  /// The state has not changed.
  void editFailed(const QString& message);
  /// The pending edits do not fit the file that is now on disk; the current state stays.
  void refused(const QString& message);
  void modifiedChanged(bool modified);
  /// An earlier session of the program ended before these edits of the file were saved.
  void journalFound(const std::vector<edit::Edit>& edits);

private:
  /// A state in the undo history; after saving, the written file replaces it.
  struct Slot {
    StatePtr state;
  };
  class Step;
  struct Request {
    std::function<Result<std::vector<edit::Edit>>(const State&)> list; ///< null: undo or redo
    QString text;
    bool undo = false;
  };
  /// Size and modification time of a file, to recognise files that this document wrote.
  using Stamp = std::pair<qint64, qint64>;
  static Stamp stampOf(const QString& path);
  /// The result of a job that opens a file.
  struct Opened {
    StatePtr state;
    Stamp stamp;
    std::optional<std::string> refusal = {}; ///< why the pending edits do not fit the file; there is no state then
  };

  /// `keep`: apply the edits of the current state.
  void start(const QString& path, bool keep);
  void take(const Opened& loaded, const QString& path);
  void reopenSaved(std::vector<edit::Edit> written, std::vector<edit::Edit> left);
  void ask(Request request);
  void pump();
  void show(const std::shared_ptr<Slot>& slot);
  void watch();

  Jobs m_jobs;
  LoadCheck m_loadCheck{m_jobs};
  Journal m_journal;
  ByteNotes m_notes{m_jobs};
  QFileSystemWatcher m_watcher;
  QUndoStack m_stack;
  std::shared_ptr<Slot> m_slot; ///< of the current state
  std::deque<Request> m_requests;
  std::vector<std::function<void()>> m_waiting; ///< for the end of the requests
  StatePtr m_state, m_reported;
  std::optional<uint64_t> m_memoryBytes;
  QString m_path, m_openingPath;
  Stamp m_stamp;
  bool m_reloaded = false;
  bool m_executed = false;
  library::ReadSignatures m_read;
};

} // namespace blobscope::ui
