#include "core/library/overview.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/library/damage.h"
#include "core/library/device_images.h"
#include "core/library/host_abi.h"
#include "core/library/linking.h"
#include "core/library/node.h"
#include "core/library/section_use.h"
#include "core/library/verify.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace blobscope::library {
namespace {

struct Words {
  std::string_view key, words;
};

/// The kind of a library, by the type key of its root module.
constexpr std::array<Words, 9> kRoots = {{{"relax.Executable", "Relax VM library"},
                                          {"relax.VMExecutable", "Relax VM library"},
                                          {"VMExecutable", "Relay VM library"},
                                          {"GraphExecutorFactory", "Graph executor library"},
                                          {"GraphRuntimeFactory", "Graph executor library"},
                                          {"AotExecutorFactory", "Ahead-of-time executor library"},
                                          {"metadata", "Library with constants"},
                                          {"const_loader", "Library with constants"},
                                          {"_lib", "Operator library"}}};
constexpr std::array<Words, 14> kDevices = {{{"cuda", "NVIDIA CUDA"},
                                             {"opencl", "OpenCL"},
                                             {"vulkan", "Vulkan"},
                                             {"metal", "Apple Metal"},
                                             {"webgpu", "WebGPU"},
                                             {"hip", "AMD ROCm"},
                                             {"hsaco", "AMD ROCm"},
                                             {"hexagon", "Qualcomm Hexagon"},
                                             {"hex", "Qualcomm Hexagon"},
                                             {"nki", "AWS Trainium"},
                                             {"asc", "Huawei Ascend"},
                                             {"opengl", "OpenGL"},
                                             {"sdaccel", "FPGA"},
                                             {"aocl", "FPGA"}}};
constexpr std::size_t kListedParts = 6;

template <std::size_t N> std::string_view find(const std::array<Words, N>& table, std::string_view key) {
  for (const Words& row : table)
    if (row.key == key) return row.words;
  return {};
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return out;
}

/// The package and all opened members in it.
std::vector<const Package*> allPackages(const Package& package) {
  std::vector<const Package*> all = {&package};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const PackageMember& member : all[i]->members)
      if (member.package) all.push_back(member.package.get());
  return all;
}

std::vector<const Blob*> allBlobs(const Package& package) {
  std::vector<const Blob*> blobs;
  for (const Package* inner : allPackages(package))
    for (const auto& blob : inner->blobs) blobs.push_back(blob.get());
  return blobs;
}

std::size_t hostFunctions(const Package& package) {
  std::size_t count = 0;
  for (const Package* inner : allPackages(package)) count += inner->host.functions.size();
  return count;
}

/// Returns the host ABI of the first member that has host functions. Without such a member, any symbol of TVM counts;
/// without one, the result is nothing. The member with the blob of a system library has only a few of the symbols that
/// identify an ABI, so it can seem older than the code.
std::optional<host::Abi> abiOf(const Package& package) {
  std::optional<host::Abi> any;
  for (const Package* inner : allPackages(package)) {
    if (!inner->host.functions.empty()) return inner->host.abi;
    if (!any) any = inner->host.abi;
  }
  return any;
}

/// Returns why the host ABI and the host functions are not known; empty when they are, or when there are none.
std::string_view whyHostIsUnknown(const Package& package) {
  if (abiOf(package)) return {};
  for (const Package* inner : allPackages(package))
    if (const std::string_view why = whyHostUnknown(*inner); !why.empty()) return why;
  return {};
}

/// Whether no part of the file is known to come from TVM.
bool isWithoutTvm(const Package& package) {
  return allBlobs(package).empty() && !abiOf(package) && !isOfTvm(package.archive) && package.kind() != "params" &&
         package.file != FileKind::Runtime && !(package.producer && package.producer->ofTvm);
}

std::string archOf(const Package& package) {
  for (const Package* inner : allPackages(package))
    if (!inner->image.arch.empty()) return inner->image.arch;
  return {};
}

/// The device images of a file and its members, without files that have none.
using ImagesOf = std::map<const Package*, DeviceImages>;

std::vector<std::string> devicesOf(const Package& package, const ImagesOf& images) {
  std::vector<std::string> devices;
  const auto add = [&](std::string_view device) {
    if (!device.empty() && std::find(devices.begin(), devices.end(), device) == devices.end())
      devices.emplace_back(device);
  };
  for (const Blob* blob : allBlobs(package))
    for (const ModulePtr& module : blob->modules) add(find(kDevices, module->key.view()));
  for (const auto& [inner, all] : images)
    for (const DeviceImage& image : all) {
      using Kind = DeviceImage::Kind;
      const bool amd = image.kind == Kind::Bundle || image.kind == Kind::CodeObject;
      if (image.placed() && image.kind != Kind::Other) add(find(kDevices, amd ? "hip" : "cuda"));
    }
  return devices;
}

/// "64-bit x86", "64-bit ARM", else LLVM's name.
std::string machineOf(const std::string& arch) {
  constexpr std::array<Words, 6> kMachines = {{{"x86_64", "64-bit x86"},
                                               {"i386", "32-bit x86"},
                                               {"aarch64", "64-bit ARM"},
                                               {"arm", "32-bit ARM"},
                                               {"riscv64", "64-bit RISC-V"},
                                               {"wasm32", "WebAssembly"}}};
  const auto words = find(kMachines, arch);
  return words.empty() ? arch : std::string(words);
}

/// Returns descriptions of device code outside modules: "2 images, 18.8 KiB: cubin sm_80, in .rodata, 24 % of the
/// file", and sections for device code in which no image was found.
std::vector<std::string> embeddedDevices(const Package& package, const ImagesOf& imagesOf) {
  std::vector<std::string> out;
  for (const Package* inner : allPackages(package)) {
    const uint64_t total = inner->bytes.size();
    std::set<std::string_view> places; // sections with images
    if (const auto found = imagesOf.find(inner); found != imagesOf.end()) {
      std::vector<std::string> names;
      uint64_t bytes = 0;
      for (const DeviceImage& image : found->second) {
        bytes += std::min(image.extent.size, total - std::min(bytes, total));
        if (image.section.empty() || !places.insert(image.section).second || names.size() == kListedParts) continue;
        names.push_back(escaped(image.section));
      }
      out.push_back("outside of modules " + imagesSummary(found->second) +
                    (names.empty() ? "" : ", in " + listed(names)) + ", " + shareText(bytes, total) + " of the file");
    }
    for (const container::Section& section : inner->image.sections)
      if (useOf(section) == SectionUse::Device && section.file.size > 0 && !places.contains(section.name))
        out.push_back(std::string(section.name.starts_with(".hip") ? "AMD" : "NVIDIA") + " code in " +
                      escaped(section.name) + " of the host object, " + sizeText(section.file.size) + ", " +
                      shareText(section.file.size, total) + " of the file");
  }
  return out;
}

/// Returns the modules that may contain device code: those of kinds without a decoder.
std::vector<std::string> unknownModules(const Package& package) {
  std::vector<std::string> out;
  std::size_t more = 0;
  for (const Package* inner : allPackages(package))
    for (const auto& blob : inner->blobs)
      for (const ModulePtr& module : blob->modules) {
        if (module->undecoded != Undecoded::UnknownKind) continue;
        if (out.size() < kListedParts)
          out.push_back("'" + escapedWithin(module->key.view(), 60) + "' (" +
                        shareText(module->payload.size(), inner->bytes.size()) + " of the file, no decoder)");
        else
          ++more;
      }
  if (more > 0) out.push_back(groupedText(more) + " more without a decoder");
  return out;
}

std::string deviceText(const Package& package, const ImagesOf& images) {
  std::vector<std::string> parts = devicesOf(package, images);
  std::vector<std::string> embedded = embeddedDevices(package, images);
  const std::size_t shown = std::min(embedded.size(), kListedParts);
  parts.insert(parts.end(), embedded.begin(), embedded.begin() + static_cast<std::ptrdiff_t>(shown));
  if (embedded.size() > shown)
    parts.push_back("device code in " + groupedText(embedded.size() - shown) +
                    (embedded.size() == shown + 1 ? " more place" : " more places"));
  const std::vector<std::string> unknown = unknownModules(package);
  std::string out = listed(parts);
  if (!unknown.empty()) out += (out.empty() ? "not known: " : "; perhaps also ") + listed(unknown);
  if (!out.empty())
    return out + (allBlobs(package).empty() && isContainerDamaged(package)
                      ? "; perhaps more, because the file is damaged"
                      : "");
  for (const Package* inner : allPackages(package))
    if (std::any_of(inner->diagnostics.begin(), inner->diagnostics.end(), isDamage))
      return "not known, because the file is damaged";
  return isWithoutTvm(package) ? "none found" : "none: the host runs everything";
}

std::string capitalised(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::string sentenceOf(const Package& package, const ImagesOf& images) {
  const std::vector<const Blob*> blobs = allBlobs(package);
  const bool archive = package.image.kind == container::Kind::Archive;
  const std::vector<std::string> devices = devicesOf(package, images);
  const bool isRuntime = package.file == FileKind::Runtime && package.producer;
  std::string what = isRuntime                                   ? std::string(package.producer->title)
                     : package.file == FileKind::PythonExtension ? "Python extension"
                     : abiOf(package)
                         ? devices.empty() ? "TVM library with host code only" : "TVM library without modules"
                     : isContainerDamaged(package) ? (archive ? "Damaged archive" : "Damaged library")
                     : archive                     ? "Archive without any sign of TVM"
                                                   : "Library without any sign of TVM";
  if (!blobs.empty()) {
    const Blob& blob = *blobs.front();
    what = "TVM library";
    if (blob.hasRootModule())
      if (const auto words = find(kRoots, blob.modules.front()->key.view()); !words.empty()) what = words;
  }
  if (package.kind() == "params")
    what = "Parameters of a model, without code";
  else if (isOfTvm(package.archive))
    what = capitalised(kindText(package.archive)) + (blobs.empty() ? "" : ": " + what);
  else if (package.kind() == "blob")
    what += ", only the blob";
  else if (archive && package.image.format == container::Format::Universal)
    what += ", several architectures";
  else if (archive && !blobs.empty())
    what += " as an archive of objects";
  const std::string arch = archOf(package);
  if (!arch.empty()) what += " for " + machineOf(arch);
  if (package.producer && package.producer->ofTvm && !isRuntime && package.producer->id != "tvm")
    what += ", made by " + std::string(package.producer->title);
  if (!devices.empty()) what += " with " + listed(devices) + " code";
  what += ".";
  if (!blobs.empty()) what += " Its blob has the format of " + std::string(eraReleases(blobs.front()->era)) + ".";
  return what;
}

void addState(const Package& package, Overview& overview) {
  std::array<uint64_t, 3> counts = {};
  for (const Diagnostic& diagnostic : package.diagnostics) ++counts[static_cast<std::size_t>(diagnostic.severity())];
  overview.worst = package.worst().value_or(Severity::Note);
  if (overview.worst == Severity::Error) {
    overview.state = counts[0] == 1 ? "Something is damaged." : std::to_string(counts[0]) + " things are damaged.";
    for (const Diagnostic& diagnostic : package.diagnostics)
      if (diagnostic.severity() == Severity::Error) {
        overview.stateDetail = diagnostic.message();
        break;
      }
    return;
  }
  if (isWithoutTvm(package)) {
    overview.ofTvm = false;
    overview.state = "This file does not seem to come from TVM.";
    overview.stateDetail = "No symbol or member shows that the file comes from TVM; it is shown as a container.";
    return;
  }
  overview.state = "Nothing is damaged.";
  if (overview.blobBytes == 0)
    overview.stateDetail = "There is no blob to decode.";
  else if (overview.owned == overview.blobBytes)
    overview.stateDetail = "All " + groupedText(overview.blobBytes) + " bytes of the blob are decoded.";
  else
    overview.stateDetail = groupedText(overview.owned) + " of " + groupedText(overview.blobBytes) +
                           " bytes of the blob are decoded; the rest is shown as bytes.";
}

void addFacts(const Package& package, const ImagesOf& images, Overview& overview) {
  const container::Image& image = package.image;
  const auto fact = [&](std::string label, std::string value, std::string term = {}) {
    overview.facts.push_back({std::move(label), std::move(value), std::move(term)});
  };
  std::string kind(container::kindName(image.kind));
  if (image.kind == container::Kind::Shared)
    kind = image.format == container::Format::Elf ? "shared object" : "shared library";
  if (image.kind == container::Kind::Object) kind = "object file";
  if (image.kind == container::Kind::Other) kind.clear();
  const bool bits = image.bits > 0 && image.kind != container::Kind::Archive;
  fact("Container",
       std::string(container::formatTitle(image.format)) + (bits ? " " + std::to_string(image.bits) + "-bit" : "") +
           (kind.empty() ? "" : " " + kind) + (image.bigEndian ? ", big endian" : "") +
           (image.compression.empty() ? "" : ", compressed with " + image.compression),
       "container");
  const std::vector<const Blob*> blobs = allBlobs(package);
  if (!blobs.empty()) {
    const Blob& blob = *blobs.front();
    fact("Era",
         std::string(eraName(blob.era)) + " (" + std::string(eraReleases(blob.era)) + "), " +
             std::string(streamName(blob.cut.stream)) + " stream",
         "era");
  } else {
    fact("Era", "no blob", "era");
  }
  fact("Size", sizeText(package.bytes.size()));
  const auto abi = abiOf(package);
  const std::string_view unknown = whyHostIsUnknown(package);
  fact("Host ABI",
       abi               ? std::string(host::abiName(*abi))
       : unknown.empty() ? "none"
                         : "not known, " + std::string(unknown),
       "host-abi");
  if (package.producer) fact("Producer", std::string(package.producer->title) + ": " + package.producer->sign);
  const std::string arch = archOf(package);
  fact("Host machine", arch.empty() ? "unknown" : arch);
  if (!blobs.empty()) {
    const Blob& blob = *blobs.front();
    std::string where = escaped(blob.carrier.symbol);
    if (!blob.memberPath.empty()) where += " in " + escaped(blob.memberPath.back());
    if (blob.bytes.offset()) where += " at " + hexText(*blob.bytes.offset());
    if (blobs.size() > 1) where += " and " + std::to_string(blobs.size() - 1) + " more";
    fact("Carrier", where, "carrier");
  } else {
    fact("Carrier", "none", "carrier");
  }
  fact("Device", deviceText(package, images), "device-module");
  fact("Host functions", unknown.empty() ? groupedText(hostFunctions(package)) : "not known", "packed-function");
}

/// Adds how the program gets a system library: "'mylib_': registers itself when the program starts; call …".
Result<Done> addSystemLibraries(const Package& package, Overview& overview, Monitor& monitor) {
  constexpr std::size_t kShown = 4;
  std::map<std::string, bool> prefixes; // whether it registers itself
  for (const Package* inner : allPackages(package)) {
    BLOBSCOPE_TRY(found, computeSystemLibraries(*inner, monitor));
    for (const SystemLibrary& one : found)
      // Without a prefix, only the registration tells it from a library that is loaded from a file.
      if (!one.prefix.empty() || one.registers) prefixes[one.prefix] |= one.registers;
  }
  if (prefixes.empty()) return Done{};
  const bool shared = package.image.kind == container::Kind::Shared;
  std::string text;
  std::size_t shown = 0;
  for (const auto& [prefix, registers] : prefixes) {
    if (shown++ == kShown) break;
    const std::string name = escapedWithin(prefix, 200);
    text += (text.empty() ? "" : "; ") + (prefix.empty() ? "without a prefix" : "'" + name + "'");
    if (registers)
      text += (shared ? ", registers itself when the file is loaded: call system_lib("
                      : ", registers itself when the program starts: call system_lib(") +
              (prefix.empty() ? ")" : "\"" + name + "\")");
    else
      text += ", not registered by code of the file";
  }
  if (prefixes.size() > kShown) text += " and " + groupedText(prefixes.size() - kShown) + " more";
  overview.facts.push_back({"System library", std::move(text), {}});
  return Done{};
}

/// Adds the members of an archive by size; combines the smallest ones when there are many.
void addMemberParts(const Package& package, Overview& overview) {
  constexpr std::size_t kShown = 12;
  std::vector<const PackageMember*> members;
  for (const PackageMember& member : package.members)
    if (!member.stored->bytes.empty()) members.push_back(&member);
  std::stable_sort(members.begin(), members.end(), [](const PackageMember* a, const PackageMember* b) {
    return a->stored->bytes.size() > b->stored->bytes.size();
  });
  uint64_t rest = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const PackageMember& member = *members[i];
    overview.partsTotal += member.stored->bytes.size();
    if (i >= kShown) {
      rest += member.stored->bytes.size();
      continue;
    }
    std::string what(member.role);
    if (member.package)
      for (const auto& blob : member.package->blobs) what += ", " + escaped(blob->carrier.symbol);
    const Ref ref =
        member.package ? member.package->ref(Ref::file()) : package.ref(Ref::named(Ref::Kind::Member, member.name));
    overview.parts.push_back(
        {escaped(member.name), what, RowKind::Member, std::string(member.role), ref, member.stored->bytes.size()});
  }
  if (rest > 0)
    overview.parts.push_back({groupedText(members.size() - kShown) + " more members",
                              "",
                              RowKind::Member,
                              {},
                              package.ref(Ref::file()),
                              rest});
}

/// Returns the content of a module as text: "3 kernels, 12 VM functions, 4 constants", and the formats of its code.
std::string contentWords(const Module& module) {
  if (module.undecoded != Undecoded::No)
    return module.undecoded == Undecoded::UnknownKind ? "no decoder for this kind" : "damaged";
  const auto kernels = module.body->kernels().size();
  std::string what = kernels > 0 ? groupedText(kernels) + (kernels == 1 ? " kernel" : " kernels") : "";
  for (const modules::PartGroup& group : module.body->parts()) {
    if (group.kind == PartKind::Entry) continue; // the formats of the code describe them
    // "VM functions" keeps its capitals, "Constants" does not.
    std::string title(group.title);
    if (title.size() > 1 && !(title[1] >= 'A' && title[1] <= 'Z') && title[0] >= 'A' && title[0] <= 'Z')
      title[0] = static_cast<char>(title[0] - 'A' + 'a');
    if (group.parts.size() == 1 && title.ends_with('s')) title.pop_back();
    what += (what.empty() ? "" : ", ") + groupedText(group.parts.size()) + " " + title;
  }
  for (const std::string& content : module.body->content()) what += (what.empty() ? "" : ", ") + content;
  return what;
}

/// Assigns every byte of the file to one part: modules, the rest of the blobs, then sections by purpose.
class Parts {
public:
  Parts(const Package& package, const ImagesOf& images, Overview& overview) : m_package(package), m_overview(overview) {
    if (const auto found = images.find(&package); found != images.end())
      for (const DeviceImage& image : found->second)
        if (image.placed() && !image.section.empty()) m_images[image.section] += image.extent.size;
  }

  void add() {
    // A blob that was rebuilt (from source text, from linear memory) is not a part of the file's bytes.
    const bool rebuilt = std::any_of(m_package.blobs.begin(), m_package.blobs.end(), [&](const auto& blob) {
      return !blob->bytes.empty() && !placeIn(m_package, blob->bytes);
    });
    const bool fromMemory = rebuilt && m_package.image.format == container::Format::Wasm;
    m_total = m_package.bytes.size();
    if (rebuilt && !fromMemory) {
      m_total = 0;
      for (const auto& blob : m_package.blobs) m_total += blob->bytes.size();
    }
    m_overview.partsTotal = m_total;
    if (fromMemory)
      addDataSegments();
    else
      for (const auto& blob : m_package.blobs) addBlob(*blob);
    if (rebuilt && !fromMemory) return;
    addSections();
    if (m_claimed < m_total)
      part("Symbols, tables, padding", "loader tables, headers", RowKind::Symbols, Ref::file()).bytes =
          m_total - m_claimed;
  }

private:
  /// Damaged tables can claim more bytes than the file has, and two carriers can claim the same bytes.
  uint64_t claim(uint64_t bytes) {
    bytes = std::min(bytes, m_total - m_claimed);
    m_claimed += bytes;
    return bytes;
  }
  Overview::Part& part(std::string name, std::string what, RowKind kind, Ref ref) {
    m_overview.parts.push_back({std::move(name), std::move(what), kind, {}, std::move(ref), 0});
    return m_overview.parts.back();
  }

  void addBlob(const Blob& blob) {
    uint64_t inModules = 0;
    for (const ModulePtr& module : blob.modules) {
      if (module->payload.empty()) continue;
      Overview::Part& row = part(module->key.empty() ? "unreadable record" : escaped(module->key.view()),
                                 contentWords(*module), RowKind::Module, blob.moduleRef(module->index));
      row.moduleKey = module->key.view();
      row.bytes = claim(module->payload.size());
      inModules += module->payload.size();
    }
    part("Blob header and tree", "keys, lengths, import tree", RowKind::Blob, blob.ref()).bytes =
        claim(blob.bytes.size() - inModules);
  }

  /// Adds the section of a WebAssembly file from which the linear memory with the blob was rebuilt.
  void addDataSegments() {
    for (const container::Section& section : m_package.image.sections)
      if (section.name == "data" && section.type == "standard")
        part("Data segments", "the blob without runs of zeros, and data of the host code", RowKind::Section,
             m_package.ref(Ref::named(Ref::Kind::Section, section.name)))
            .bytes = claim(section.file.size);
  }

  /// Adds sections without the bytes of the blobs in them.
  void addSections() {
    std::array<uint64_t, 4> sums = {};
    for (const container::Section& section : m_package.image.sections) {
      uint64_t size = section.file.size;
      for (const auto& blob : m_package.blobs)
        if (blob->bytes.offset() && section.file.contains(*blob->bytes.offset()))
          size -= std::min(size, blob->bytes.size());
      const SectionUse use = useOf(section);
      if (use == SectionUse::Device) {
        if (size == 0) continue;
        part(escaped(section.name), "device code in the host object", RowKind::Section,
             m_package.ref(Ref::named(Ref::Kind::Section, section.name)))
            .bytes = claim(size);
        continue;
      }
      if (const auto images = m_images.find(section.name); images != m_images.end() && size > 0) {
        const uint64_t bytes = std::min(images->second, size);
        part("Device images in " + escaped(section.name), "device code that host code loads", RowKind::Section,
             m_package.ref(Ref::named(Ref::Kind::Section, section.name)))
            .bytes = claim(bytes);
        size -= bytes;
        m_images.erase(images); // sections of one name
      }
      sums[static_cast<std::size_t>(use)] += size;
    }
    constexpr std::array<std::string_view, 3> kNames = {"Host code", "Read-only and initialised data",
                                                        "Debug information"};
    constexpr std::array<RowKind, 3> kKinds = {RowKind::HostCode, RowKind::Section, RowKind::Section};
    const bool unknown = !whyHostUnknown(m_package).empty();
    const std::array<std::string, 3> what = {unknown ? "functions without names"
                                                     : groupedText(m_package.host.functions.size()) + " host functions",
                                             "messages, tables", ".debug sections"};
    for (std::size_t i = 0; i < kNames.size(); ++i)
      if (const uint64_t bytes = claim(sums[i]); bytes > 0)
        part(std::string(kNames[i]), what[i], kKinds[i], Ref::file()).bytes = bytes;
  }

  const Package& m_package;
  Overview& m_overview;
  std::map<std::string_view, uint64_t> m_images; ///< bytes of device images by section
  uint64_t m_total = 0, m_claimed = 0;
};

} // namespace

Result<Overview> fileOverview(const Package& package, Monitor& monitor) {
  longWork("library::fileOverview");
  Overview overview;
  for (const Blob* blob : allBlobs(package)) {
    BLOBSCOPE_TRY(verification, computeVerification(*blob, monitor));
    overview.owned += verification.owned;
    overview.blobBytes += verification.size;
  }
  ImagesOf images;
  for (const Package* inner : allPackages(package)) {
    BLOBSCOPE_TRY(found, computeDeviceImages(*inner, monitor));
    if (!found.empty()) images.emplace(inner, std::move(found));
  }
  overview.sentence = sentenceOf(package, images);
  addState(package, overview);
  addFacts(package, images, overview);
  BLOBSCOPE_CHECK(addSystemLibraries(package, overview, monitor));
  if (package.image.kind == container::Kind::Archive)
    addMemberParts(package, overview);
  else
    Parts(package, images, overview).add();
  return overview;
}

} // namespace blobscope::library
