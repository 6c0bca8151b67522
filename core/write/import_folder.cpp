#include "core/write/import_folder.h"

#include "core/base/digest.h"
#include "core/base/path_text.h"
#include "core/base/place.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/library/node.h"
#include "core/library/resolve.h"

#include <algorithm>
#include <map>
#include <set>

namespace blobscope::write {
namespace {

constexpr std::string_view kSchema = "blobscope.manifest/1";

/// Returns a byte string of the manifest: text, or {"hex": "…"}.
std::optional<std::string> bytesOf(const json::Value* value) {
  if (value && value->string()) return *value->string();
  const json::Value* const hex = value ? value->find("hex") : nullptr;
  return hex && hex->string() ? parseHexDigits(*hex->string()) : std::nullopt;
}

/// Whether the manifest may name that file: by its path, it is below the folder.
bool isInside(const std::filesystem::path& path) {
  return !path.empty() && path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const auto& step) { return step == ".."; });
}

/// Reads a file below the folder, which may be empty.
Result<Bytes> readBeneath(const std::filesystem::path& folder, const std::filesystem::path& inside) {
  BLOBSCOPE_TRY(file, openBeneath(folder, inside));
  auto source = ByteSource::openFile(std::move(file), folder / inside);
  if (source) return ByteSource::all(*source);
  if (source.error().id() == DiagnosticId::FileEmpty) return Bytes();
  return source.takeError();
}

/// Adds all members "file" that are texts, at any depth.
void addFiles(const json::Value& value, std::vector<std::string>& files) {
  if (const auto* const list = value.array())
    for (const json::Value& one : *list) addFiles(one, files);
  if (const auto* const object = value.object())
    for (const auto& [name, one] : *object) {
      if (name == "file" && one.string())
        files.push_back(*one.string());
      else
        addFiles(one, files);
    }
}

class Importer {
public:
  Importer(const std::filesystem::path& folder, const library::PackagePtr& package, Monitor& monitor)
      : m_folder(folder), m_package(package), m_monitor(monitor) {}

  Result<std::vector<edit::Edit>> run(const Manifest& manifest) {
    const auto* const blobs = list(manifest.document, "blobs");
    if (!blobs) return refuse("\"blobs\" is not a list");
    for (const json::Value& blob : *blobs) BLOBSCOPE_CHECK(addBlob(blob));
    return std::move(m_edits);
  }

private:
  Error refuse(std::string reason) const {
    return Error(DiagnosticId::ImportFolder,
                 {{"path", shownPath(pathText(m_folder))}, {"reason", "in manifest.json, " + std::move(reason)}});
  }
  static const json::Value::Array* list(const json::Value& value, std::string_view name) {
    const json::Value* const found = value.find(name);
    return found ? found->array() : nullptr;
  }
  static const std::string* text(const json::Value& value, std::string_view name) {
    const json::Value* const found = value.find(name);
    return found ? found->string() : nullptr;
  }

  /// One module of the manifest.
  struct Entry {
    std::string name; ///< its ref in the library, or the id of a new module
    std::string key;
    const library::Module* module = nullptr; ///< null for a new one
    std::vector<uint64_t> imports;           ///< as values of "index"
    uint64_t index = 0;
    const json::Value* value = nullptr;
  };

  Result<Done> addBlob(const json::Value& value) {
    const std::string* const refText = text(value, "ref");
    const auto ref = refText ? Ref::parse(*refText) : std::nullopt;
    const auto* const modules = list(value, "modules");
    if (!ref || ref->kind != Ref::Kind::Blob || !modules) return refuse("a blob has no \"ref\" or no \"modules\"");
    BLOBSCOPE_TRY(found, library::resolveBlob(*m_package, *ref));
    const library::Blob* const blob = found.blob;

    // --- 1. The modules of the manifest. ---
    std::vector<Entry> entries;
    for (const json::Value& one : *modules) {
      BLOBSCOPE_TRY(entry, readEntry(one, *blob));
      entries.push_back(std::move(entry));
    }
    std::map<uint64_t, const Entry*> byIndex;
    std::set<const library::Module*> listed;
    for (const Entry& entry : entries) {
      if (!byIndex.emplace(entry.index, &entry).second)
        return refuse("two modules have the index " + std::to_string(entry.index));
      if (entry.module && !listed.insert(entry.module).second)
        return refuse("two modules have the ref '" + entry.name + "'; a new one has none");
    }

    // --- 2. New modules, removed modules, imports. ---
    BLOBSCOPE_CHECK(addModules(entries, *blob));
    for (const library::ModulePtr& module : blob->modules)
      if (std::none_of(entries.begin(), entries.end(),
                       [&](const Entry& entry) { return entry.module == module.get(); }))
        m_edits.push_back(edit::Remove{{blob->moduleRef(module->index), {}}});
    for (const Entry& entry : entries) BLOBSCOPE_CHECK(relink(entry, byIndex, *blob));

    // --- 3. Their content. ---
    for (const Entry& entry : entries)
      if (entry.module) BLOBSCOPE_CHECK(addContents(entry, *blob));
    return Done{};
  }

  Result<Entry> readEntry(const json::Value& value, const library::Blob& blob) {
    Entry entry;
    entry.value = &value;
    const auto key = bytesOf(value.find("key"));
    const json::Value* const index = value.find("index");
    const auto* const imports = list(value, "imports");
    if (!key || !index || !std::holds_alternative<uint64_t>(index->data) || !imports)
      return refuse("a module lacks \"key\", \"index\" or \"imports\"");
    entry.key = *key;
    entry.index = std::get<uint64_t>(index->data);
    for (const json::Value& one : *imports) {
      if (!std::holds_alternative<uint64_t>(one.data))
        return refuse("the imports of module " + std::to_string(entry.index) + " are not numbers");
      entry.imports.push_back(std::get<uint64_t>(one.data));
    }
    if (const std::string* const refText = text(value, "ref")) {
      const auto ref = Ref::parse(*refText);
      if (!ref || ref->kind != Ref::Kind::Module || ref->module >= blob.modules.size())
        return Error(DiagnosticId::RefNotFound, {arg("ref", *refText), {"reason", "the library has no such module"}});
      entry.module = blob.modules[ref->module].get();
      entry.name = ref->toString();
    } else {
      entry.name = "new" + std::to_string(++m_added);
    }
    return entry;
  }

  /// Adds the new modules; importers come before their imports, because an edit can only name existing modules.
  Result<Done> addModules(const std::vector<Entry>& entries, const library::Blob& blob) {
    std::vector<const Entry*> left;
    for (const Entry& entry : entries)
      if (!entry.module) left.push_back(&entry);
    std::set<std::string> there;
    for (const Entry& entry : entries)
      if (entry.module) there.insert(entry.name);
    while (!left.empty()) {
      const std::size_t before = left.size();
      for (auto at = left.begin(); at != left.end();) {
        edit::AddModule add;
        if (!blob.cut.tree) add.parents = {blob.ref().toString()};
        for (const Entry& other : entries)
          if (blob.cut.tree && there.contains(other.name) &&
              std::find(other.imports.begin(), other.imports.end(), (*at)->index) != other.imports.end())
            add.parents.push_back(other.name);
        if (add.parents.empty()) {
          ++at;
          continue;
        }
        add.id = (*at)->name;
        add.key = (*at)->key;
        const json::Value* const payload = (*at)->value->find("payload");
        BLOBSCOPE_TRY(bytes, contentOf(payload));
        if (bytes) add.content.bytes = std::move(*bytes);
        there.insert(add.id);
        m_edits.push_back(std::move(add));
        at = left.erase(at);
      }
      if (left.size() == before)
        return refuse("no module imports the new module " + std::to_string(left.front()->index));
    }
    return Done{};
  }

  Result<Done> relink(const Entry& entry, const std::map<uint64_t, const Entry*>& byIndex, const library::Blob& blob) {
    if (!blob.cut.tree) return Done{};
    std::vector<std::string> wanted, stored;
    for (const uint64_t index : entry.imports) {
      const auto found = byIndex.find(index);
      if (found == byIndex.end())
        return refuse("module " + std::to_string(entry.index) + " imports " + std::to_string(index) +
                      ", which is not listed");
      wanted.push_back(found->second->name);
    }
    if (entry.module)
      for (const uint32_t child : entry.module->imports) stored.push_back(blob.moduleRef(child).toString());
    if (wanted == stored) return Done{};
    edit::Target target;
    if (entry.module)
      target.ref = blob.moduleRef(entry.module->index);
    else
      target.id = entry.name;
    m_edits.push_back(edit::Relink{std::move(target), std::move(wanted)});
    return Done{};
  }

  Result<Done> addContents(const Entry& entry, const library::Blob& blob) {
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    m_monitor.progress("comparing with the folder", entry.module->index, blob.modules.size());
    const library::Module& module = *entry.module;
    const Ref ref = blob.moduleRef(module.index);
    if (module.key.view() != entry.key) m_edits.push_back(edit::Rename{{ref, {}}, entry.key});
    BLOBSCOPE_TRY(payload, contentOf(entry.value->find("payload")));
    if (payload) {
      BLOBSCOPE_TRY(difference, findDifference({*payload}, module.payload, m_monitor));
      if (difference) m_edits.push_back(edit::Replace{{ref, {}}, {{}, *payload}});
    }
    const auto* const parts = list(*entry.value, "parts");
    for (const json::Value& part : parts ? *parts : json::Value::Array{}) {
      const std::string *const partText = text(part, "ref"), *const digest = text(part, "sha256");
      const auto partRef = partText ? Ref::parse(*partText) : std::nullopt;
      BLOBSCOPE_TRY(bytes, contentOf(&part));
      if (!partRef || !digest || !bytes)
        return refuse("a part of module " + std::to_string(entry.index) + " lacks \"ref\", \"file\" or \"sha256\"");
      BLOBSCOPE_TRY(found, computeSha256(*bytes, m_monitor));
      if (found != *digest) m_edits.push_back(edit::Replace{{*partRef, {}}, {{}, *bytes}});
    }
    return Done{};
  }

  /// Returns the bytes of the file that an object of the manifest names; nothing when it names none. Never reads files
  /// outside of the folder.
  Result<std::optional<Bytes>> contentOf(const json::Value* value) const {
    const std::string* const name = value ? text(*value, "file") : nullptr;
    if (!name) return std::optional<Bytes>();
    if (!isInside(pathFrom(*name))) return refuse("the file '" + escaped(*name) + "' is not in the folder");
    BLOBSCOPE_TRY(bytes, readBeneath(m_folder, pathFrom(*name)));
    return std::optional(std::move(bytes));
  }

  const std::filesystem::path& m_folder;
  const library::PackagePtr& m_package;
  Monitor& m_monitor;
  std::vector<edit::Edit> m_edits;
  std::size_t m_added = 0;
};

} // namespace

Result<Manifest> readManifest(const std::filesystem::path& folder) {
  std::error_code failure;
  if (!std::filesystem::exists(folder, failure) && !failure)
    return Error(DiagnosticId::FileNotFound, {{"path", shownPath(pathText(folder))}});
  BLOBSCOPE_TRY(bytes, readBeneath(folder, "manifest.json"));
  BLOBSCOPE_TRY(document, json::parse(bytes));
  Manifest manifest;
  const json::Value* const schema = document.find("schema");
  const json::Value* const file = document.find("file");
  const json::Value* const digest = file ? file->find("sha256") : nullptr;
  const auto path = bytesOf(file ? file->find("path") : nullptr);
  if (!schema || !schema->string() || *schema->string() != kSchema || !path || !digest || !digest->string())
    return Error(DiagnosticId::ImportFolder,
                 {{"path", shownPath(pathText(folder))}, {"reason", "its manifest.json was not written by export"}});
  manifest.library = *path;
  manifest.sha256 = *digest->string();
  manifest.document = std::move(document);
  return manifest;
}

std::vector<std::filesystem::path> filesOf(const std::filesystem::path& folder, const Manifest& manifest) {
  std::vector<std::string> names;
  addFiles(manifest.document, names);
  std::vector<std::filesystem::path> out = {folder / "manifest.json"};
  for (const std::string& name : names)
    if (const std::filesystem::path path = pathFrom(name); isInside(path)) out.push_back(folder / path);
  return out;
}

Result<Done> checkLibrary(const Manifest& manifest, const library::Package& package, Monitor& monitor) {
  BLOBSCOPE_TRY(found, computeSha256(package.bytes, monitor));
  if (found != manifest.sha256)
    return Error(DiagnosticId::EditFile, {arg("wanted", manifest.sha256), arg("found", found)});
  return Done{};
}

Result<std::vector<edit::Edit>> editsOfFolder(const std::filesystem::path& folder, const Manifest& manifest,
                                              const library::PackagePtr& package, Monitor& monitor) {
  longWork("write::editsOfFolder");
  return Importer(folder, package, monitor).run(manifest);
}

} // namespace blobscope::write
