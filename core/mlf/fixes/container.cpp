#include "core/base/text.h"
#include "core/library/archive_kind.h"
#include "core/mlf/fixes/maker.h"
#include "core/mlf/reader.h"

#include <algorithm>

namespace blobscope::mlf {
namespace {

using check::Issue;
using Form = edit::SetArchive::Form;
using OptionalFix = std::optional<Fix>;

OptionalFix uncompress(const FixContext& context, const Issue&) {
  return FixMaker(context).archive(Form::Uncompressed).done("Store the archive without compression");
}

OptionalFix writeEnd(const FixContext& context, const Issue&) {
  return FixMaker(context).archive(Form::EndMarker).done("Write the end marker, and nothing after it");
}

/// Folders have no content, so any of their copies can be removed.
OptionalFix keepLastCopies(const FixContext& context, const Issue& issue) {
  const TarEntry* last = nullptr;
  bool folders = true;
  for (const TarEntry& entry : context.model().container.entries) {
    if (entry.path != issue.place.member) continue;
    folders = folders && entry.type == TarEntry::Type::Folder;
    last = &entry;
  }
  if (last && folders)
    return FixMaker(context)
        .remove(last->stored)
        .done("Remove the last copy of the folder '" + escapedWithin(last->stored, 200) + "'");
  return FixMaker(context)
      .archive(Form::LastCopies)
      .done("Remove the earlier copies of members; unpacking keeps the last one");
}

OptionalFix setModes(const FixContext& context, const Issue&) {
  return FixMaker(context).archive(Form::Modes).done("Set the modes of members to 0644 for files and 0755 for folders");
}

OptionalFix resetOwners(const FixContext& context, const Issue&) {
  return FixMaker(context).archive(Form::Owners).done("Set the owner of all members to root with the number 0");
}

/// Returns the member that the place of a finding of the container names; null if several have its path.
const TarEntry* entryAt(const FixContext& context, const Issue& issue, TarEntry::Type type) {
  const TarEntry* found = nullptr;
  for (const TarEntry& entry : context.model().container.entries) {
    if (entry.path != issue.place.member) continue;
    if (found || entry.path.empty()) return nullptr;
    found = &entry;
  }
  return found && found->type == type ? found : nullptr;
}

/// A hard link names a path of the archive, a symbolic one a path relative to its folder. The reader does not keep
/// which one it is, so both must not name different files.
OptionalFix copyTarget(const FixContext& context, const Issue& issue) {
  const TarEntry* const entry = entryAt(context, issue, TarEntry::Type::Link);
  if (!entry || entry->link.empty() || entry->link.starts_with('/')) return std::nullopt;
  const auto resolved = [](std::string path) { // without ".."; nothing if it leaves the archive
    std::vector<std::string> parts;
    path += '/';
    for (std::size_t at = 0, end; (end = path.find('/', at)) != std::string::npos; at = end + 1) {
      const std::string part = path.substr(at, end - at);
      if (part == "..") {
        if (parts.empty()) return std::string();
        parts.pop_back();
      } else if (!part.empty() && part != ".") {
        parts.push_back(part);
      }
    }
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : "/") + part;
    return out;
  };
  const std::size_t slash = entry->path.rfind('/');
  const std::string folder = slash == std::string::npos ? std::string() : entry->path.substr(0, slash + 1);
  const File* const whole = context.model().find(resolved(entry->link));
  const File* const relative = context.model().find(resolved(folder + entry->link));
  if ((whole && relative && whole != relative) || (!whole && !relative)) return std::nullopt;
  const File& target = whole ? *whole : *relative;
  return FixMaker(context)
      .remove(entry->stored)
      .add(entry->stored, target.bytes)
      .done("Replace the link '" + escapedWithin(entry->stored, 200) + "' with a copy of '" +
            escapedWithin(target.path, 200) + "'");
}

/// A sparse file has content that is lost with it, and unknown types may have some.
OptionalFix removeSpecial(const FixContext& context, const Issue& issue) {
  const TarEntry* const entry = entryAt(context, issue, TarEntry::Type::Other);
  if (!entry || (entry->typeText != "fifo" && !entry->typeText.ends_with(" device"))) return std::nullopt;
  return FixMaker(context)
      .remove(entry->stored)
      .done("Remove the " + entry->typeText + " '" + escapedWithin(entry->stored, 200) + "'");
}

OptionalFix prefixMetadata(const FixContext& context, const Issue& issue) {
  const TarEntry* const entry = entryAt(context, issue, TarEntry::Type::File);
  if (!entry) return std::nullopt;
  return FixMaker(context).rename(entry->stored, "./metadata.json").done("Rename metadata.json to ./metadata.json");
}

/// Only for an archive that is complete, but packed with a folder around it.
OptionalFix unwrap(const FixContext& context, const Issue&) {
  constexpr std::size_t kMembers = 2'000;
  const Container& container = context.model().container;
  if (container.kind != ArchiveKind::WrappedMlf || context.model().files.empty() || container.entries.size() > kMembers)
    return std::nullopt;
  const std::string& first = context.model().files.front().path;
  const std::string folder = first.substr(0, first.find('/'));
  FixMaker maker(context);
  for (const TarEntry& entry : container.entries) {
    if (entry.type == TarEntry::Type::Folder) {
      maker.remove(entry.stored); // the paths of files name their folders
      continue;
    }
    if (!entry.safe || !entry.path.starts_with(folder + "/")) return std::nullopt;
    maker.rename(entry.stored, storedPath(entry.path.substr(folder.size() + 1)));
  }
  return maker.done("Move all files out of the folder '" + escapedWithin(folder, 200) + "'");
}

constexpr FixRow kContainerFixes[] = {
    {check::Rule::MlfCompressed, uncompress},
    {check::Rule::MlfTarEnd, writeEnd},
    {check::Rule::MlfLink, copyTarget},
    {check::Rule::MlfMemberType, removeSpecial},
    {check::Rule::MlfDuplicatePath, keepLastCopies},
    {check::Rule::MlfMode, setModes},
    {check::Rule::MlfOwner, resetOwners},
    {check::Rule::MlfMetadataPath, prefixMetadata},
    {check::Rule::MlfNoMetadata, unwrap},
};

} // namespace

std::span<const FixRow> containerFixes() { return kContainerFixes; }

} // namespace blobscope::mlf
