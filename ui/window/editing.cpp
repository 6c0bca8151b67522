#include "ui/window/editing.h"

#include "core/edit/archive/member_names.h"
#include "core/edit/calls.h"
#include "core/edit/overwrite.h"
#include "core/library/resolve.h"
#include "core/modules/registry.h"
#include "ui/pages/kind_look.h"
#include "ui/pages/page_widget.h"
#include "ui/session/edit_list.h"
#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/boxes.h"
#include "ui/window/dialogs/edit_dialogs.h"
#include "ui/window/dialogs/repack_dialog.h"
#include "ui/window/dialogs/repack_plan.h"
#include "ui/window/dialogs/repack_rows.h"

#include <QEventLoop>
#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QPushButton>

#include <algorithm>
#include <array>

namespace blobscope::ui {
namespace {

const QString kCallsTag = QStringLiteral("edit/calls");

bool isTensor(const Ref& ref) {
  return ref.kind == Ref::Kind::Param || ref.partKind() == PartKind::Const || ref.partKind() == PartKind::Param;
}

QString textOf(edit::WhyNot reason) {
  using enum edit::WhyNot;
  switch (reason) {
  case NoBlob: return Editing::tr("The file has no blob.");
  case NotInModule: return Editing::tr("Select a module or a part of a module.");
  case IsLibrary: return Editing::tr("The module _lib represents the library itself.");
  case NoBytes: return Editing::tr("A function of a module has no bytes that can be replaced separately.");
  case NoText: return Editing::tr("The selection has no text.");
  case NoTextInModule: return Editing::tr("The module has no text.");
  case NoName: return Editing::tr("Only modules, kernels and functions can be renamed.");
  case IsRoot: return Editing::tr("Module 0 is the root module, which the loader returns.");
  case NotRemovable: return Editing::tr("Only modules, kernels, functions and images can be removed.");
  case NotModule: return Editing::tr("Select a module.");
  case NoFatBinary: return Editing::tr("No CUDA module has a fat binary.");
  case NotFile: return Editing::tr("Select a file of the archive. Folders and links have no content.");
  case NotTar: return Editing::tr("In an archive of this kind, files can only be replaced.");
  case NoArchive: return Editing::tr("The file is not a tar archive.");
  case NoJson: return Editing::tr("The selection is not JSON.");
  case NoTree: return Editing::tr("The blob has no import tree. The library imports all its modules directly.");
  }
  return {};
}

std::optional<edit::Operation> operationOf(ActionId action) {
  switch (action) {
  case ActionId::ReplaceFile: return edit::Operation::Replace;
  case ActionId::EditText: return edit::Operation::EditText;
  case ActionId::Rename: return edit::Operation::Rename;
  case ActionId::Remove: return edit::Operation::Remove;
  case ActionId::Imports: return edit::Operation::SetImports;
  case ActionId::AddModule: return edit::Operation::AddModule;
  case ActionId::AddMember: return edit::Operation::AddMember;
  case ActionId::Thin:
  case ActionId::Grow: return edit::Operation::Thin;
  default: return std::nullopt;
  }
}

edit::TargetOf targetsOf(const Document::Naming& naming) {
  return [&naming](const Ref& ref) { return naming.target(ref); };
}

} // namespace

/// What a ref names in the current tree; null for what it does not name.
struct Editing::Found {
  const library::Blob* blob = nullptr;
  const library::Module* module = nullptr;
};

Editing::Editing(Document& document, Banner& banner, const Actions& actions,
                 std::function<std::optional<Ref>()> selection, std::function<PageWidget*()> page, QWidget* window)
    : QObject(window), m_document(document), m_banner(banner), m_actions(actions), m_selection(std::move(selection)),
      m_page(std::move(page)), m_window(window) {
  using enum ActionId;
  const auto on = [&](ActionId id, auto run) { connect(actions[id], &QAction::triggered, this, run); };
  const auto onSelected = [&](ActionId id, auto run) {
    on(id, [this, run] {
      if (const auto ref = m_selection()) (this->*run)(*ref);
    });
  };
  // What was typed on the page comes first.
  const auto step = [this](bool redo) {
    if (PageWidget* const typed = m_page(); typed && typed->canUndoTyping(redo))
      typed->undoTyping(redo);
    else
      redo ? m_document.redo() : m_document.undo();
  };
  on(Undo, [step] { step(false); });
  on(Redo, [step] { step(true); });
  on(RevertAll, [this] { m_document.revertAll(); });
  onSelected(ReplaceFile, &Editing::askForFile);
  onSelected(EditText, &Editing::textRequested);
  onSelected(Remove, &Editing::remove);
  on(Save, [this] { m_document.afterEdits([this] { openRepack(true); }); });
  on(Repack, [this] { m_document.afterEdits([this] { openRepack(false); }); });
  onSelected(AddModule, &Editing::askForModule);
  onSelected(AddMember, &Editing::askForMember);
  onSelected(Imports, &Editing::askForImports);
  on(Thin, [this] { askForImages(m_selection()); });
  on(Grow, [this] { askForArchitectures(m_selection()); });
  connectDocument();
}

void Editing::connectDocument() {
  connect(&m_document, &Document::edited, this, [this] {
    // Without the edit that did not fit, the file on disk can be opened.
    if (std::exchange(m_refused, false)) m_document.checkDisk();
  });
  connect(&m_document, &Document::opened, this, [this] { m_refused = false; });
  connect(&m_document, &Document::editFailed, this,
          [this](const QString& message) { showMessage(tr("The change was not made."), message); });
  connect(&m_document, &Document::refused, this, [this](const QString& message) {
    m_banner.showMessage(
        Banner::Kind::Error, tr("Your unsaved changes do not fit the file that is now on disk."), message,
        {{tr("Reload without them"), [this] { m_document.reloadWithoutEdits(); }}, {tr("Keep them"), [] {}}},
        Banner::Lasts::UntilEdited);
    m_refused = true;
  });
  connect(&m_document, &Document::journalFound, this, [this](const std::vector<edit::Edit>& edits) {
    m_banner.showMessage(Banner::Kind::Note,
                         tr("%n unsaved change(s) to this file (was|were) found.", nullptr, pluralCount(edits.size())),
                         tr("Blobscope ended before they were saved. Restore or discard the changes."),
                         {{tr("Restore"), [this, edits] { m_document.setEdits(edits, tr("Restore changes")); }},
                          {tr("Discard"), [this] { m_document.discard(); }}});
  });
}

void Editing::showMessage(const QString& bold, const QString& plain) {
  m_banner.showMessage(Banner::Kind::Error, bold, plain, {{tr("Close"), [] {}}}, Banner::Lasts::UntilMoved);
}

// --- possible actions

Editing::Found Editing::find(const Ref& ref) const {
  Found found;
  if (!m_document.state()) return found;
  const auto resolved = library::resolveBlob(*m_document.state()->package, ref);
  if (!resolved) return found;
  found.blob = resolved->blob;
  found.module = resolved->module;
  // For a selected file or member, its first blob.
  if (!found.blob && !resolved->package->blobs.empty()) found.blob = resolved->package->blobs.front().get();
  return found;
}

QString Editing::nameOf(const Ref& ref) const {
  if (const auto member = edit::asMember(ref)) return nameToQt(library::normalisedPath(member->name));
  if (ref.kind == Ref::Kind::Param) return nameToQt(ref.name);
  const Found found = find(ref);
  if (!ref.parts.empty()) return nameToQt(ref.parts.back().name);
  return found.module ? tr("%1, m%2").arg(nameToQt(found.module->key.view())).arg(ref.module) : toQt(ref.shown());
}

QString Editing::why(ActionId action, const std::optional<Ref>& ref) const {
  using enum ActionId;
  if (!m_document.state()) return tr("No file is open.");
  const PageWidget* const page = m_page();
  const auto typed = [page](bool redo) { return page && page->canUndoTyping(redo); };
  if (action == Undo)
    return typed(false) || m_document.undoStack().canUndo() ? QString() : tr("There is nothing to undo.");
  if (action == Redo)
    return typed(true) || m_document.undoStack().canRedo() ? QString() : tr("There is nothing to redo.");
  if (action == RevertAll) return m_document.state()->edits.empty() ? tr("There are no changes.") : QString();
  if (action == Save)
    return m_document.isModified() || (page && page->isTyping()) ? QString() : tr("There are no changes.");
  if (action == Repack) return {};
  const auto operation = operationOf(action);
  if (operation == edit::Operation::Thin) {
    const library::Package& package = *m_document.state()->package;
    const auto reason = edit::canEdit(package, edit::thinnedPlace(package, ref), *operation);
    return reason ? textOf(*reason) : QString();
  }
  if (operation && !ref) return tr("A list of parts is selected. Select a part or a module.");
  const auto reason = operation ? edit::canEdit(*m_document.state()->package, *ref, *operation) : std::nullopt;
  return reason ? textOf(*reason) : QString();
}

void Editing::updateActions() {
  using enum ActionId;
  const std::optional<Ref> ref = m_document.state() ? m_selection() : Ref::file();
  for (const ActionId id : {Undo, Redo, RevertAll, Save, Repack, ReplaceFile, EditText, Rename, Remove, AddModule,
                            AddMember, Imports, Thin, Grow}) {
    QAction* const action = m_actions[id];
    const QString reason = why(id, ref);
    action->setEnabled(reason.isEmpty());
    QString tip = reason.isEmpty() ? action->statusTip() : reason;
    const PageWidget* const page = m_page();
    const bool typed = page && page->canUndoTyping(id == Redo);
    const QString typing = tr("Typing");
    if (id == Undo && reason.isEmpty()) tip = tr("Undo: %1").arg(typed ? typing : m_document.undoStack().undoText());
    if (id == Redo && reason.isEmpty()) tip = tr("Redo: %1").arg(typed ? typing : m_document.undoStack().redoText());
    if (!action->shortcut().isEmpty())
      tip = QStringLiteral("%1 (%2)").arg(tip, action->shortcut().toString(QKeySequence::NativeText));
    action->setToolTip(plainTip(tip));
  }
}

QList<QAction*> Editing::fitting(const Ref& ref) const {
  using enum ActionId;
  QList<QAction*> out;
  const bool isModule = ref.kind == Ref::Kind::Module && ref.parts.empty(), isBlob = ref.kind == Ref::Kind::Blob;
  const auto suits = [&](ActionId id) {
    if (id == AddModule) return isBlob || isModule;
    if (id == AddMember) return ref.kind == Ref::Kind::File || ref.kind == Ref::Kind::Member;
    if ((id != Thin && id != Grow) || ref == Ref::file()) return true;
    return (isBlob || isModule || ref.partKind() == PartKind::Entry) &&
           edit::thinnedPlace(*m_document.state()->package, ref) != Ref::file();
  };
  for (const ActionId id : {EditText, ReplaceFile, Rename, Imports, AddModule, AddMember, Thin, Grow, Remove})
    if (suits(id) && why(id, ref).isEmpty()) out << m_actions[id];
  return out;
}

// --- bytes

void Editing::askForFile(const Ref& ref) {
  const QString filter = isTensor(ref) ? tr("Arrays and raw bytes (*.npy *.bin);;All files (*)") : tr("All files (*)");
  auto* const dialog = new QFileDialog(m_window, plainLine(tr("Replace %1 with").arg(nameOf(ref))),
                                       QFileInfo(m_document.path()).path(), filter);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, [this, ref](const QString& path) { replaceWithFile(ref, path); });
  dialog->open();
}

void Editing::replaceWithFile(const Ref& ref, const QString& path) {
  m_document.editShown(ref, [file = fromQt(QFileInfo(path).absoluteFilePath())](edit::Target target) -> edit::Edit {
    return edit::Replace{std::move(target), {file, {}}};
  });
}

void Editing::setBytes(const Ref& ref, const Bytes& bytes) {
  m_document.editShown(
      ref, [bytes](edit::Target target) -> edit::Edit { return edit::Replace{std::move(target), {{}, bytes}}; });
}

void Editing::overwrite(const Ref& module, const std::vector<std::pair<uint64_t, Bytes>>& runs) {
  m_document.editShown(
      [module, runs](const Document::Naming& naming) -> Result<std::vector<edit::Edit>> {
        const Document::State& state = naming.state();
        std::vector<edit::Edit> edits;
        for (const auto& [offset, bytes] : runs) {
          BLOBSCOPE_TRY(edit, edit::overwriteShown(state.opened, state.package, state.applied, state.edits, module,
                                                   offset, bytes));
          edits.push_back(std::move(edit));
        }
        return edits;
      },
      tr("Overwrite bytes"));
}

void Editing::storeCode(const std::vector<edit::Edit>& edits) {
  m_document.editShown(
      [edits](const Document::Naming& naming) -> Result<std::vector<edit::Edit>> {
        std::vector<edit::Edit> out;
        for (edit::Edit one : edits) {
          BLOBSCOPE_TRY(target, naming.target(editlist::targetOf(one).ref));
          std::visit(
              [&](auto& edit) {
                if constexpr (requires { edit.target; }) edit.target = std::move(target);
              },
              one);
          out.push_back(std::move(one));
        }
        return out;
      },
      tr("Store compiled code"));
}

void Editing::revertAt(const Ref& ref) {
  if (!m_document.state()) return;
  for (int i = static_cast<int>(m_document.state()->edits.size()); i-- > 0;) {
    const Ref place = m_document.placeOf(i);
    const bool holds =
        ref.at && place.at && place.node() == ref.node() && Extent{*place.at, place.size.value_or(1)}.contains(*ref.at);
    if (place == ref || holds) m_document.revert(i);
  }
}

void Editing::setField(const Ref& field, const json::Value& value) {
  if (const auto member = edit::asMember(field); member && !field.parts.empty()) { // the pointer of a value of JSON
    Ref file = *member;
    file.parts.clear();
    m_document.editShown(file, [value, pointer = field.parts.back().name](edit::Target target) -> edit::Edit {
      return edit::SetJson{std::move(target), pointer, value};
    });
    return;
  }
  m_document.editShown(field,
                       [value](edit::Target target) -> edit::Edit { return edit::SetField{std::move(target), value}; });
}

void Editing::setValues(const std::vector<edit::SetValue>& values) {
  m_document.editShown(
      [values](const Document::Naming& naming) -> Result<std::vector<edit::Edit>> {
        std::vector<edit::Edit> out;
        for (edit::SetValue one : values) {
          BLOBSCOPE_TRY(target, naming.target(one.target.ref));
          one.target = std::move(target);
          out.push_back(std::move(one));
        }
        return out;
      },
      values.size() > 1 ? tr("Set %n value(s)", nullptr, pluralCount(values.size())) : QString());
}

// --- names

void Editing::askForName(const Ref& ref) {
  const auto member = edit::asMember(ref);
  const bool isMember =
      m_document.state() && member && !edit::canEdit(*m_document.state()->package, ref, edit::Operation::Rename);
  const Found found = find(ref);
  if (!found.module && !isMember) return;
  const bool part = !ref.parts.empty();
  const std::string path = isMember ? library::normalisedPath(member->name) : std::string();
  const std::string_view name = isMember ? std::string_view(path)
                                : part   ? std::string_view(ref.parts.back().name)
                                         : found.module->key.view();
  // A name that does not fit in a line would change when it is edited, so the field starts empty.
  const QString shown = nameToQt(name), before = fromQt(shown) == name ? shown : QString();
  const QString label = isMember ? tr("New path of %1 in the archive")
                        : part   ? tr("New name of %1 (changed everywhere in the module)")
                                 : tr("New type key of module %1");
  QInputDialog* const dialog = makeTextInput(tr("Rename"), label.arg(nameOf(ref)), before, m_window);
  dialog->setOkButtonText(tr("Rename"));
  dialog->resize(460, dialog->sizeHint().height());
  connect(dialog, &QInputDialog::textValueSelected, this, [this, ref, before](const QString& entered) {
    if (entered != before) rename(ref, entered);
  });
  dialog->open();
}

void Editing::rename(const Ref& ref, const QString& name) {
  if (!m_document.state()) return;
  if (edit::asMember(ref)) {
    renameNow(ref, name);
    return;
  }
  // Uses the current tree, in which the ref names the node: calls that earlier changes broke are not reported again.
  m_document.jobs().start<QStringList>(
      kCallsTag,
      [package = m_document.state()->package, ref, name = fromQt(name)](Monitor& monitor) -> Result<QStringList> {
        const std::vector<edit::Edit> edits{edit::Rename{{ref, {}}, name}};
        QStringList callers;
        auto applied = edit::apply(package, edits, {}, monitor);
        if (!applied) return callers; // the change itself is refused with the reason
        BLOBSCOPE_TRY(broken, edit::findBrokenCalls(package, *applied, monitor));
        for (const library::Unresolved& one : broken)
          callers << sentenceOf(Diagnostic{DiagnosticId::EditCall, one.caller, one.arguments()}.message());
        return callers;
      },
      [this, ref, name](Result<QStringList> callers) {
        if (callers && !callers->isEmpty())
          askAboutCallers(ref, name, *callers);
        else
          renameNow(ref, name);
      });
}

void Editing::askAboutCallers(const Ref& ref, const QString& name, const QStringList& callers) {
  constexpr qsizetype kShownCallers = 4;
  QString more = callers.mid(0, kShownCallers).join(QLatin1Char('\n'));
  if (callers.size() > kShownCallers)
    more += QLatin1Char('\n') + tr("%n more call(s) will fail.", nullptr,
                                   pluralCount(static_cast<std::uint64_t>(callers.size() - kShownCallers)));
  more += QLatin1String("\n\n") + tr("Renaming does not change this code. It will still look up the old name.");
  QMessageBox* const box = makeMessageBox(QMessageBox::Warning, tr("Rename"),
                                          tr("Other code of this file looks up the old name %1.").arg(nameOf(ref)),
                                          more, QMessageBox::NoButton, m_window);
  box->setObjectName(QStringLiteral("renameCalls"));
  auto* const keep = box->addButton(tr("&Keep the old name"), QMessageBox::RejectRole);
  auto* const anyway = box->addButton(tr("&Rename anyway"), QMessageBox::AcceptRole);
  box->setDefaultButton(keep);
  box->setEscapeButton(keep);
  connect(anyway, &QPushButton::clicked, this, [this, ref, name] { renameNow(ref, name); });
  box->open();
}

void Editing::renameNow(const Ref& ref, const QString& name) {
  m_document.editShown(
      ref, [name = fromQt(name)](edit::Target target) -> edit::Edit { return edit::Rename{std::move(target), name}; });
}

// --- the tree

void Editing::remove(const Ref& ref) {
  if (m_document.state() && edit::asMember(ref) &&
      !edit::canEdit(*m_document.state()->package, ref, edit::Operation::Remove)) {
    m_document.editShown(ref, [](edit::Target target) -> edit::Edit { return edit::Remove{std::move(target)}; });
    return;
  }
  const Found found = find(ref);
  if (!found.module) return;
  std::vector<uint32_t> others;
  if (ref.parts.empty()) others = edit::orphansOf(*found.blob, std::array{ref.module});
  if (others.empty()) {
    removeWith(ref, edit::Orphans::Remove);
    return;
  }
  QStringList names;
  for (const uint32_t one : others) names << nameOf(found.blob->moduleRef(one));
  QMessageBox* const box = makeMessageBox(
      QMessageBox::Question, tr("Remove"), tr("Also remove the modules that only %1 imports?").arg(nameOf(ref)),
      tr("Modules: %1. If you keep them, its importers import them directly.").arg(names.join(QLatin1String("; "))),
      QMessageBox::Cancel, m_window);
  const QPushButton* const all = box->addButton(tr("Remove all"), QMessageBox::AcceptRole);
  const QPushButton* const keep = box->addButton(tr("Keep them"), QMessageBox::AcceptRole);
  connect(box, &QMessageBox::buttonClicked, this, [this, ref, all, keep](const QAbstractButton* button) {
    if (button == all || button == keep) removeWith(ref, button == keep ? edit::Orphans::Keep : edit::Orphans::Remove);
  });
  box->open();
}

void Editing::removeWith(const Ref& ref, edit::Orphans orphans) {
  m_document.editShown([ref, orphans](const Document::Naming& naming) {
    return edit::removeEdits(*naming.state().package, ref, orphans, targetsOf(naming));
  });
}

void Editing::askForModule(const Ref& ref) {
  const Found found = find(ref);
  if (!found.blob) return;
  QStringList keys;
  for (const modules::ModuleCodec* codec : modules::codecs())
    for (const std::string_view key : codec->keys)
      if (key != modules::kLibraryKey) keys << wholeToQt(key);
  keys.sort();
  QStringList names;
  std::vector<Ref> parents;
  int chosen = 0;
  if (!found.blob->cut.tree) {
    names << tr("the library");
    parents.push_back(found.blob->ref());
  } else {
    for (const auto& module : found.blob->modules) {
      parents.push_back(found.blob->moduleRef(module->index));
      names << nameOf(parents.back());
      if (found.module == module.get()) chosen = static_cast<int>(parents.size()) - 1;
    }
  }
  auto* const dialog = new AddModuleDialog(keys, names, chosen, m_window);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog, parents] {
    if (dialog->parentIndex() >= 0)
      addModule(parents[static_cast<std::size_t>(dialog->parentIndex())], dialog->key(), dialog->file());
  });
  dialog->open();
}

void Editing::addModule(const Ref& parent, const QString& key, const QString& path) {
  m_document.editShown([parent, key = fromQt(key), file = fromQt(QFileInfo(path).absoluteFilePath())](
                           const Document::Naming& naming) -> Result<std::vector<edit::Edit>> {
    BLOBSCOPE_TRY(above, naming.target(parent));
    return std::vector<edit::Edit>{
        edit::AddModule{editlist::newId(naming.state().edits), key, {file, {}}, {above.toString()}, {}}};
  });
}

void Editing::askForMember(const Ref& ref) {
  if (!m_document.state()) return;
  const Ref archive = edit::archiveAround(*m_document.state()->package, ref);
  // The folder of the selected member is the most likely one.
  const auto selected = edit::asMember(ref);
  const std::string path =
      selected && selected->members == archive.members ? library::normalisedPath(selected->name) : std::string();
  const std::size_t slash = path.rfind('/');
  const QString folder = slash == std::string::npos ? QString() : nameToQt(path.substr(0, slash + 1));
  auto* const dialog = new QFileDialog(m_window, tr("Add a file to the archive"), QFileInfo(m_document.path()).path(),
                                       tr("All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, [this, archive, folder](const QString& file) {
    QInputDialog* const input = makeTextInput(tr("Add file"), tr("Path of the file in the archive"),
                                              folder + QFileInfo(file).fileName(), m_window);
    input->setOkButtonText(tr("Add"));
    input->resize(460, input->sizeHint().height());
    connect(input, &QInputDialog::textValueSelected, this,
            [this, archive, file](const QString& entered) { addMember(archive, entered, file); });
    input->open();
  });
  dialog->open();
}

void Editing::addMember(const Ref& archive, const QString& path, const QString& file) {
  m_document.editShown([archive, path = fromQt(path), file = fromQt(QFileInfo(file).absoluteFilePath())](
                           const Document::Naming& naming) -> Result<std::vector<edit::Edit>> {
    Ref member = edit::toOpenedNames(naming.state().applied, archive);
    member.kind = Ref::Kind::Member;
    member.name = path;
    return std::vector<edit::Edit>{edit::AddMember{{std::move(member), {}}, {file, {}}, {}}};
  });
}

void Editing::askForImports(const Ref& ref) {
  const Found found = find(ref);
  if (!found.module) return;
  QVector<ImportsDialog::Row> rows;
  const auto add = [&](uint32_t number, bool imported) {
    const QString key = nameToQt(found.blob->modules[number]->key.view());
    const KindLook look = kindLook(library::RowKind::Module, key);
    rows.append({nameOf(found.blob->moduleRef(number)), look.icon, static_cast<int>(look.role),
                 static_cast<int>(number), imported});
  };
  const auto& imports = found.module->imports;
  for (const uint32_t number : imports) add(number, true);
  for (const auto& module : found.blob->modules)
    if (module->index != ref.module && module->index != 0 &&
        std::find(imports.begin(), imports.end(), module->index) == imports.end())
      add(module->index, false);
  auto* const dialog = new ImportsDialog(nameOf(ref), rows, m_window);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog, ref, before = QVector<int>(imports.begin(), imports.end())] {
    const QVector<int> after = dialog->imports();
    if (after == before) return;
    std::vector<Ref> chosen;
    for (const int number : after) {
      Ref module = ref;
      module.module = static_cast<uint32_t>(number);
      chosen.push_back(std::move(module));
    }
    setImports(ref, chosen);
  });
  dialog->open();
}

void Editing::setImports(const Ref& ref, const std::vector<Ref>& imports) {
  m_document.editShown([ref, imports](const Document::Naming& naming) -> Result<std::vector<edit::Edit>> {
    edit::Relink relink;
    BLOBSCOPE_TRY(target, naming.target(ref));
    relink.target = std::move(target);
    for (const Ref& one : imports) {
      BLOBSCOPE_TRY(name, naming.target(one));
      relink.imports.push_back(name.toString());
    }
    return std::vector<edit::Edit>{std::move(relink)};
  });
}

void Editing::reparent(const Ref& module, const Ref& parent, const std::optional<Ref>& from) {
  const Found moved = find(module), above = find(parent);
  if (!moved.module || !above.module || moved.blob != above.blob) return;
  m_document.editShown([module, parent, from](const Document::Naming& naming) {
    return edit::moveEdits(*naming.state().package, module, parent, from, targetsOf(naming));
  });
}

// --- files

RepackDialog* Editing::makeRepackDialog(bool overItself) {
  auto* const dialog = new RepackDialog(m_document, m_window);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  if (overItself) dialog->setTarget(m_document.path());
  connect(dialog, &RepackDialog::repacked, this, [this, dialog, state = m_document.state()](const QString& path) {
    std::vector<edit::Edit> left;
    if (const auto* const changes = dialog->findChild<ChangesModel*>())
      for (int row = 0; row < changes->rowCount(); ++row)
        if (!changes->isIncluded(row)) left.push_back(state->edits[static_cast<std::size_t>(row)]);
    m_document.markSaved(path, std::move(left));
  });
  connect(dialog, &RepackDialog::openRequested, this, [this](const QString& path) {
    if (QFileInfo(path) != QFileInfo(m_document.path())) Q_EMIT openRequested(path);
  });
  return dialog;
}

void Editing::openRepack(bool overItself) {
  if (m_document.state()) makeRepackDialog(overItself)->open();
}

// --- closing

bool Editing::mayClose(const std::function<bool()>& refused) {
  if (m_document.isEditing()) {
    // The changes in progress are among those that the box counts.
    QEventLoop loop;
    connect(&m_document, &Document::edited, &loop, &QEventLoop::quit, Qt::QueuedConnection);
    connect(&m_document, &Document::editFailed, &loop, &QEventLoop::quit, Qt::QueuedConnection);
    connect(&m_document.jobs(), &Jobs::finished, &loop, &QEventLoop::quit, Qt::QueuedConnection);
    while (m_document.isEditing()) loop.exec(QEventLoop::ExcludeUserInputEvents);
  }
  if (refused()) {
    QMessageBox* const box =
        makeMessageBox(QMessageBox::Warning, tr("Close"), tr("The text that you edited could not be applied."),
                       tr("It is lost if you close the file."), QMessageBox::Discard | QMessageBox::Cancel, m_window);
    box->setDefaultButton(QMessageBox::Cancel);
    if (box->exec() != QMessageBox::Discard) return false;
  }
  if (!m_document.isModified()) return true;
  const std::size_t count = m_document.state()->edits.size();
  QMessageBox* const box =
      makeMessageBox(QMessageBox::Warning, tr("Close"),
                     tr("Save the changes to %1 before closing?").arg(QFileInfo(m_document.path()).fileName()),
                     tr("There (is|are) %n unsaved change(s).", nullptr, pluralCount(count)),
                     QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, m_window);
  box->setDefaultButton(QMessageBox::Save);
  switch (box->exec()) {
  case QMessageBox::Save: makeRepackDialog(true)->exec(); return !m_document.isModified();
  case QMessageBox::Discard: m_document.discard(); return true;
  default: return false;
  }
}

} // namespace blobscope::ui
