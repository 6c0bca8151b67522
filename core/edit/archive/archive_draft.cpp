#include "core/edit/archive/archive_draft.h"

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/edit/archive/json_text.h"
#include "core/edit/module_draft.h"

#include <algorithm>
#include <map>
#include <set>

namespace blobscope::edit {
namespace {

using container::Member;
using library::normalisedPath;

constexpr std::size_t kShownPath = 200;

/// Returns why nothing can be unpacked to that path, or why it is not one; nothing when it can be used.
std::optional<std::string> whyBadPath(std::string_view path) {
  if (path.empty()) return "it is empty";
  if (path.size() > limits::kMemberName) return "it is longer than " + groupedText(limits::kMemberName) + " bytes";
  if (std::any_of(path.begin(), path.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
    return "it contains a control character";
  if (path.front() == '/') return "it is absolute";
  const char first = static_cast<char>(path.front() | 0x20);
  if (path.size() > 1 && path[1] == ':' && first >= 'a' && first <= 'z') return "it begins with a drive letter";
  if (path.find('\\') != std::string_view::npos) return "it contains a backslash";
  if (path.ends_with('/')) return "it ends with '/', but only files can be added and named";
  std::string_view rest = path.starts_with("./") ? path.substr(2) : path;
  for (;;) {
    const std::string_view step = rest.substr(0, rest.find('/'));
    if (step.empty() || step == ".") return "it has an empty step or a '.'";
    if (step == "..") return "'..' leads out of the folder into which the archive is unpacked";
    if (step.size() == rest.size()) return std::nullopt;
    rest.remove_prefix(step.size() + 1);
  }
}

Error badPath(std::string_view path, std::string reason) {
  return Error(DiagnosticId::EditPath,
               {{"path", escapedWithin(std::string(path), kShownPath)}, {"reason", std::move(reason)}});
}

/// Returns the steps of a path. Sorted by them, members have the order of TVM's exporter: names within a folder in
/// order, each folder directly before its content.
std::vector<std::string> sortKey(const std::string& path) {
  std::vector<std::string> steps;
  std::string rest = normalisedPath(path);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    steps.push_back(rest.substr(0, end));
    rest.erase(0, std::min(end + 1, rest.size()));
  }
  return steps;
}

bool isBelow(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path[folder.size()] == '/' && path.starts_with(folder);
}

std::string folderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

} // namespace

std::optional<Ref> asMember(const Ref& ref) {
  if (ref.at) return std::nullopt;
  if (ref.kind == Ref::Kind::Member) return ref;
  if (ref.kind != Ref::Kind::File || ref.members.empty()) return std::nullopt;
  Ref out = Ref::named(Ref::Kind::Member, ref.members.back());
  out.members.assign(ref.members.begin(), ref.members.end() - 1);
  return out;
}

ArchiveDraft::ArchiveDraft(library::PackagePtr package) : m_package(std::move(package)) {
  for (std::size_t i = 0; i < m_package->members.size(); ++i) {
    const std::string& stored = m_package->members[i].stored->path;
    m_dotted = m_dotted || stored.starts_with("./");
    m_items.push_back({{i, stored, false, {}}, false, normalisedPath(stored), {}});
  }
}

const library::PackageMember* ArchiveDraft::openedOf(const Item& item) const {
  return item.member.origin ? &m_package->members[*item.member.origin] : nullptr;
}

Result<std::size_t> ArchiveDraft::find(const Ref& ref) const {
  const auto findIf = [&](const auto& suits) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < m_items.size(); ++i)
      if (!m_items[i].removed && suits(m_items[i])) return i;
    return std::nullopt;
  };
  const std::string plain = normalisedPath(ref.name);
  auto found = findIf([&](const Item& item) { return openedOf(item) && openedOf(item)->name == ref.name; });
  if (!found)
    found = findIf([&](const Item& item) { return openedOf(item) && normalisedPath(openedOf(item)->name) == plain; });
  if (!found) found = findIf([&](const Item& item) { return !openedOf(item) && item.plain == plain; });
  if (found) return *found;
  std::vector<std::string> names;
  for (const Item& item : m_items)
    if (!item.removed) names.push_back(openedOf(item) ? openedOf(item)->name : item.member.path);
  return Error(
      DiagnosticId::RefNotFound,
      {arg("ref", ref.toString()),
       {"reason", "no member is called '" + escapedWithin(ref.name, kShownPath) + "'" + proposalText(ref.name, names)}},
      ref);
}

Result<std::size_t> ArchiveDraft::findFile(const Ref& ref, const std::string& what) const {
  BLOBSCOPE_TRY(index, find(ref));
  const library::PackageMember* const opened = openedOf(m_items[index]);
  if (!opened || opened->stored->type == Member::Type::File) return index;
  return cannotEdit(ref, "only files " + what);
}

Result<std::string> ArchiveDraft::storedPath(const std::string& path, std::optional<std::size_t> self) const {
  if (const auto why = whyBadPath(path)) return badPath(path, *why);
  const std::string plain = normalisedPath(path);
  for (std::size_t i = 0; i < m_items.size(); ++i) {
    if (m_items[i].removed || i == self) continue;
    const std::string& other = m_items[i].plain;
    if (other == plain) return badPath(path, "the archive already has a member with this path");
    const library::PackageMember* const opened = openedOf(m_items[i]);
    const bool folder = opened && opened->stored->type == Member::Type::Folder;
    if (!folder && !other.empty() && isBelow(plain, other))
      return badPath(path, "'" + escapedWithin(other, kShownPath) + "' is a file, so nothing can be in it");
    if (isBelow(other, plain)) return badPath(path, "it is a folder of the archive");
  }
  return m_dotted && !path.starts_with("./") ? "./" + path : path;
}

Result<Done> ArchiveDraft::replace(const Ref& ref, Bytes content) {
  BLOBSCOPE_TRY(index, findFile(ref, "can be replaced"));
  m_items[index].member.content = std::move(content);
  m_items[index].json.reset();
  return Done{};
}

std::size_t ArchiveDraft::placeFor(const std::string& path) const {
  // After the last member of its folder or below it; else of the nearest folder above it that has members.
  for (std::string folder = folderOf(normalisedPath(path));; folder = folderOf(folder)) {
    for (std::size_t i = m_items.size(); i-- > 0;) {
      const std::string& other = m_items[i].plain;
      if (!m_items[i].removed && (folder.empty() || other == folder || isBelow(other, folder))) return i + 1;
    }
    if (folder.empty()) return m_items.size();
  }
}

Result<Done> ArchiveDraft::add(const Ref& ref, const std::optional<std::string>& after, Bytes content) {
  BLOBSCOPE_TRY(path, storedPath(ref.name, std::nullopt));
  std::size_t place = placeFor(path);
  if (after) {
    Ref before = ref;
    before.name = *after;
    BLOBSCOPE_TRY(index, find(before));
    place = index + 1;
  }
  m_items.insert(m_items.begin() + static_cast<std::ptrdiff_t>(place),
                 {{std::nullopt, path, false, std::move(content)}, false, normalisedPath(path), {}});
  return Done{};
}

Result<Done> ArchiveDraft::remove(const Ref& ref) {
  BLOBSCOPE_TRY(index, find(ref));
  if (m_items[index].member.origin)
    m_items[index].removed = true;
  else
    m_items.erase(m_items.begin() + static_cast<std::ptrdiff_t>(index));
  return Done{};
}

Result<Done> ArchiveDraft::rename(const Ref& ref, const std::string& path) {
  BLOBSCOPE_TRY(index, find(ref));
  EditedMember& member = m_items[index].member;
  const library::PackageMember* const opened = openedOf(m_items[index]);
  if (opened && opened->stored->type == Member::Type::Folder)
    return cannotEdit(ref, "it is a folder; rename the files in it");
  BLOBSCOPE_TRY(stored, storedPath(path, index));
  member.renamed = opened && stored != opened->stored->path;
  member.path = std::move(stored);
  m_items[index].plain = normalisedPath(member.path);
  return Done{};
}

void ArchiveDraft::takeJson(Item& item) {
  if (!item.json) return;
  item.member.content = item.json->text();
  item.json.reset();
}

Result<std::optional<Bytes>> ArchiveDraft::newContent(const Ref& ref) {
  BLOBSCOPE_TRY(index, find(ref));
  takeJson(m_items[index]);
  return m_items[index].member.content;
}

Result<Done> ArchiveDraft::setJson(const Ref& ref, const std::string& pointer,
                                   const std::optional<json::Value>& value) {
  BLOBSCOPE_TRY(index, findFile(ref, "contain JSON"));
  const EditedMember& member = m_items[index].member;
  const library::PackageMember* const opened = openedOf(m_items[index]);
  if (opened && !member.content && !opened->stored->note.empty()) return cannotEdit(ref, opened->stored->note);
  std::optional<JsonDraft>& json = m_items[index].json;
  if (!json) json.emplace(member.content ? *member.content : opened->stored->bytes);
  return json->set(ref, pointer, value);
}

Result<Done> ArchiveDraft::setForm(const Ref& ref, SetArchive::Form form) {
  if (m_package->image.format != container::Format::Tar)
    return Error(DiagnosticId::PlanArchive, {{"reason", "only the form of tar archives can be changed"}}, ref);
  switch (form) {
  case SetArchive::Form::Uncompressed: m_uncompressed = true; break;
  case SetArchive::Form::EndMarker: m_endMarker = true; break;
  case SetArchive::Form::LastCopies: m_lastCopies = true; break;
  case SetArchive::Form::Modes: m_modes = true; break;
  case SetArchive::Form::Owners: m_owners = true; break;
  case SetArchive::Form::Canonical: m_canonical = true; break;
  }
  return Done{};
}

Result<EditedArchive> ArchiveDraft::finish(Monitor& monitor) {
  for (Item& item : m_items) takeJson(item);
  EditedArchive out{m_package, {}, {}, m_uncompressed, m_endMarker, m_canonical, m_modes, m_owners};
  // --- 1. Of several copies of a path the last one stays. ---
  std::set<std::size_t> older;
  std::map<std::string, std::size_t> latest;
  for (std::size_t i = 0; m_lastCopies && i < m_items.size(); ++i) {
    const library::PackageMember* const opened = openedOf(m_items[i]);
    if (m_items[i].removed || (opened && opened->stored->type == Member::Type::Folder)) continue;
    const auto [at, added] = latest.try_emplace(normalisedPath(m_items[i].member.path), i);
    if (added) continue;
    older.insert(at->second);
    at->second = i;
  }
  // --- 2. The members. ---
  std::vector<std::pair<std::vector<std::string>, EditedMember>> members;
  for (std::size_t i = 0; i < m_items.size(); ++i) {
    if (i % 4'096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const EditedMember& member = m_items[i].member;
    if (!m_items[i].removed && !older.contains(i))
      members.emplace_back(m_canonical ? sortKey(member.path) : std::vector<std::string>(), member);
    else if (member.origin)
      out.removed.push_back(*member.origin);
  }
  std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [key, member] : members) {
    const library::PackageMember* const opened = member.origin ? &m_package->members[*member.origin] : nullptr;
    if (opened && member.content && *member.content == opened->stored->bytes) member.content.reset();
    out.members.push_back(std::move(member));
  }
  return out;
}

} // namespace blobscope::edit
