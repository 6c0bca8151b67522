#include "core/edit/archive/member_names.h"

#include <algorithm>
#include <unordered_map>

namespace blobscope::edit {
namespace {

const EditedArchive* archiveAt(const Applied& applied, const std::vector<std::string>& members) {
  for (const EditedArchive& archive : applied.archives)
    if (archive.package->memberPath == members) return &archive;
  return nullptr;
}

/// Returns the names of the members around a ref, and its own if it is a member.
std::vector<std::string> namesOf(const Ref& ref) {
  std::vector<std::string> names = ref.members;
  if (ref.kind == Ref::Kind::Member) names.push_back(ref.name);
  return names;
}
Ref withNames(Ref ref, std::vector<std::string> names) {
  if (ref.kind == Ref::Kind::Member) {
    ref.name = std::move(names.back());
    names.pop_back();
  }
  ref.members = std::move(names);
  return ref;
}

} // namespace

std::vector<std::string> namesAfter(const EditedArchive& archive) {
  std::unordered_map<std::string, unsigned> used;
  std::vector<std::string> names;
  for (const EditedMember& member : archive.members) {
    const unsigned before = used[member.path]++;
    names.push_back(before == 0 ? member.path : member.path + "-" + std::to_string(before + 1));
  }
  return names;
}

std::optional<Ref> toShownNames(const Applied& applied, const Ref& opened) {
  if (applied.archives.empty()) return opened;
  std::vector<std::string> around, shown;
  for (std::string& name : namesOf(opened)) {
    std::string now = name;
    if (const EditedArchive* const archive = archiveAt(applied, around)) {
      const auto& members = archive->package->members;
      const auto found =
          std::find_if(members.begin(), members.end(), [&](const auto& one) { return one.name == name; });
      const auto index = static_cast<std::size_t>(found - members.begin());
      const auto place = std::find_if(archive->members.begin(), archive->members.end(),
                                      [&](const EditedMember& one) { return one.origin == index; });
      const std::vector<std::string> names = namesAfter(*archive);
      if (found != members.end()) {
        if (place == archive->members.end()) return std::nullopt;
        now = names[static_cast<std::size_t>(place - archive->members.begin())];
      } else {
        // An added member is named by its path, maybe without the "./" with which it is stored.
        const auto added = std::find_if(archive->members.begin(), archive->members.end(), [&](const EditedMember& one) {
          return !one.origin && library::normalisedPath(one.path) == library::normalisedPath(name);
        });
        if (added != archive->members.end()) now = names[static_cast<std::size_t>(added - archive->members.begin())];
      }
    }
    shown.push_back(std::move(now));
    around.push_back(std::move(name));
  }
  return withNames(opened, std::move(shown));
}

Ref toOpenedNames(const Applied& applied, const Ref& shown) {
  if (applied.archives.empty()) return shown;
  std::vector<std::string> opened;
  for (std::string& name : namesOf(shown)) {
    if (const EditedArchive* const archive = archiveAt(applied, opened)) {
      const std::vector<std::string> names = namesAfter(*archive);
      const auto found = std::find(names.begin(), names.end(), name);
      if (found != names.end()) {
        const EditedMember& member = archive->members[static_cast<std::size_t>(found - names.begin())];
        name = member.origin ? archive->package->members[*member.origin].name : member.path;
      }
    }
    opened.push_back(std::move(name));
  }
  return withNames(shown, std::move(opened));
}

Result<JsonPlace> parseJsonPlace(const library::PackagePtr& package, std::span<const Edit> edits,
                                 std::string_view text) {
  constexpr std::string_view kMember = "member:";
  // --- 1. The text as the ref of a member whose path contains the pointer. ---
  const std::size_t inner = text.rfind('!') == std::string_view::npos ? 0 : text.rfind('!') + 1;
  const bool named = text.substr(inner).starts_with(kMember);
  const auto whole = Ref::parse(std::string(text.substr(0, inner)) + std::string(named ? "" : kMember) +
                                std::string(text.substr(inner)));
  if (!whole || whole->at) return Error(DiagnosticId::RefSyntax, {arg("ref", text)});
  BLOBSCOPE_TRY(archive, library::memberOf(package, *whole));

  // --- 2. The longest path of a member that it begins with. ---
  std::string_view found;
  const auto consider = [&](std::string_view name) {
    for (const std::string_view path : {name, name.starts_with("./") ? name.substr(2) : name}) {
      const bool begins =
          whole->name.starts_with(path) && (whole->name.size() == path.size() || whole->name[path.size()] == '/');
      if (begins && path.size() > found.size()) found = std::string_view(whole->name).substr(0, path.size());
    }
  };
  for (const library::PackageMember& member : archive->members)
    if (member.stored->type == container::Member::Type::File) consider(member.name);
  for (const Edit& edit : edits)
    if (const auto* const add = std::get_if<AddMember>(&edit); add && add->target.ref.members == whole->members)
      consider(add->target.ref.name);
  if (found.empty())
    return Error(DiagnosticId::RefNotFound,
                 {arg("ref", text), {"reason", "it does not begin with the path of a file of the archive"}}, *whole);
  JsonPlace place{{*whole, {}}, whole->name.substr(found.size())};
  place.member.ref.name = found;
  return place;
}

} // namespace blobscope::edit
