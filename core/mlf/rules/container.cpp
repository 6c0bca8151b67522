#include "core/base/text.h"
#include "core/mlf/rules/checks.h"

#include <algorithm>
#include <map>
#include <set>

namespace blobscope::mlf {
namespace {

using Type = TarEntry::Type;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return out;
}

Place placeOf(const TarEntry& entry) {
  Place place;
  place.member = entry.path;
  if (entry.path.empty()) place.offset = entry.offset;
  return place;
}

std::string octalText(uint64_t value) {
  std::string out;
  for (; value > 0; value >>= 3) out.insert(out.begin(), static_cast<char>('0' + (value & 7)));
  return "0" + out;
}

/// Returns whether Windows reserves the name for a device, with any extension. Source: Microsoft, "Naming Files, Paths,
/// and Namespaces".
bool isDeviceName(std::string_view part) {
  const std::string stem = lower(part.substr(0, part.find('.')));
  if (stem == "con" || stem == "prn" || stem == "aux" || stem == "nul") return true;
  return stem.size() == 4 && (stem.starts_with("com") || stem.starts_with("lpt")) && stem[3] >= '1' && stem[3] <= '9';
}

/// Returns an empty text for a path that every system can create.
std::string whyNotPortable(std::string_view path) {
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return "it has a control character";
    if (byte > 0x7f) return "it has a character that is not ASCII";
    if (std::string_view("<>:\"|?*").find(c) != std::string_view::npos)
      return std::string("Windows rejects '") + c + "'";
  }
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.size() > 255)
      return "a part has " + std::to_string(part.size()) + " bytes, but file systems accept at most 255";
    if (part.ends_with('.') || part.ends_with(' '))
      return std::string("a part ends in a ") + (part.ends_with('.') ? "dot" : "blank");
    if (isDeviceName(part)) return "'" + std::string(part) + "' is a device on Windows";
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return {};
}

/// MLF-008, 009, 010: conflicting paths. Folders above a member count even if the archive does not list them.
void checkPaths(const Container& container, Findings& findings) {
  std::map<std::string_view, const TarEntry*> files, folders;
  for (const TarEntry& entry : container.entries) {
    if (!entry.safe) continue;
    auto& seen = entry.type == Type::Folder ? folders : files;
    if (!seen.try_emplace(entry.path, &entry).second)
      findings.add(Rule::MlfDuplicatePath, placeOf(entry), {arg("path", entry.stored)});
  }
  std::set<std::string_view> parents;
  for (const auto* list : {&files, &folders})
    for (const auto& [path, entry] : *list)
      for (std::size_t slash = path.rfind('/'); slash != std::string_view::npos; slash = path.rfind('/', slash - 1)) {
        if (!parents.insert(path.substr(0, slash)).second || slash == 0)
          break; // the folders above it were already handled
      }
  for (const auto& [path, entry] : files)
    if (!path.empty() && (parents.contains(path) || folders.contains(path)))
      findings.add(Rule::MlfFileAndFolder, placeOf(*entry), {arg("path", path)});

  for (const auto& [path, entry] : files) parents.insert(path);
  for (const auto& [path, entry] : folders) parents.insert(path);
  std::map<std::pair<std::string_view, std::string>, std::string_view>
      byCase; // folder and lower-case name → first path
  for (const std::string_view path : parents) {
    const std::size_t slash = path.rfind('/');
    const std::string_view folder = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
    const auto [first, isNew] = byCase.try_emplace({folder, lower(path.substr(folder.size()))}, path);
    if (!isNew)
      findings.add(Rule::MlfPathsDifferInCase, {std::string(path), {}, {}, {}},
                   {arg("a", first->second), arg("b", path)});
  }
}

void checkOwners(const Container& container, Findings& findings) {
  struct Account {
    uint64_t count = 0;
    const TarEntry* first = nullptr;
  };
  std::map<std::string, Account> accounts;
  const auto isRoot = [](std::string_view name) { return name.empty() || name == "root"; };
  for (const TarEntry& entry : container.entries) {
    if (entry.uid == 0 && entry.gid == 0 && isRoot(entry.owner) && isRoot(entry.group)) continue;
    Account& account = accounts[entry.owner.empty() ? std::to_string(entry.uid) : entry.owner];
    if (account.count++ == 0) account.first = &entry;
  }
  for (const auto& [owner, account] : accounts)
    findings.add(Rule::MlfOwner, placeOf(*account.first), {arg("count", account.count), arg("owner", owner)});
}

std::string whyNoMlf(const Model& model) {
  const Container& container = model.container;
  switch (container.kind) {
  case ArchiveKind::WrappedMlf: {
    const std::string& path = model.files.front().path;
    return "everything is in the folder '" + escaped(path.substr(0, path.find('/'))) +
           "'; metadata.json has to be in the root";
  }
  case ArchiveKind::DamagedMlf: return "metadata.json is missing, although codegen/host and parameters exist";
  case ArchiveKind::Unknown: return container.entries.empty() ? "it is empty" : "it has no metadata.json";
  default:
    return "it looks like a" + std::string(container.kind == ArchiveKind::ExportLibrary ? "n " : " ") +
           std::string(kindText(container.kind));
  }
}

} // namespace

void checkContainer(const Model& model, Findings& findings, Monitor& monitor) {
  const Container& container = model.container;
  // --- 1. The archive. ---
  if (container.kind == ArchiveKind::NotTar) {
    findings.add(Rule::MlfNotTar, {}, {{"why", container.whyNotTar}});
    return;
  }
  if (!container.codec.empty()) findings.add(Rule::MlfCompressed, {}, {arg("codec", container.codec)});
  if (container.damage)
    findings.add(Rule::MlfTarDamaged, {{}, {}, {}, container.damage->offset},
                 {hexArg("offset", container.damage->offset), {"why", container.damage->why}});
  if (container.end && !container.damage) findings.add(Rule::MlfTarEnd, {}, {arg("what", *container.end)});
  for (const Container::Exceeded& one : container.exceeded)
    findings.add(Rule::MlfLimit, {}, {{"what", one.what}, {"limit", one.limit}});

  // --- 2. Each member. ---
  uint64_t count = 0;
  for (const TarEntry& entry : container.entries) {
    if (++count % 4'096 == 0 && monitor.stopRequested()) return;
    if (!entry.safe) {
      findings.add(Rule::MlfUnsafePath, {{}, {}, {}, entry.offset}, {arg("path", entry.stored)});
      continue;
    }
    const Place place = placeOf(entry);
    if (entry.type == Type::Link)
      findings.add(Rule::MlfLink, place, {arg("path", entry.stored), arg("target", entry.link)});
    if (entry.type == Type::Other)
      findings.add(Rule::MlfMemberType, place, {arg("path", entry.stored), arg("type", entry.typeText)});
    if ((entry.mode & 07000) != 0 || (entry.type == Type::File && (entry.mode & 0400) == 0))
      findings.add(Rule::MlfMode, place, {arg("path", entry.stored), arg("mode", octalText(entry.mode))});
    if (entry.path == "metadata.json" && entry.stored != "./metadata.json")
      findings.add(Rule::MlfMetadataPath, place, {arg("path", entry.stored)});
    if (const std::string why = whyNotPortable(entry.path); !why.empty())
      findings.add(Rule::MlfPathNotPortable, place, {arg("path", entry.stored), {"why", why}});
  }

  // --- 3. Conflicts between members. ---
  checkPaths(container, findings);
  checkOwners(container, findings);

  // --- 4. The kind. If the archive is cut off, its full content is unknown. ---
  if (container.kind != ArchiveKind::Mlf && !container.damage && container.exceeded.empty())
    findings.add(Rule::MlfNoMetadata, {}, {{"why", whyNoMlf(model)}});
}

} // namespace blobscope::mlf
