#include "core/edit/blob_draft.h"

#include "core/base/text.h"
#include "core/base/writer.h"
#include "core/library/resolve.h"
#include "core/modules/registry.h"

#include <algorithm>

namespace blobscope::edit {
namespace {

using library::Record;
using library::Stream;

constexpr std::string_view kTree = "_import_tree";

Error notFound(std::string_view name, std::string reason, const Ref& place) {
  return Error(DiagnosticId::RefNotFound, {arg("ref", name), {"reason", std::move(reason)}}, place);
}

/// Returns why modules of a damaged blob cannot be moved; empty for an undamaged one.
std::string damageOf(const library::Blob& blob) {
  if (blob.cut.end < blob.bytes.size())
    return "no module contains the last " + sizeText(blob.bytes.size() - blob.cut.end);
  for (const Record& record : blob.cut.records)
    if (record.undecoded == library::Undecoded::Region) return "a module's end is not known";
  if (!blob.cut.complete) return "some of the declared modules are missing";
  if (blob.declaredSize + 8 != blob.bytes.size()) return "its length header does not match the file";
  return {};
}

/// Warns about kernels that lose their code, and refuses two kernels with the same name. Considers only effects of the
/// edits. `before`: the module as opened; null for an added one.
Result<Done> checkKernels(const ModuleDraft& draft, const modules::Body* before, const modules::Body& after,
                          const Ref& place, bool force, std::vector<Diagnostic>& warnings, Monitor& monitor) {
  for (const KernelProblem& lost : draft.kernelsLosingCode(before, after, monitor))
    warnings.push_back(
        {DiagnosticId::EditFunctionCode,
         place,
         {{"module", escaped(draft.name())}, arg("kernel", lost.kernel), {"problem", std::string(lost.problem)}}});
  const auto repeated = before ? ModuleDraft::repeatedKernels(*before) : std::vector<std::string>{};
  for (const std::string& name : ModuleDraft::repeatedKernels(after))
    if (std::find(repeated.begin(), repeated.end(), name) == repeated.end())
      BLOBSCOPE_CHECK(
          refuse(cannotEdit(place, "two of its kernels would have the name '" + escaped(name) + "'"), force, warnings));
  return Done{};
}

} // namespace

Result<Done> refuse(Error error, bool force, std::vector<Diagnostic>& warnings) {
  if (!force) return error;
  warnings.push_back({DiagnosticId::PlanForced, error.place(), {{"reason", error.message()}}});
  return Done{};
}

BlobDraft::BlobDraft(library::PackagePtr package, std::size_t index) : m_package(std::move(package)), m_index(index) {
  std::size_t number = 0;
  for (const Record& record : opened().cut.records) {
    if (record.kind == Record::Kind::Tree) continue;
    const library::Module& module = *opened().modules[number];
    Entry entry;
    entry.draft = std::make_unique<ModuleDraft>("m" + std::to_string(number), module.key, module.payload, module.body,
                                                opened().cut.context);
    entry.stored = &record;
    entry.imports.assign(module.imports.begin(), module.imports.end());
    m_entries.push_back(std::move(entry));
    ++number;
  }
}

bool BlobDraft::matches(const Ref& ref) const { return library::isIn(ref, *m_package, opened()); }

bool BlobDraft::hasAdded(std::string_view id) const {
  return std::any_of(m_entries.begin(), m_entries.end(),
                     [&](const Entry& entry) { return !entry.stored && entry.draft->name() == id; });
}

// --- finding modules

Result<std::size_t> BlobDraft::find(const Target& target) const {
  const std::string name = target.id.empty() ? "m" + std::to_string(target.ref.module) : target.id;
  return find(name, target.ref);
}

Result<std::size_t> BlobDraft::find(std::string_view name, const Ref& place) const {
  for (std::size_t i = 0; i < m_entries.size(); ++i)
    if (nameOf(i) == name) {
      if (m_entries[i].removed) return notFound(name, "an edit removes it", place);
      return i;
    }
  return notFound(name,
                  "the blob has " + countText(opened().modules.size(), "module") +
                      ", counted from 0, and no added module has that id",
                  place);
}

Result<std::size_t> BlobDraft::findNamed(std::string_view name, const Ref& place) const {
  const auto ref = Ref::parse(name);
  if (!ref || ref->kind != Ref::Kind::Module || !ref->parts.empty() || ref->at) return find(name, place);
  // "m2" alone names a module of this blob.
  const bool alone = ref->members.empty() && ref->prefix.empty();
  if (!alone && !matches(*ref)) return notFound(name, "a module can only import modules of the same blob", place);
  return find(Target{*ref, {}});
}

Result<ModuleDraft*> BlobDraft::module(const Target& target) {
  BLOBSCOPE_TRY(number, find(target));
  return m_entries[number].draft.get();
}

// --- the tree

Result<Done> BlobDraft::addModule(const AddModule& edit, Bytes payload) {
  const modules::ModuleCodec* const codec = modules::findCodec(edit.key);
  const bool lib = edit.key == modules::kLibraryKey;
  if (edit.key.empty() || edit.key == kTree)
    return cannotEdit(opened().ref(), "'" + escaped(edit.key) + "' is not a type key of a module");
  if (lib && std::any_of(m_entries.begin(), m_entries.end(), [](const Entry& entry) {
        return entry.draft->key().view() == modules::kLibraryKey && !entry.removed;
      }))
    return cannotEdit(opened().ref(), "the blob already has a '_lib'");
  modules::BodyPtr body;
  WireContext other = opened().cut.context;
  other.extraTags = !other.extraTags;
  if (codec)
    if (auto decoded = modules::decodePayload(*codec, payload, {{opened().cut.context, other}}))
      body = std::move(*decoded);
  if (!body) body = modules::opaqueBody(payload);
  Entry entry;
  entry.draft =
      std::make_unique<ModuleDraft>(edit.id, Bytes::copyOf(edit.key), payload, std::move(body), opened().cut.context);
  entry.draft->replacePayload(std::move(payload)); // so that it is checked like a replaced payload
  const std::size_t number = m_entries.size();
  m_entries.push_back(std::move(entry));
  m_treeChanged = true;
  for (const std::string& parent : edit.parents) {
    if (const auto ref = Ref::parse(parent); ref && ref->kind == Ref::Kind::Blob) {
      if (opened().cut.tree) return cannotEdit(*ref, "the stream has an import tree; name the importing module");
      continue; // the library imports all modules of a flat stream
    }
    BLOBSCOPE_TRY(above, findNamed(parent, opened().ref()));
    if (!opened().cut.tree)
      return cannotEdit(opened().moduleRef(static_cast<uint32_t>(above)),
                        "the stream has no import tree; name 'blob' as the parent");
    std::vector<std::size_t>& imports = m_entries[above].imports;
    if (std::find(imports.begin(), imports.end(), number) != imports.end())
      return cannotEdit(opened().ref(), "'" + escaped(parent) + "' would import '" + escaped(edit.id) + "' twice");
    const std::size_t at = edit.position ? std::min<uint64_t>(*edit.position, imports.size()) : imports.size();
    imports.insert(imports.begin() + static_cast<std::ptrdiff_t>(at), number);
  }
  return Done{};
}

Result<Done> BlobDraft::removeModule(const Target& target) {
  BLOBSCOPE_TRY(number, find(target));
  m_entries[number].removed = true;
  for (Entry& entry : m_entries) std::erase(entry.imports, number);
  m_treeChanged = true;
  return Done{};
}

Result<Done> BlobDraft::renameModule(const Target& target, std::string_view key) {
  BLOBSCOPE_TRY(number, find(target));
  if (key.empty() || key == kTree || key == modules::kLibraryKey)
    return cannotEdit(target.ref, "'" + escaped(key) + "' is not a type key of a module");
  if (m_entries[number].draft->key().view() == modules::kLibraryKey)
    return cannotEdit(target.ref, "'_lib' represents the library");
  m_entries[number].draft->rename(Bytes::copyOf(key));
  return Done{};
}

Result<Done> BlobDraft::relink(const Target& target, const std::vector<std::string>& imports) {
  if (!opened().cut.tree) return cannotEdit(target.ref, "the stream has no import tree");
  BLOBSCOPE_TRY(number, find(target));
  std::vector<std::size_t> newImports;
  for (const std::string& name : imports) {
    BLOBSCOPE_TRY(child, findNamed(name, target.ref));
    if (std::find(newImports.begin(), newImports.end(), child) != newImports.end())
      return cannotEdit(target.ref, "it would import '" + escaped(name) + "' twice");
    newImports.push_back(child);
  }
  m_entries[number].imports = std::move(newImports);
  m_treeChanged = true;
  return Done{};
}

std::vector<std::size_t> BlobDraft::findCycle() const {
  struct Step {
    std::size_t entry, next;
  };
  std::vector<uint8_t> state(m_entries.size(), 0); // 1: on the path, 2: done
  for (std::size_t start = 0; start < m_entries.size(); ++start) {
    if (state[start] != 0) continue;
    std::vector<Step> path = {{start, 0}};
    state[start] = 1;
    while (!path.empty()) {
      Step& step = path.back();
      const auto& imports = m_entries[step.entry].imports;
      if (step.next == imports.size()) {
        state[step.entry] = 2;
        path.pop_back();
        continue;
      }
      const std::size_t child = imports[step.next++];
      if (state[child] == 1) {
        std::vector<std::size_t> cycle;
        for (const Step& on : path)
          if (!cycle.empty() || on.entry == child) cycle.push_back(on.entry);
        return cycle;
      }
      if (state[child] != 0) continue;
      state[child] = 1;
      path.push_back({child, 0});
    }
  }
  return {};
}

Result<Done> BlobDraft::checkTree(bool force, std::vector<Diagnostic>& warnings) const {
  const Ref place = opened().ref();
  const auto importers = [](const std::vector<Entry>& entries) {
    std::vector<std::size_t> counts(entries.size(), 0);
    for (const Entry& entry : entries)
      if (!entry.removed)
        for (const std::size_t child : entry.imports) ++counts[child];
    return counts;
  };
  const std::vector<std::size_t> counts = importers(m_entries);
  const auto isLib = [](const Entry& entry) { return entry.draft->key().view() == modules::kLibraryKey; };
  if (opened().cut.tree) {
    if (!m_entries.empty() && m_entries[0].removed)
      return Error(DiagnosticId::EditRoot, {arg("reason", "it cannot be removed")}, place);
    if (const auto cycle = findCycle(); !cycle.empty()) {
      std::string path;
      for (const std::size_t entry : cycle) path += nameOf(entry) + " → ";
      return Error(DiagnosticId::EditCycle, {{"path", path + nameOf(cycle.front())}}, place);
    }
    const std::vector<uint32_t> before = opened().importerCounts();
    for (std::size_t i = 1; i < m_entries.size(); ++i) {
      const bool orphanBefore = m_entries[i].stored && before[i] == 0;
      if (m_entries[i].removed || counts[i] > 0 || orphanBefore) continue;
      if (isLib(m_entries[i])) continue; // reported below with a stronger message
      BLOBSCOPE_CHECK(
          refuse(Error(DiagnosticId::EditOrphan,
                       {{"module", escaped(nameOf(i))}, arg("kind", m_entries[i].draft->key().view())}, place),
                 force, warnings));
    }
  }
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    const bool lost =
        isLib(m_entries[i]) && m_entries[i].stored &&
        (m_entries[i].removed || (opened().cut.tree && i > 0 && counts[i] == 0 && opened().importerCounts()[i] > 0));
    if (lost) BLOBSCOPE_CHECK(refuse(Error(DiagnosticId::EditLib, {}, place), force, warnings));
  }
  return Done{};
}

// --- the result

Result<Done> BlobDraft::finishModule(std::size_t number, bool force, std::vector<Diagnostic>& warnings, Payloads& out,
                                     Monitor& monitor) const {
  const library::Blob& blob = opened();
  const Entry& entry = m_entries[number];
  if (entry.removed) return Done{};
  BLOBSCOPE_TRY(result, entry.draft->finish());
  const ModuleDraft& draft = *entry.draft;
  const Ref place = entry.stored ? blob.moduleRef(static_cast<uint32_t>(number)) : blob.ref();
  if (result.whyUndecoded) {
    Error error(DiagnosticId::EditUndecoded,
                {{"module", escaped(draft.name())},
                 arg("kind", draft.key().view()),
                 {"reason", result.whyUndecoded->message()}},
                place);
    BLOBSCOPE_CHECK(refuse(std::move(error), force, warnings));
  }
  if (draft.key().view() == modules::kLibraryKey && !result.payload.empty())
    return cannotEdit(place, "'_lib' represents the library and has no content");
  if (result.changed && result.body) {
    const modules::Body* const before = entry.stored ? blob.modules[number]->body.get() : nullptr;
    BLOBSCOPE_CHECK(checkKernels(draft, before, *result.body, place, force, warnings, monitor));
  }
  if (draft.edited() && (!result.body || !result.body->decoded())) out.opaque = number;
  out.numbers[number] = out.modules.size();
  out.modules.push_back({draft.name(), draft.key(), result.payload, {}, result.body});
  out.records.push_back({entry.stored, draft.key(), {result.payload}});
  return Done{};
}

Result<BlobDraft::Payloads> BlobDraft::finishModules(bool force, std::vector<Diagnostic>& warnings,
                                                     Monitor& monitor) const {
  const library::Blob& blob = opened();
  Payloads out;
  out.numbers.resize(m_entries.size(), 0);
  const auto addModule = [&](std::size_t i) -> Result<Done> {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    return finishModule(i, force, warnings, out, monitor);
  };
  std::size_t number = 0;
  const auto addAdded = [&]() -> Result<Done> {
    for (std::size_t i = blob.modules.size(); i < m_entries.size(); ++i) BLOBSCOPE_CHECK(addModule(i));
    return Done{};
  };
  bool addedDone = false;
  for (const Record& record : blob.cut.records) {
    if (record.kind == Record::Kind::Module) {
      BLOBSCOPE_CHECK(addModule(number++));
      continue;
    }
    BLOBSCOPE_CHECK(addAdded()); // the tree stays the last record
    addedDone = true;
    out.records.push_back({&record, record.key, {}});
  }
  if (!addedDone) BLOBSCOPE_CHECK(addAdded());
  return out;
}

Result<Done> BlobDraft::checkEnds(const EditedBlob& edited, std::size_t opaque, bool force,
                                  std::vector<Diagnostic>& warnings, Monitor& monitor) const {
  const library::Blob& blob = opened();
  container::Carrier carrier = blob.carrier;
  carrier.available = joined(std::vector<Bytes>(edited.pieces));
  if (carrier.symbolSize) carrier.symbolSize = edited.size;
  BLOBSCOPE_TRY(reopened, library::openBlob(carrier, blob.refPrefix, monitor, blob.memberPath));
  const bool same = std::equal(reopened.modules.begin(), reopened.modules.end(), edited.modules.begin(),
                               edited.modules.end(), [](const library::ModulePtr& read, const EditedModule& wanted) {
                                 return read->key == wanted.key && read->payload.size() == wanted.payload.size() &&
                                        read->imports == wanted.imports;
                               });
  if (same) return Done{};
  const ModuleDraft& draft = *m_entries[opaque].draft;
  Error error(DiagnosticId::EditUndecoded,
              {{"module", escaped(draft.name())},
               arg("kind", draft.key().view()),
               {"reason", "its end in this stream is not known"}},
              m_entries[opaque].stored ? blob.moduleRef(static_cast<uint32_t>(opaque)) : blob.ref());
  return refuse(std::move(error), force, warnings);
}

Result<EditedBlob> BlobDraft::finish(bool force, std::vector<Diagnostic>& warnings, Monitor& monitor) {
  const library::Blob& blob = opened();
  EditedBlob out;
  out.package = m_package;
  out.index = m_index;
  if (m_whole) {
    if (m_treeChanged ||
        std::any_of(m_entries.begin(), m_entries.end(), [](const Entry& entry) { return entry.draft->edited(); }))
      return cannotEdit(blob.ref(), "other edits change its content");
    out.pieces = {*m_whole};
    out.size = m_whole->size();
    return out;
  }
  if (const std::string damage = damageOf(blob); !damage.empty())
    BLOBSCOPE_CHECK(refuse(Error(DiagnosticId::EditDamaged, {{"reason", damage}}, blob.ref()), force, warnings));
  if (m_treeChanged) BLOBSCOPE_CHECK(checkTree(force, warnings));
  BLOBSCOPE_TRY(payloads, finishModules(force, warnings, monitor));
  out.modules = std::move(payloads.modules);

  // --- 1. The tree. ---
  std::optional<library::ImportTree> tree = blob.cut.tree;
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    if (m_entries[i].removed) continue;
    for (const std::size_t child : m_entries[i].imports)
      out.modules[payloads.numbers[i]].imports.push_back(static_cast<uint32_t>(payloads.numbers[child]));
  }
  if (tree && m_treeChanged) {
    tree = library::ImportTree{{0}, {}};
    for (const EditedModule& module : out.modules) {
      tree->child.insert(tree->child.end(), module.imports.begin(), module.imports.end());
      tree->indptr.push_back(tree->child.size());
    }
  }

  // --- 2. The stream. ---
  std::optional<uint64_t> count = blob.cut.count;
  if (count && m_treeChanged && !blob.cut.uncounted) count = payloads.records.size();
  Writer stream;
  library::encodeStream(blob, count, tree, payloads.records, stream);
  Writer writer;
  writer.number<uint64_t>(stream.size());
  writer.append(std::move(stream));
  out.size = writer.size();
  out.pieces = writer.takePieces();
  if (payloads.opaque && blob.cut.stream == Stream::Classic)
    BLOBSCOPE_CHECK(checkEnds(out, *payloads.opaque, force, warnings, monitor));
  return out;
}

} // namespace blobscope::edit
