#include "core/targets/runtime_library.h"

#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/container/container.h"
#include "core/container/elf/file.h"
#include "core/targets/shared_libraries.h"

#include <algorithm>
#include <array>
#include <deque>
#include <system_error>

namespace blobscope::targets {
namespace {

namespace elf = container::elf;

constexpr std::size_t kListed = 1'024;      // maximum of needed libraries, of run paths
constexpr std::size_t kNameBytes = 4'096;   // maximum length of a name
constexpr std::size_t kSymbols = 2'000'000; // maximum of exported and of undefined symbols

} // namespace

/// What the dynamic part of an ELF library says. Source: System V ABI, chapter 5.
class RuntimeLibraryReader {
public:
  static Result<std::optional<RuntimeLibrary>> read(const RuntimeFile& file, const NameFinder& finder, bool compiler,
                                                    Monitor& monitor) {
    auto image = container::readImage(file.bytes, monitor);
    if (!image) {
      if (image.error().code() == ErrorCode::Cancelled) return image.takeError();
      return std::optional<RuntimeLibrary>();
    }
    RuntimeLibrary out;
    out.name = libraryName(file.name);
    out.file = file.name.substr(file.name.find_last_of("/\\") + 1);
    out.path = file.path;
    out.bytes = file.bytes;
    out.architecture = image->arch;
    out.isCompiler = compiler;
    out.m_texts = textsOf(*image);
    for (const container::Section& section : image->sections)
      if (section.executable && Extent{0, file.bytes.size()}.contains(section.file)) out.m_code.push_back(section.file);
    BLOBSCOPE_CHECK(readSymbols(*image, out, monitor));
    if (image->format == container::Format::Elf) readDynamic(*image, out);
    if (compiler) {
      out.m_later = std::make_shared<RuntimeLibrary::Later>();
      out.m_later->finder = &finder;
    } else {
      BLOBSCOPE_TRY(names, finder.find(out.bytes.view(), out.m_texts, monitor));
      out.m_names = std::move(names);
    }
    return std::optional(std::move(out));
  }

private:
  static Result<Done> readSymbols(const container::Image& image, RuntimeLibrary& out, Monitor& monitor) {
    const bool all = image.format == container::Format::Wasm;
    uint64_t count = 0;
    for (const container::Symbol& symbol : image.symbols) {
      if (++count % 4'096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      if (!symbol.dynamic && !all) continue;
      const std::string_view name = image.plainName(symbol);
      if (name.empty() || name.size() > kNameBytes || symbol.binding == container::Binding::Local) continue;
      if (symbol.defined && out.exports.size() < kSymbols) out.exports.push_back(name);
      if (!symbol.defined && symbol.binding == container::Binding::Global && out.undefined.size() < kSymbols)
        out.undefined.push_back(name);
    }
    std::ranges::sort(out.exports);
    return Done{};
  }

  static void readDynamic(const container::Image& image, RuntimeLibrary& out) {
    auto file = elf::File::readHeader(image.file);
    if (!file) return;
    file->readTables();
    const elf::DynamicTag* const table = file->findTag(elf::DT_STRTAB);
    const elf::DynamicTag* const size = file->findTag(elf::DT_STRSZ);
    const auto strings = table ? image.findBytesAt(table->value) : std::nullopt;
    const auto textAt = [&](uint64_t offset) {
      if (!strings || !size || offset >= std::min<uint64_t>(size->value, strings->size())) return std::string();
      const std::string_view rest = strings->view().substr(offset, kNameBytes);
      return std::string(rest.substr(0, rest.find('\0')));
    };
    for (const elf::DynamicTag& tag : file->dynamic) {
      if (tag.tag == elf::DT_NEEDED && out.needed.size() < kListed) out.needed.push_back(textAt(tag.value));
      if (tag.tag == elf::DT_SONAME) out.soName = textAt(tag.value);
      out.bindsAtOnce |= tag.tag == elf::DT_BIND_NOW || (tag.tag == elf::DT_FLAGS && tag.value & elf::DF_BIND_NOW) ||
                         (tag.tag == elf::DT_FLAGS_1 && tag.value & elf::DF_1_NOW);
    }
    const elf::DynamicTag* const newer = file->findTag(elf::DT_RUNPATH);
    const elf::DynamicTag* const older = file->findTag(elf::DT_RPATH);
    if (!newer && !older) return;
    std::string paths = textAt((newer ? newer : older)->value);
    for (std::size_t begin = 0; begin <= paths.size() && out.runPaths.size() < kListed;) {
      const std::size_t end = std::min(paths.find(':', begin), paths.size());
      if (end > begin) out.runPaths.push_back(paths.substr(begin, end - begin));
      begin = end + 1;
    }
  }
};

const FoundNames& RuntimeLibrary::names() const {
  if (!m_later) return m_names;
  std::call_once(m_later->once, [this] {
    NullMonitor monitor;
    if (auto found = m_later->finder->find(bytes.view(), m_texts, monitor)) m_later->names = std::move(*found);
  });
  return m_later->names;
}

bool RuntimeLibrary::has(std::string_view symbol) const { return std::ranges::binary_search(exports, symbol); }

bool RuntimeLibrary::exportsTvm() const {
  const auto first = std::ranges::lower_bound(exports, std::string_view("TVM"));
  return first != exports.end() && first->starts_with("TVM");
}

std::vector<uint64_t> RuntimeLibrary::findConstants(uint64_t family) const {
  std::vector<uint64_t> out;
  // Little-endian, from the second byte on. Compilers also store the negated constant, for a comparison with a range.
  for (const bool negated : {false, true}) {
    const uint64_t number = negated ? ~family + 1 : family;
    std::string pattern;
    for (int byte = 1; byte < 8; ++byte) pattern += static_cast<char>(number >> (8 * byte));
    for (const std::vector<Extent>* const parts : {&m_code, &m_texts})
      for (const Extent& part : *parts) {
        const std::string_view text = bytes.view().substr(part.offset, part.size);
        for (std::size_t at = text.find(pattern, 1); at != std::string_view::npos; at = text.find(pattern, at + 1)) {
          const uint64_t value = (number & ~uint64_t{0xff}) | static_cast<uint8_t>(text[at - 1]);
          const uint64_t found = negated ? ~value + 1 : value;
          if (std::ranges::find(out, found) == out.end() && out.size() < 16) out.push_back(found);
        }
      }
  }
  std::ranges::sort(out);
  return out;
}

Result<std::optional<RuntimeLibrary>> readRuntimeLibrary(const RuntimeFile& file, const NameFinder& finder,
                                                         bool compiler, Monitor& monitor) {
  return RuntimeLibraryReader::read(file, finder, compiler, monitor);
}

namespace {

using State = RuntimeLibrary::State;

/// Libraries of the system that every program has, or that belong to the compiler with which all are built.
bool isOfSystem(std::string_view name) {
  constexpr std::array<std::string_view, 21> kBeginnings = {
      "ld-linux",  "ld64.so",    "ld.so",         "libc.so",    "libc.musl", "libm.so",    "libdl.so",
      "libdl.a",   "libpthread", "librt.so",      "libutil.so", "libgcc_s.", "libstdc++.", "libc++.",
      "libc++abi", "liblog.so",  "libandroid.so", "libEGL.so",  "libGLES",   "linux-vdso", "libresolv.so"};
  return std::ranges::any_of(kBeginnings, [&](std::string_view begin) { return name.starts_with(begin); });
}

/// Whether only TVM or tvm-ffi defines it.
bool isOfTvm(std::string_view symbol) { return symbol.starts_with("TVM") || symbol.find("N3tvm") < symbol.size(); }

/// Whether only the CUDA driver defines it: "cuModuleLoadData".
bool isOfDriver(std::string_view symbol) {
  return symbol.size() > 4 && symbol.starts_with("cu") && symbol[2] >= 'A' && symbol[2] <= 'Z' &&
         symbol.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
             std::string_view::npos;
}

/// Whether it is data, which the loader binds at once: type information and tables of virtual functions.
bool isData(std::string_view symbol) {
  return symbol.starts_with("_ZTI") || symbol.starts_with("_ZTV") || symbol.starts_with("_ZTS");
}

class Loading {
public:
  Loading(std::vector<RuntimeLibrary>& libraries, std::vector<RuntimeLibrary> others, const RuntimeFiles& files,
          const NameFinder& finder, Monitor& monitor)
      : m_libraries(libraries), m_others(std::move(others)), m_files(files), m_finder(finder), m_monitor(monitor) {}

  Result<std::vector<RuntimeLibrary>> run() {
    for (RuntimeLibrary& library : m_libraries) BLOBSCOPE_CHECK(load(library, 0));
    for (RuntimeLibrary& library : m_libraries) {
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      if (library.state == State::Loads) checkSymbols(library);
    }
    // What needs a library that cannot be loaded cannot be loaded itself.
    for (std::size_t i = 0; i < m_libraries.size(); ++i)
      for (RuntimeLibrary& library : m_libraries)
        for (const std::string& name : library.needed)
          if (const RuntimeLibrary* const other = findIn(m_libraries, name);
              other && other != &library && library.state == State::Loads && other->state != State::Loads)
            inherit(library, *other);
    std::vector<RuntimeLibrary> out;
    for (RuntimeLibrary& library : m_dependencies) out.push_back(std::move(library));
    return out;
  }

private:
  static constexpr int kDepth = 16;
  static constexpr std::size_t kDependencies = 256;

  static RuntimeLibrary* findIn(auto& list, std::string_view name) {
    const auto found =
        std::ranges::find_if(list, [&](const RuntimeLibrary& one) { return one.soName == name || one.file == name; });
    return found == list.end() ? nullptr : &*found;
  }
  static void inherit(RuntimeLibrary& library, const RuntimeLibrary& from) {
    library.state = from.state;
    library.missing = from.missing;
    library.missingIn = from.missingIn;
    library.missingHere = from.missingHere;
  }

  /// Finds what the library needs.
  Result<Done> load(RuntimeLibrary& library, int depth) {
    if (depth > kDepth || !m_visited.insert(&library).second) return Done{};
    for (const std::string& name : library.needed) {
      if (isOfSystem(name)) continue;
      BLOBSCOPE_TRY(found, findNeeded(library, name));
      if (found) {
        BLOBSCOPE_CHECK(load(*found, depth + 1));
        const bool worse = library.state == State::NeedsLibrary && !library.missingHere && found->missingHere;
        if (found->state != State::Loads && (library.state == State::Loads || worse)) inherit(library, *found);
        continue;
      }
      if (library.state == State::UndefinedSymbol) continue;
      // libtvm_ffi is a package of its own, which may be elsewhere.
      if (m_files.site.empty() && libraryName(name) == "libtvm_ffi") {
        m_ffiElsewhere = true;
        continue;
      }
      const bool missingHere = !m_here.findHere(name, {pathText(library.path), library.runPaths, library.architecture});
      // The first, but one that this machine has does not hide one that it does not have.
      if (library.state == State::NeedsLibrary && (library.missingHere || !missingHere)) continue;
      library.state = State::NeedsLibrary;
      library.missing = name;
      library.missingIn = library.file;
      library.missingHere = missingHere;
    }
    return Done{};
  }

  Result<RuntimeLibrary*> findNeeded(const RuntimeLibrary& library, const std::string& name) {
    if (RuntimeLibrary* const found = findIn(m_libraries, name)) return found;
    if (RuntimeLibrary* const found = findIn(m_others, name)) return found;
    if (RuntimeLibrary* const found = findIn(m_dependencies, name)) return found;
    if (library.path.empty() || name.find('/') != std::string::npos) return static_cast<RuntimeLibrary*>(nullptr);
    for (const std::string& one : library.runPaths) {
      const auto folder = folderOf(one, library);
      if (!folder || m_dependencies.size() >= kDependencies) continue;
      std::error_code failure;
      const std::filesystem::path path = *folder / pathFrom(name);
      if (!std::filesystem::is_regular_file(path, failure)) continue;
      auto source = ByteSource::openFile(path);
      if (!source) continue;
      BLOBSCOPE_TRY(read, readRuntimeLibrary({name, ByteSource::all(*source), path}, m_finder, true, m_monitor));
      if (!read || (!library.architecture.empty() && read->architecture != library.architecture)) continue;
      return &m_dependencies.emplace_back(std::move(*read));
    }
    return static_cast<RuntimeLibrary*>(nullptr);
  }

  /// A run path that begins with $ORIGIN: others belong to the machine on which the library was built.
  static std::optional<std::filesystem::path> folderOf(std::string_view runPath, const RuntimeLibrary& library) {
    for (const std::string_view origin : {"$ORIGIN", "${ORIGIN}"}) {
      if (!runPath.starts_with(origin)) continue;
      std::string_view rest = runPath.substr(origin.size());
      while (rest.starts_with('/')) rest.remove_prefix(1);
      return library.path.parent_path() / pathFrom(std::string(rest));
    }
    return std::nullopt;
  }

  bool isExported(std::string_view symbol) const {
    const auto has = [&](const RuntimeLibrary& one) { return one.has(symbol); };
    return std::ranges::any_of(m_libraries, has) || std::ranges::any_of(m_others, has) ||
           std::ranges::any_of(m_dependencies, has);
  }

  /// Finds a symbol that nothing defines and that is bound when the library is loaded.
  void checkSymbols(RuntimeLibrary& library) const {
    const bool atOnce = library.bindsAtOnce || m_files.bindsAtOnce;
    const auto needs = [&](std::string_view begin) {
      return std::ranges::any_of(library.needed, [&](const std::string& one) { return one.starts_with(begin); });
    };
    // The driver may be found through another library that is needed.
    const bool driver = needs("libcuda.") || library.name == "libcuda";
    const bool ofTvm = needs("libtvm") || needs("libtilelang");
    for (const std::string_view symbol : library.undefined) {
      if (!atOnce && !isData(symbol)) continue;
      const bool missing =
          isOfTvm(symbol) ? ofTvm && !m_ffiElsewhere : !driver && isOfDriver(symbol) && needs("libcudart");
      if (!missing || isExported(symbol)) continue;
      library.state = State::UndefinedSymbol;
      library.missing = symbol;
      library.missingIn = library.file;
      return;
    }
  }

  std::vector<RuntimeLibrary>& m_libraries;
  std::vector<RuntimeLibrary> m_others;
  std::deque<RuntimeLibrary> m_dependencies;
  const RuntimeFiles& m_files;
  const NameFinder& m_finder;
  Monitor& m_monitor;
  const SharedLibraries m_here;
  std::set<const RuntimeLibrary*> m_visited;
  bool m_ffiElsewhere = false;
};

} // namespace

Result<std::vector<RuntimeLibrary>> loadLibraries(std::vector<RuntimeLibrary>& libraries,
                                                  std::vector<RuntimeLibrary> others, const RuntimeFiles& files,
                                                  const NameFinder& finder, Monitor& monitor) {
  return Loading(libraries, std::move(others), files, finder, monitor).run();
}

} // namespace blobscope::targets
