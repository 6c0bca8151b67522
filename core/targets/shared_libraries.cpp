#include "core/targets/shared_libraries.h"

#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/container/archive/archive.h"
#include "core/container/container.h"
#include "core/container/elf/file.h"
#include "core/container/number_at.h"

#include <algorithm>
#include <system_error>

namespace blobscope::targets {
namespace {

namespace elf = container::elf;
namespace fs = std::filesystem;
using container::Format;
using container::Image;

constexpr std::size_t kNames = 1'024;       // maximum of needed libraries and run paths of one
constexpr std::size_t kExports = 2'000'000; // maximum of names of one library
constexpr std::size_t kGiven = 4'096;       // maximum of libraries that are given
constexpr std::size_t kNameBytes = 4'096;   // maximum length of a name
constexpr uint64_t kVersions = 65'536;      // the number of a version has 16 bits

std::string fileName(std::string_view path) {
  return std::string(
      path.substr(path.find_last_of("/\\") == std::string_view::npos ? 0 : path.find_last_of("/\\") + 1));
}

/// The dynamic part of an ELF library. Source: System V ABI, chapter 5; LSB, "Symbol Versioning".
class ElfReader {
public:
  ElfReader(const Image& image, SharedLibrary& out, Monitor& monitor)
      : m_image(image), m_out(out), m_monitor(monitor) {}

  Result<Done> read() {
    auto header = elf::File::readHeader(m_image.file);
    if (!header) return Done{};
    m_file = std::move(*header);
    m_file.readTables();
    m_strings = bytesAt(valueOf(elf::DT_STRTAB), valueOf(elf::DT_STRSZ));
    for (const elf::DynamicTag& tag : m_file.dynamic) {
      if (tag.tag == elf::DT_NEEDED && m_out.needed.size() < kNames) m_out.needed.push_back(stringAt(tag.value));
      if (tag.tag == elf::DT_SONAME) m_out.name = stringAt(tag.value);
    }
    const elf::DynamicTag* const newer = m_file.findTag(elf::DT_RUNPATH);
    const elf::DynamicTag* const older = m_file.findTag(elf::DT_RPATH);
    if (newer || older) m_out.runPaths.push_back(stringAt((newer ? newer : older)->value));
    m_out.inheritsRunPaths = older && !newer;
    const auto versions = readVersions();
    const Bytes numbers = bytesAt(valueOf(elf::DT_VERSYM), 2 * (m_image.symbols.size() + 1));
    uint64_t index = 0;
    for (const container::Symbol& symbol : m_image.symbols) {
      if (!symbol.dynamic || m_out.exports.size() >= kExports) break;
      if (++index % 4'096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      if (!symbol.defined || symbol.binding == container::Binding::Local) continue;
      const uint64_t number = numberIn(numbers, 2 * index, 2) & 0x7fff;
      const auto version = versions.find(number);
      m_out.exports[std::string(symbol.name.substr(0, kNameBytes))].push_back(
          number > 1 && version != versions.end() ? version->second : std::string());
    }
    BLOBSCOPE_CHECK(readRelocations(elf::DT_RELA, elf::DT_RELASZ, 3 * m_file.wordSize()));
    return readRelocations(elf::DT_REL, elf::DT_RELSZ, 2 * m_file.wordSize());
  }

private:
  /// Undefined symbols of relocations that are applied when the library is loaded.
  Result<Done> readRelocations(uint64_t tag, uint64_t sizeTag, uint64_t entry) {
    const Bytes table = bytesAt(valueOf(tag), valueOf(sizeTag));
    const uint64_t word = m_file.wordSize(), late = valueOf(elf::DT_JMPREL), start = valueOf(tag);
    for (uint64_t at = 0; at + entry <= table.size(); at += entry) {
      if (at / entry % 4'096 == 0 && m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      if (late != 0 && start + at == late) break; // some linkers count the late relocations among the others
      const uint64_t info = numberIn(table, at + word, static_cast<unsigned>(word));
      const uint64_t index = m_file.is64 ? info >> 32 : info >> 8;
      if (index == 0 || index > m_image.symbols.size() || m_out.boundAtOnce.size() >= kNames) continue;
      const container::Symbol& symbol = m_image.symbols[index - 1];
      if (!symbol.dynamic || symbol.defined || symbol.binding == container::Binding::Weak) continue;
      std::string name(symbol.name.substr(0, kNameBytes));
      if (std::find(m_out.boundAtOnce.begin(), m_out.boundAtOnce.end(), name) == m_out.boundAtOnce.end())
        m_out.boundAtOnce.push_back(std::move(name));
    }
    return Done{};
  }
  uint64_t valueOf(uint64_t tag) const {
    const elf::DynamicTag* const found = m_file.findTag(tag);
    return found ? found->value : 0;
  }
  Bytes bytesAt(uint64_t address, uint64_t size) const {
    const auto bytes = address == 0 ? std::nullopt : m_image.findBytesAt(address);
    return bytes ? bytes->slice(0, size) : Bytes();
  }
  std::string stringAt(uint64_t offset) const {
    if (offset >= m_strings.size()) return {};
    const std::string_view rest = m_strings.view().substr(offset, kNameBytes);
    return std::string(rest.substr(0, rest.find('\0')));
  }
  uint64_t numberIn(const Bytes& bytes, uint64_t at, unsigned size) const {
    if (!Extent{0, bytes.size()}.contains(Extent{at, size})) return 0;
    return m_file.number(static_cast<uint64_t>(bytes.data() - m_image.file.data()) + at, size);
  }
  /// DT_VERDEF: number of each version → its name.
  std::unordered_map<uint64_t, std::string> readVersions() {
    std::unordered_map<uint64_t, std::string> out;
    const Bytes table = bytesAt(valueOf(elf::DT_VERDEF), UINT64_MAX);
    const uint64_t count = std::min(valueOf(elf::DT_VERDEFNUM), kVersions);
    for (uint64_t i = 0, at = 0; i < count && at < table.size(); ++i) {
      const uint64_t names = at + numberIn(table, at + 12, 4), next = numberIn(table, at + 16, 4);
      std::string name = stringAt(numberIn(table, names, 4));
      m_out.versions.insert(name);
      out.try_emplace(numberIn(table, at + 4, 2) & 0x7fff, std::move(name));
      if (next == 0) break;
      at += next;
    }
    return out;
  }

  const Image& m_image;
  SharedLibrary& m_out;
  Monitor& m_monitor;
  elf::File m_file;
  Bytes m_strings;
};

Result<Done> addExports(const Image& image, SharedLibrary& out, Monitor& monitor) {
  uint64_t index = 0;
  for (const container::Symbol& symbol : image.symbols) {
    if (index++ % 4'096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (symbol.defined && symbol.binding != container::Binding::Local && out.exports.size() < kExports)
      out.exports[std::string(image.plainName(symbol).substr(0, kNameBytes))].emplace_back();
  }
  return Done{};
}

/// Null for files that are not libraries.
Result<SharedLibraryPtr> readBytes(std::string path, const Bytes& file, Monitor& monitor) {
  auto image = container::readImage(file, monitor);
  if (!image) {
    if (image.error().code() == ErrorCode::Cancelled) return image.takeError();
    return SharedLibraryPtr();
  }
  auto out = std::make_shared<SharedLibrary>();
  out->path = std::move(path);
  out->file = out->name = fileName(out->path);
  out->format = container::formatName(image->format);
  out->arch = image->arch;
  if (image->format == Format::Elf && image->kind == container::Kind::Shared) {
    BLOBSCOPE_CHECK(ElfReader(*image, *out, monitor).read());
    return SharedLibraryPtr(out);
  }
  const bool object = image->kind == container::Kind::Object;
  if (image->format == Format::Ar || object) {
    out->archive = true;
    if (object) BLOBSCOPE_CHECK(addExports(*image, *out, monitor));
    for (const container::Member& member : image->members) {
      if (member.type != container::Member::Type::File || member.bytes.empty()) continue;
      auto inner = container::readImage(member.bytes, monitor);
      if (!inner && inner.error().code() == ErrorCode::Cancelled) return inner.takeError();
      if (!inner) continue;
      if (out->arch.empty()) out->arch = inner->arch;
      BLOBSCOPE_CHECK(addExports(*inner, *out, monitor));
    }
    return SharedLibraryPtr(out);
  }
  if (image->kind != container::Kind::Shared) return SharedLibraryPtr();
  BLOBSCOPE_CHECK(addExports(*image, *out, monitor));
  return SharedLibraryPtr(out);
}

bool isLibraryName(std::string_view name) {
  const std::string file = fileName(name);
  return file.ends_with(".so") || file.find(".so.") != std::string::npos || file.ends_with(".dll") ||
         file.ends_with(".dylib") || file.ends_with(".a") || file.ends_with(".o") || file.ends_with(".lib");
}

Result<Done> addWheel(const std::string& shown, const Bytes& file, std::vector<SharedLibraryPtr>& out,
                      Monitor& monitor) {
  auto image = container::readArchive(file, Budget::forFile(file.size()), monitor);
  if (!image) return image.error().code() == ErrorCode::Cancelled ? Result<Done>(image.takeError()) : Done{};
  for (const container::Member& member : image->members) {
    if (member.type != container::Member::Type::File || !isLibraryName(member.path) || member.bytes.empty()) continue;
    if (out.size() >= kGiven) return Done{};
    BLOBSCOPE_TRY(library, readBytes(shown + "!" + member.path, member.bytes, monitor));
    if (library) out.push_back(std::move(library));
  }
  return Done{};
}

Result<Done> addFile(const fs::path& path, std::vector<SharedLibraryPtr>& out, Monitor& monitor) {
  if (out.size() >= kGiven) return Done{};
  BLOBSCOPE_TRY(source, ByteSource::openFile(path));
  const Bytes file = ByteSource::all(source);
  if (container::looksLikeArchive(file.view().substr(0, 512))) return addWheel(pathText(path), file, out, monitor);
  BLOBSCOPE_TRY(library, readBytes(pathText(path), file, monitor));
  if (library) out.push_back(std::move(library));
  return Done{};
}

} // namespace

bool SharedLibrary::has(const std::string& symbol, std::string_view version) const {
  const auto found = exports.find(symbol);
  if (found == exports.end()) return false;
  // A library without versions satisfies every version (glibc elf/dl-lookup.c, check_match).
  return version.empty() || versions.empty() ||
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const std::string& one) { return one == version || one.empty(); });
}

Result<SharedLibraryPtr> readSharedLibrary(const fs::path& path, Monitor& monitor) {
  BLOBSCOPE_TRY(source, ByteSource::openFile(path));
  return readBytes(pathText(path), ByteSource::all(source), monitor);
}

Result<SharedLibrariesPtr> SharedLibraries::read(const std::vector<fs::path>& given, Monitor& monitor) {
  auto out = std::make_shared<SharedLibraries>();
  for (const fs::path& path : given) {
    std::error_code failure;
    if (!fs::exists(path, failure)) return Error(DiagnosticId::FileNotFound, {arg("path", pathText(path))});
    if (!fs::is_directory(path, failure)) {
      BLOBSCOPE_CHECK(addFile(path, out->m_given, monitor));
      continue;
    }
    std::vector<fs::path> files;
    for (auto entry = fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, failure);
         !failure && entry != fs::recursive_directory_iterator() && files.size() < kGiven; entry.increment(failure)) {
      if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const std::string name = pathText(entry->path().filename());
      std::error_code ignored;
      if ((isLibraryName(name) || name.ends_with(".whl")) && entry->is_regular_file(ignored))
        files.push_back(entry->path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      const auto added = addFile(file, out->m_given, monitor);
      if (!added && added.error().code() == ErrorCode::Cancelled) return added.error();
    }
  }
  return SharedLibrariesPtr(out);
}

SharedLibraryPtr SharedLibraries::findGiven(std::string_view name) const {
  const auto found = std::find_if(m_given.begin(), m_given.end(), [&](const SharedLibraryPtr& one) {
    return !one->archive && (one->name == name || one->file == name);
  });
  return found == m_given.end() ? nullptr : *found;
}

SharedLibraryPtr SharedLibraries::load(const fs::path& path, const std::string& arch) const {
  const std::string key = pathText(path);
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) return nullptr;
  const std::lock_guard lock(m_mutex);
  auto found = m_read.find(key);
  if (found == m_read.end()) {
    NullMonitor monitor;
    auto library = readSharedLibrary(path, monitor);
    found = m_read.emplace(key, library && *library && !(*library)->archive ? *library : nullptr).first;
  }
  const SharedLibraryPtr& library = found->second;
  return library && (arch.empty() || library->arch == arch) ? library : nullptr;
}

SharedLibraryPtr SharedLibraries::inPaths(const std::string& name, const Search& search, bool onlyBeside) const {
  const fs::path origin = pathFrom(search.path).parent_path();
  for (const std::string& list : search.runPaths)
    for (std::string_view rest = list; !rest.empty();) {
      std::string folder(rest.substr(0, rest.find(':')));
      rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
      bool beside = false;
      for (const std::string_view word : {"$ORIGIN", "${ORIGIN}", "@loader_path"})
        if (folder.starts_with(word)) {
          folder = (origin.empty() ? std::string(".") : pathText(origin)) + folder.substr(word.size());
          beside = true;
          break;
        }
      if (folder.empty() || folder.find('$') != std::string::npos || (onlyBeside && !beside)) continue;
      if (SharedLibraryPtr found = load(pathFrom(folder) / pathFrom(name), search.arch)) return found;
    }
  return nullptr;
}

SharedLibraryPtr SharedLibraries::findBeside(const std::string& name, const Search& search) const {
  return name.empty() ? nullptr : inPaths(name, search, true);
}

SharedLibraryPtr SharedLibraries::findHere(const std::string& name, const Search& search) const {
  if (name.empty()) return nullptr;
  if (name.find('/') != std::string::npos) return load(pathFrom(name), search.arch);
  if (SharedLibraryPtr found = inPaths(name, search, false)) return found;
  std::vector<fs::path> candidates;
  {
    const std::lock_guard lock(m_mutex);
    if (!m_cacheRead) readCache();
    m_cacheRead = true;
    if (const auto found = m_cache.find(name); found != m_cache.end()) candidates = found->second;
    for (const fs::path& folder : m_folders) candidates.push_back(folder / pathFrom(name));
  }
  for (const fs::path& candidate : candidates)
    if (SharedLibraryPtr found = load(candidate, search.arch)) return found;
  return nullptr;
}

/// The cache that ldconfig wrote, and the folders that the loader knows itself. Source: glibc
/// sysdeps/generic/dl-cache.h, struct cache_file_new; musl ldso/dynlink.c.
void SharedLibraries::readCache() const {
  constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
  constexpr uint64_t kHeader = 48, kEntry = 24, kCacheBytes = 64u << 20;
  std::error_code failure;
  for (const char* const folder : {"/lib", "/usr/lib", "/lib64", "/usr/lib64"}) m_folders.emplace_back(folder);
  for (const char* const folder : {"/lib", "/usr/lib"})
    for (const auto& entry : fs::directory_iterator(folder, failure))
      if (pathText(entry.path().filename()).find("-linux-") != std::string::npos) m_folders.push_back(entry.path());
  const auto source = ByteSource::openPrivate("/etc/ld.so.cache", kCacheBytes);
  if (!source) {
    m_folders.emplace_back("/usr/local/lib"); // of musl
    return;
  }
  const Bytes file = ByteSource::all(*source);
  const std::size_t start = file.view().find(kMagic);
  if (start == std::string_view::npos) return;
  const std::string_view text = file.view().substr(start);
  const auto number = [&](uint64_t at) { return uint64_t{container::numberAt<uint32_t>(text, at)}; };
  const auto string = [&](uint64_t at) {
    return at < text.size() ? std::string(text.substr(at, std::min(text.find('\0', at) - at, kNameBytes)))
                            : std::string();
  };
  const uint64_t count = number(kMagic.size());
  for (uint64_t i = 0; i < count && kHeader + (i + 1) * kEntry <= text.size(); ++i) {
    const uint64_t at = kHeader + i * kEntry;
    m_cache[string(number(at + 4))].push_back(pathFrom(string(number(at + 8))));
  }
}

} // namespace blobscope::targets
