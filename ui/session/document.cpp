#include "ui/session/document.h"

#include "core/base/path_text.h"
#include "core/describe/node.h"
#include "core/edit/edit_json.h"
#include "core/edit/overwrite.h"
#include "core/edit/preview.h"
#include "core/edit/rules.h"
#include "core/library/open.h"
#include "core/mlf/archive.h"
#include "core/write/preview.h"
#include "ui/session/edit_list.h"
#include "ui/text/plain_text.h"

#include <QDateTime>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <array>

namespace blobscope::ui {
namespace {

using StatePtr = Document::StatePtr;

/// Computes everything that is derived from a file and its edits.
Result<StatePtr> computeState(const library::PackagePtr& opened, std::vector<edit::Edit> edits, Monitor& monitor) {
  auto state = std::make_shared<Document::State>();
  state->package = state->opened = opened;
  if (!edits.empty()) {
    const edit::ApplyOptions options;
    BLOBSCOPE_TRY(applied, edit::apply(opened, edits, options, monitor));
    BLOBSCOPE_TRY(package, write::preview(opened, applied, monitor));
    for (const edit::Edit& one : edits) {
      BLOBSCOPE_TRY(words, edit::describe(opened, one, options, monitor));
      state->changes.push_back(std::move(words));
    }
    state->applied = std::move(applied);
    state->package = std::move(package);
    state->edits = std::move(edits);
  }
  state->contents = library::contentsOf(*state->package);
  BLOBSCOPE_TRY(archive, mlf::readArchive(state->package, monitor));
  state->report = archive ? std::shared_ptr<const check::Report>(archive, &archive->report)
                          : std::make_shared<const check::Report>(mlf::foundWhileOpening(*state->package));
  if (archive) {
    std::vector<library::FindingPlace> found;
    for (const check::Issue& issue : archive->report.issues)
      found.push_back({issue.ref.value_or(Ref::file()), issue.severity});
    library::markSeverities(state->contents, found);
  }
  BLOBSCOPE_TRY(overview, describe::overviewOf(*state->package, archive.get(), monitor));
  state->overview = std::move(overview);
  state->locator.emplace(*state->package);
  state->returnsSignatures = library::hasMetadata(*state->package);
  return StatePtr(std::move(state));
}

/// Describes the change by which two lists differ.
QString changeText(const Document::State& before, const Document::State& after) {
  if (after.changes.empty()) return Document::tr("Revert all changes");
  for (std::size_t i = 0; i < after.changes.size(); ++i) {
    const edit::Description& now = after.changes[i];
    if (i < before.changes.size() && before.changes[i].what == now.what && before.changes[i].after == now.after)
      continue;
    return toQt(now.what);
  }
  return toQt(after.changes.back().what);
}

} // namespace

/// A step of the undo history: from one state to the next, both already computed.
class Document::Step : public QUndoCommand {
public:
  Step(Document& document, std::shared_ptr<Slot> before, std::shared_ptr<Slot> after, const QString& text)
      : QUndoCommand(text), m_document(document), m_before(std::move(before)), m_after(std::move(after)) {}
  void undo() override { m_document.show(m_before); }
  void redo() override { m_document.show(m_after); }

private:
  Document& m_document;
  std::shared_ptr<Slot> m_before, m_after;
};

Document::Document(QObject* parent) : QObject(parent), m_journal(m_jobs) {
  connect(this, &Document::opened, this, [this] { m_loadCheck.start(m_state->package); });
  connect(this, &Document::edited, this, [this] { m_loadCheck.start(m_state->package); });
  connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, [this] {
    // Build tools write a file in several steps or replace it; to the user both are one change. A file that this
    // document wrote is already open.
    checkDisk();
    if (QFileInfo::exists(m_path) && !m_watcher.files().contains(m_path)) m_watcher.addPath(m_path);
  });
  // The stack emits this signal once per completed step.
  connect(&m_stack, &QUndoStack::indexChanged, this, [this] {
    if (!m_state || m_reported == m_state) return;
    const StatePtr before = std::exchange(m_reported, m_state);
    // Undo past a save leads to edits of bytes that no file has any more.
    m_journal.keep(isModified() && m_state->opened == m_journal.opened() ? m_state->edits : std::vector<edit::Edit>());
    Q_EMIT edited(before);
  });
  connect(&m_stack, &QUndoStack::cleanChanged, this, [this] { Q_EMIT modifiedChanged(isModified()); });
  connect(&m_journal, &Journal::found, this, &Document::journalFound);
}

// The stack emits signals when it is destroyed, after the state.
Document::~Document() { m_stack.disconnect(this); }

// --- opening

Document::Stamp Document::stampOf(const QString& path) {
  const QFileInfo info(path);
  return {info.size(), info.lastModified().toMSecsSinceEpoch()};
}

void Document::open(const QString& path) { start(path, m_state && path == m_path); }

void Document::reloadWithoutEdits() { start(m_path, false); }

void Document::start(const QString& path, bool keep) {
  m_openingPath = path;
  Q_EMIT opening(path);
  const std::filesystem::path file = pathFrom(QFile::encodeName(path).toStdString());
  m_jobs.start<Opened>(
      openTag(),
      [path, file, memory = m_memoryBytes,
       edits = keep ? m_state->edits : std::vector<edit::Edit>()](Monitor& monitor) -> Result<Opened> {
        Opened out;
        out.stamp = stampOf(path);
        BLOBSCOPE_TRY(package, library::openPrivate(file, monitor, {{}, memory, {}}));
        auto state = computeState(package, edits, monitor);
        if (state)
          out.state = std::move(*state);
        else if (edits.empty() || state.error().id() == DiagnosticId::Cancelled)
          return state.takeError();
        else
          out.refusal = state.error().message();
        return out;
      },
      [this, path, base = keep ? m_state : nullptr](Result<Opened> loaded) {
        if (base && base != m_state) {
          start(path, true); // an edit was made during the job
          return;
        }
        if (!loaded)
          Q_EMIT failed(path, toQt(loaded.error().message()));
        else if (loaded->refusal)
          Q_EMIT refused(toQt(*loaded->refusal));
        else
          take(*loaded, path);
        pump();
      });
}

void Document::take(const Opened& loaded, const QString& path) {
  m_reloaded = m_state && m_path == path;
  m_slot = std::make_shared<Slot>(Slot{loaded.state});
  m_state = m_reported = m_slot->state;
  m_stamp = loaded.stamp;
  m_path = path;
  if (!m_reloaded) m_requests.clear();
  if (!m_reloaded) m_executed = false;
  m_read.reset();
  watch();
  // The undo steps lead to states of the previous file.
  m_stack.clear();
  if (!m_state->edits.empty()) m_stack.resetClean();
  m_journal.setFile(m_state->opened, path, !m_reloaded);
  m_notes.setFile(m_state->opened);
  if (m_reloaded) m_journal.keep(m_state->edits);
  Q_EMIT modifiedChanged(isModified());
  Q_EMIT opened();
}

void Document::cancelOpening() {
  if (!isOpening()) return;
  m_jobs.cancel(openTag());
  Q_EMIT cancelled(m_openingPath);
  pump();
}

bool Document::isUncertain() const { return m_state && m_state->opened->bytes.owner()->findChange(); }

bool Document::isOverwritten() const { return m_state && m_state->opened->bytes.owner()->findDiskChange(); }

void Document::checkDisk() {
  if (stampOf(m_path) != m_stamp || isUncertain()) Q_EMIT changedOnDisk();
}

void Document::markExecuted() {
  if (std::exchange(m_executed, true)) return;
  Q_EMIT executed();
}

void Document::watch() {
  if (!m_watcher.files().isEmpty()) m_watcher.removePaths(m_watcher.files());
  m_watcher.addPath(m_path);
}

// --- editing

Result<edit::Target> Document::Naming::target(const Ref& shown) const {
  return edit::toOpenedTarget(m_state.package, m_state.applied, m_state.edits, shown);
}

void Document::edit(edit::Edit edit) {
  ask({[edit = std::move(edit)](const State& state) -> Result<std::vector<edit::Edit>> {
         return editlist::with(state.edits, edit);
       },
       {},
       false});
}

void Document::editShown(const Ref& shown, std::function<edit::Edit(edit::Target)> make) {
  editShown([shown, make = std::move(make)](const Naming& naming) -> Result<std::vector<edit::Edit>> {
    BLOBSCOPE_TRY(target, naming.target(shown));
    return std::vector<edit::Edit>{make(std::move(target))};
  });
}

void Document::editShown(Make make, const QString& text) {
  ask({[make = std::move(make)](const State& state) -> Result<std::vector<edit::Edit>> {
         BLOBSCOPE_TRY(loaded, make(Naming(state)));
         std::vector<edit::Edit> edits = state.edits;
         for (edit::Edit& one : loaded) edits = editlist::with(std::move(edits), std::move(one));
         return edits;
       },
       text, false});
}

void Document::setEdits(std::vector<edit::Edit> edits, const QString& text) {
  ask({[edits = std::move(edits)](const State&) -> Result<std::vector<edit::Edit>> { return edits; }, text, false});
}

void Document::revert(int index) {
  if (!m_state || index < 0 || static_cast<std::size_t>(index) >= m_state->edits.size()) return;
  const edit::Description& change = m_state->changes[static_cast<std::size_t>(index)];
  ask({[target = change.target, what = change.what](const State& state) -> Result<std::vector<edit::Edit>> {
         std::vector<edit::Edit> edits = state.edits;
         // Earlier steps may have changed the list before this one runs.
         for (std::size_t i = 0; i < state.changes.size(); ++i)
           if (state.changes[i].target == target && state.changes[i].what == what) {
             edits.erase(edits.begin() + static_cast<std::ptrdiff_t>(i));
             break;
           }
         return edits;
       },
       tr("Revert: %1").arg(toQt(change.what)), false});
}

void Document::revertAll() {
  if (m_state && !m_state->edits.empty()) setEdits({}, tr("Revert all changes"));
}

void Document::undo() { ask({{}, {}, true}); }

void Document::redo() { ask({{}, {}, false}); }

void Document::afterEdits(std::function<void()> run) {
  m_waiting.push_back(std::move(run));
  pump();
}

void Document::cancelEditing() {
  m_requests.clear();
  m_waiting.clear();
  m_jobs.cancel(editTag());
}

void Document::ask(Request request) {
  if (!m_state) return;
  m_requests.push_back(std::move(request));
  pump();
}

void Document::pump() {
  while (!m_requests.empty() && !isEditing() && !isOpening()) {
    const Request request = std::move(m_requests.front());
    m_requests.pop_front();
    if (!request.list) {
      request.undo ? m_stack.undo() : m_stack.redo();
      continue;
    }
    m_jobs.start<StatePtr>(
        editTag(),
        [state = m_state, list = request.list](Monitor& monitor) -> Result<StatePtr> {
          BLOBSCOPE_TRY(edits, list(*state));
          BLOBSCOPE_TRY(next, computeState(state->opened, std::move(edits), monitor));
          BLOBSCOPE_CHECK(library::checkUnchanged(*state->opened));
          return next;
        },
        [this, before = m_slot, text = request.text](Result<StatePtr> result) {
          if (!result) {
            m_waiting.clear();
            Q_EMIT editFailed(toQt(result.error().message()));
          } else if (before == m_slot) { // false after a reload in between, which has other edits
            const auto after = std::make_shared<Slot>(Slot{std::move(*result)});
            m_stack.push(
                new Step(*this, before, after, text.isEmpty() ? changeText(*before->state, *after->state) : text));
          }
          pump();
        });
  }
  if (isEditing() || isOpening()) return;
  for (const auto& run : std::exchange(m_waiting, {})) run();
}

void Document::show(const std::shared_ptr<Slot>& slot) {
  m_slot = slot;
  m_state = slot->state;
}

std::optional<Ref> Document::follow(const State& before, const Ref& ref) const {
  return editlist::follow({before.applied, before.edits}, {m_state->applied, m_state->edits}, ref);
}

Ref Document::placeOf(int index) const {
  const auto at = static_cast<std::size_t>(index);
  if (!m_state || at >= m_state->edits.size()) return Ref::file();
  const edit::Target target = editlist::targetOf(m_state->edits[at]);
  for (const edit::EditedBlob& blob : m_state->applied.blobs)
    for (std::size_t i = 0; i < blob.modules.size(); ++i)
      if (!target.id.empty() && blob.modules[i].origin == target.id)
        return blob.opened().moduleRef(static_cast<uint32_t>(i));
  const edit::Applied none;
  Ref place = target.id.empty() ? target.ref : m_state->changes[at].place;
  for (;;) {
    if (const auto now = editlist::follow({none, {}}, {m_state->applied, m_state->edits}, place)) return *now;
    if (place.parts.empty()) break;
    place.parts.clear();
  }
  if (place.kind == Ref::Kind::Member || place.kind == Ref::Kind::Param || place.kind == Ref::Kind::File)
    return edit::archiveAround(*m_state->package, place);
  Ref blob = Ref::blob(place.prefix);
  blob.members = place.members;
  return blob;
}

std::vector<Ref> Document::changedPlaces() const {
  std::vector<Ref> places;
  for (std::size_t i = 0; m_state && i < m_state->edits.size(); ++i) places.push_back(placeOf(static_cast<int>(i)));
  return places;
}

// --- saving

void Document::markSaved(const QString& path, std::vector<edit::Edit> left) {
  if (!m_state) return;
  const bool itself = QFileInfo(path).absoluteFilePath() == QFileInfo(m_path).absoluteFilePath();
  if (left.empty()) {
    m_stack.setClean();
    m_journal.keep({});
  } else if (itself) {
    m_stack.resetClean();
  }
  if (itself) reopenSaved(m_state->edits, std::move(left));
}

void Document::reopenSaved(std::vector<edit::Edit> all, std::vector<edit::Edit> left) {
  m_openingPath = m_path;
  m_jobs.start<Opened>(
      openTag(),
      [path = m_path, memory = m_memoryBytes, file = pathFrom(QFile::encodeName(m_path).toStdString()),
       before = m_state->opened, all = std::move(all), left = std::move(left)](Monitor& monitor) -> Result<Opened> {
        Opened out;
        out.stamp = stampOf(path);
        std::vector<edit::Edit> pending;
        if (!left.empty()) {
          // Writing may have moved what the remaining edits name.
          std::vector<edit::Edit> written;
          for (const edit::Edit& one : all)
            if (std::none_of(left.begin(), left.end(), [&](const edit::Edit& other) {
                  return one.index() == other.index() && editlist::targetOf(one) == editlist::targetOf(other) &&
                         edit::writeEdits({}, std::array{one}) == edit::writeEdits({}, std::array{other});
                }))
              written.push_back(one);
          BLOBSCOPE_TRY(applied, edit::apply(before, written, {}, monitor));
          std::vector<edit::Edit> moved = left;
          edit::toPayloadOffsets(*before, moved);
          pending = editlist::afterSave(moved, {applied, written});
        }
        BLOBSCOPE_TRY(package, library::openPrivate(file, monitor, {{}, memory, {}}));
        edit::toFileOffsets(*package, pending);
        BLOBSCOPE_TRY(state, computeState(package, std::move(pending), monitor));
        out.state = std::move(state);
        return out;
      },
      [this, slot = m_slot](Result<Opened> result) {
        if (!result) {
          Q_EMIT failed(m_path, toQt(result.error().message()));
        } else if (slot == m_slot) {
          // The same content, as it is now in the file: undo leads to the states before it, redo to those after it.
          slot->state = result->state;
          m_state = m_reported = slot->state;
          m_stamp = result->stamp;
          m_reloaded = true;
          watch();
          m_journal.setFile(m_state->opened, m_path, false);
          m_notes.setFile(m_state->opened, true);
          if (!m_state->edits.empty()) m_journal.keep(m_state->edits);
          Q_EMIT opened();
        }
        pump();
      });
}

void Document::setReadSignatures(library::ReadSignatures read) {
  m_read = std::move(read);
  Q_EMIT signaturesRead();
}

void Document::discard() {
  m_requests.clear();
  m_jobs.cancel(editTag());
  m_journal.keep({});
}

} // namespace blobscope::ui
