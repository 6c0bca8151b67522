#include "core/edit/images.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/edit/module_draft.h"
#include "core/library/node.h"
#include "core/library/resolve.h"
#include "core/modules/module_fields.h"
#include "core/payloads/fatbin/fatbin.h"
#include "core/payloads/sniff.h"

#include <algorithm>

namespace blobscope::edit {
namespace {

using payloads::FatbinEntry;

Image imageOf(const FatbinEntry& entry, std::size_t container, Ref ref) {
  Image out;
  out.ref = std::move(ref);
  out.kind = entry.kindName();
  out.container = container;
  out.bytes = entry.header.size + entry.payload.size();
  out.runs = entry.kind == FatbinEntry::kCubin || entry.kind == FatbinEntry::kPtx;
  const std::string architecture = entry.architecture();
  const std::string number = architecture.substr(architecture.find('_') + 1);
  out.name = entry.kind == FatbinEntry::kCubin   ? architecture
             : entry.kind == FatbinEntry::kPtx   ? "compute_" + number
             : entry.kind == FatbinEntry::kLtoIr ? "lto_" + number
                                                 : entry.word();
  return out;
}

/// Returns the images of the module; none when its code is not a fat binary.
FatBinary readModule(const library::Blob& blob, const library::Module& module) {
  FatBinary out{blob.moduleRef(module.index), {}};
  if (!mayBeFatBinary(module)) return out;
  const auto data = modules::sharedImage(*library::treeOf(module));
  if (!data || payloads::sniff(*data) != "fatbin") return out;
  const payloads::Fatbin fatbin = payloads::readFatbin(*data);
  for (std::size_t i = 0; i < fatbin.containers.size(); ++i)
    for (const FatbinEntry& entry : fatbin.containers[i].entries)
      out.images.push_back(imageOf(entry, i, out.module.part(PartKind::Entry, std::to_string(out.images.size()))));
  return out;
}

/// Adds the fat binaries of a blob, or only that of one module.
Result<Done> addBlob(const library::Blob& blob, const library::Module* only, std::vector<FatBinary>& out,
                     Monitor& monitor) {
  for (const library::ModulePtr& module : blob.modules) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (only && module.get() != only) continue;
    if (FatBinary binary = readModule(blob, *module); !binary.images.empty()) out.push_back(std::move(binary));
  }
  return Done{};
}

bool isSelected(const Image& image, std::size_t number, std::string_view word) {
  return word == image.name || (word == "ptx" && image.kind == "ptx") || parseNumber(word) == number;
}

/// Returns "sm_80, sm_90, compute_90".
std::string namesOf(std::span<const FatBinary> binaries) {
  constexpr std::size_t kShown = 20;
  std::vector<std::string> names;
  for (const FatBinary& binary : binaries)
    for (const Image& image : binary.images)
      if (std::find(names.begin(), names.end(), image.name) == names.end() && names.size() <= kShown)
        names.push_back(image.name);
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) out += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kShown ? out + " and more" : out;
}

/// Requires that each word selects an image.
Result<Done> checkWords(std::span<const FatBinary> binaries, std::span<const std::string> words) {
  const Ref ref = binaries.size() == 1 ? binaries.front().module : Ref::file();
  for (const std::string& word : words) {
    if (parseNumber(word) && binaries.size() > 1)
      return cannotEdit(ref, "the number " + escaped(word) + " does not say in which of " +
                                 countText(binaries.size(), "module") + " the image is; name the module");
    const bool any = std::any_of(binaries.begin(), binaries.end(), [&](const FatBinary& binary) {
      for (std::size_t i = 0; i < binary.images.size(); ++i)
        if (isSelected(binary.images[i], i, word)) return true;
      return false;
    });
    if (!any)
      return Error(
          DiagnosticId::RefNotFound,
          {arg("ref", word), {"reason", "no image of a fat binary has that name; there are " + namesOf(binaries)}},
          ref);
  }
  return Done{};
}

} // namespace

bool mayBeFatBinary(const library::Module& module) {
  if (module.key.view() != "cuda") return false;
  const std::vector<std::string> content = module.body->content();
  return !content.empty() && content.front() == "fatbin";
}

Result<std::vector<FatBinary>> fatBinariesOf(const library::PackagePtr& package, const Ref& ref, Monitor& monitor) {
  longWork("edit::fatBinariesOf");
  std::vector<FatBinary> out;
  if (ref.at || !ref.parts.empty()) return cannotEdit(ref, "name a module, a blob or the file");
  if (ref.kind == Ref::Kind::File || ref.kind == Ref::Kind::Member) {
    Ref place = ref;
    if (ref.kind == Ref::Kind::Member) place.members.push_back(ref.name);
    BLOBSCOPE_TRY(member, library::memberOf(package, place));
    std::vector<library::PackagePtr> packages;
    library::forEachPackage(member, [&](const library::PackagePtr& inner) { packages.push_back(inner); });
    for (const library::PackagePtr& inner : packages)
      for (const auto& blob : inner->blobs) BLOBSCOPE_CHECK(addBlob(*blob, nullptr, out, monitor));
    if (out.empty()) return cannotEdit(ref, "no module of it contains a fat binary");
    return out;
  }
  if (ref.kind != Ref::Kind::Module && ref.kind != Ref::Kind::Blob)
    return cannotEdit(ref, "name a module, a blob or the file");
  const bool whole = ref.kind == Ref::Kind::Blob;
  BLOBSCOPE_TRY(found, whole ? library::resolveBlob(*package, ref) : library::resolve(*package, ref));
  BLOBSCOPE_CHECK(addBlob(*found.blob, found.module, out, monitor));
  if (out.empty())
    return cannotEdit(ref, whole ? "no module of it contains a fat binary" : "the module's code is not a fat binary");
  return out;
}

Result<Done> checkRemovable(const FatBinary& binary, const std::set<std::size_t>& removed) {
  std::set<std::size_t> before, after; // containers with images that run
  for (std::size_t i = 0; i < binary.images.size(); ++i) {
    if (!binary.images[i].runs) continue;
    before.insert(binary.images[i].container);
    if (!removed.contains(i)) after.insert(binary.images[i].container);
  }
  if (before == after) return Done{};
  const bool several = binary.images.back().container > 0;
  return cannotEdit(binary.module, (several ? "a container of its fat binary" : "its fat binary") +
                                       std::string(" would have no machine code and no PTX; its images are ") +
                                       namesOf(std::span(&binary, 1)));
}

Result<std::vector<Edit>> selectImages(std::span<const FatBinary> binaries, Selection selection,
                                       std::span<const std::string> words) {
  BLOBSCOPE_CHECK(checkWords(binaries, words));
  std::vector<Edit> edits;
  for (const FatBinary& binary : binaries) {
    std::set<std::size_t> removed;
    for (std::size_t i = 0; i < binary.images.size(); ++i) {
      const bool selected = std::any_of(words.begin(), words.end(),
                                        [&](const std::string& word) { return isSelected(binary.images[i], i, word); });
      if (selected == (selection == Selection::Drop)) removed.insert(i);
    }
    BLOBSCOPE_CHECK(checkRemovable(binary, removed));
    for (const std::size_t number : removed) edits.push_back(Remove{{binary.images[number].ref, {}}});
  }
  return edits;
}

} // namespace blobscope::edit
