#pragma once

#include "core/edit/apply.h"
#include "core/edit/describe.h"
#include "core/library/contents.h"
#include "core/library/locator.h"
#include "core/library/native.h"
#include "core/library/overview.h"
#include "core/library/package.h"
#include "core/mlf/check.h"
#include "ui/session/jobs.h"
#include "ui/session/journal.h"

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

/// What a window shows: one opened file with pending edits. Opening and editing run in the background; what is open
/// stays until the new state is there. Nothing here reads the file on the GUI thread.
class Document : public QObject {
  Q_OBJECT
public:
  explicit Document(QObject* parent = nullptr);
  ~Document() override;

  /// An opened state: the package and what was derived from it in the same job.
  struct State {
    library::PackagePtr package; ///< what is shown: the file with all edits
    library::PackagePtr opened;  ///< the file as it was opened; the same without edits
    std::vector<edit::Edit> edits;
    edit::Applied applied;                  ///< what the edits made of the blobs of `opened`
    std::vector<edit::Description> changes; ///< the edits in words, one each
    std::vector<library::ContentsRow> contents;
    library::Overview overview;
    std::shared_ptr<const check::Report> report; ///< of an archive by its rules, else what opening found; never null
    std::optional<library::Locator> locator;
    bool tellsSignatures = false; ///< functions of the file can tell their signatures when they are run
  };
  using StatePtr = std::shared_ptr<const State>;

  /// What opening a file may hold in memory, in bytes, as library::OpenOptions has it; nothing for the usual limit.
  void setMemoryLimit(std::optional<uint64_t> bytes) { m_memoryBytes = bytes; }
  std::optional<uint64_t> memoryLimit() const { return m_memoryBytes; }
  /// Starts to open `path`; opened(), failed() or cancelled() follows.
  void open(const QString& path);
  /// Opens the same path again. Pending edits are applied to it; when that cannot be done, refused() follows and what
  /// is shown stays.
  void reload() { open(m_path); }
  /// The same, and the pending edits are given up.
  void reloadWithoutEdits();
  void cancelOpening();
  bool isOpening() const { return m_jobs.isRunning(openTag()); }

  /// Null before the first file is open.
  const StatePtr& state() const { return m_state; }
  /// Whether the bytes that are shown may no longer be those that were opened: the file is too large to be held in
  /// memory, and others wrote to it. Asks the system, reads nothing.
  bool isUncertain() const;
  /// Whether others wrote to the file that is open, even when what is shown is what was opened. A file that took its
  /// name is another one. Asks the system, reads nothing.
  bool isOverwritten() const;
  /// Emits changedOnDisk() when the file on disk is another one than the one that is open. Asks the system, reads
  /// nothing.
  void checkDisk();
  /// Whether a test run of the file was begun since it was opened.
  bool wasExecuted() const { return m_executed; }
  library::ReadSignatures m_read;
  void markExecuted();
  /// What functions of the file told of themselves when it was run; null before. Edits keep it.
  const library::ReadSignatures& readSignatures() const { return m_read; }
  void setReadSignatures(library::ReadSignatures read);
  /// Whether the present state is a later one of the same path.
  bool isReloaded() const { return m_reloaded; }
  /// Path of what is open, empty before.
  const QString& path() const { return m_path; }
  const QString& openingPath() const { return m_openingPath; }
  Jobs& jobs() { return m_jobs; }
  static QString openTag() { return QStringLiteral("open"); }

  // --- editing: each change is made in the background, one after the other; edited() or editFailed() follows ---

  /// Knows what things that are shown are called in a list of edits.
  class Naming {
  public:
    explicit Naming(const State& state) : m_state(state) {}
    const State& state() const { return m_state; }
    /// REP-TARGET for what an edit added inside of a module.
    Result<edit::Target> target(const Ref& shown) const;

  private:
    const State& m_state;
  };
  /// Adds an edit that names things as opened. What repeats an earlier edit takes its place.
  void edit(edit::Edit edit);
  /// Adds an edit of something shown.
  void editShown(const Ref& shown, std::function<edit::Edit(edit::Target)> make);
  /// Adds edits that `make` gives when their turn has come. It runs in the background.
  using Make = std::function<Result<std::vector<edit::Edit>>(const Naming&)>;
  void editShown(Make make);
  /// Puts another list in place of the pending one; `text` names the step.
  void setEdits(std::vector<edit::Edit> edits, const QString& text);
  /// Takes back the edit of that number, whatever came after it.
  void revert(int index);
  void revertAll();
  void undo();
  void redo();
  void cancelEditing();
  bool isEditing() const { return m_jobs.isRunning(editTag()); }
  const QUndoStack& undoStack() const { return m_stack; }
  static QString editTag() { return QStringLiteral("edit"); }

  /// Whether there are changes that no file has.
  bool isModified() const { return m_state && !m_stack.isClean(); }
  /// The edits were written to `path`, apart from those in `left`. When that is the file itself, it is opened as it is
  /// now, and only `left` are pending.
  void markSaved(const QString& path, std::vector<edit::Edit> left = {});
  /// The pending edits are given up: nothing is kept for the next start.
  void discard();
  /// What a ref shown in `before` is called in the present state; nothing when it is gone.
  std::optional<Ref> follow(const State& before, const Ref& ref) const;
  /// Where a pending edit is to be seen in the present state: its place, the module that it adds, or what is left
  /// around what it takes away.
  Ref placeOf(int index) const;

Q_SIGNALS:
  void opening(const QString& path);
  void opened();
  void failed(const QString& path, const QString& message);
  void signaturesRead();
  /// wasExecuted() became true.
  void executed();
  void cancelled(const QString& path);
  /// The file on disk is no longer the one that is open.
  void changedOnDisk();
  /// An edit, undo or redo made another state of `before`.
  void edited(const Document::StatePtr& before);
  /// The state is as it was.
  void editFailed(const QString& message);
  /// The pending edits do not fit the file as it is on disk now; what is shown is the file as it was.
  void refused(const QString& message);
  void modifiedChanged(bool modified);
  /// An earlier run ended before these edits of the file were saved.
  void journalFound(const std::vector<edit::Edit>& edits);

private:
  /// A state that a step of the history leads to; saving puts the file as written in its place.
  struct Slot {
    StatePtr state;
  };
  class Step;
  struct Request {
    std::function<Result<std::vector<edit::Edit>>(const State&)> list; ///< null: undo or redo
    QString text;
    bool undo = false;
  };
  /// Size and time of a file, to tell its own writing from that of others.
  using Stamp = std::pair<qint64, qint64>;
  static Stamp stampOf(const QString& path);
  /// What a job that opens gives.
  struct Opened {
    StatePtr state;
    Stamp stamp;
    std::optional<std::string> refusal = {}; ///< why the pending edits do not fit it, without a state
  };

  /// `keep`: with the edits of the present state.
  void start(const QString& path, bool keep);
  void take(const Opened& fresh, const QString& path);
  void reopenSaved(std::vector<edit::Edit> written, std::vector<edit::Edit> left);
  void ask(Request request);
  void pump();
  void show(const std::shared_ptr<Slot>& slot);
  void watch();

  Jobs m_jobs;
  Journal m_journal;
  QFileSystemWatcher m_watcher;
  QUndoStack m_stack;
  std::shared_ptr<Slot> m_slot; ///< of the present state
  std::deque<Request> m_requests;
  StatePtr m_state, m_reported;
  std::optional<uint64_t> m_memoryBytes;
  QString m_path, m_openingPath;
  Stamp m_stamp;
  bool m_reloaded = false;
  bool m_executed = false;
};

} // namespace blobscope::ui
