#include "core/targets/runtime_files.h"

#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/container/archive/archive.h"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>

namespace blobscope::targets {
namespace {

using std::filesystem::path;

Error notARuntime(const path& at, std::string why) {
  return {DiagnosticId::PreRuntime, {arg("name", pathText(at)), {"why", std::move(why)}}};
}

bool isLibraryFile(std::string_view name) {
  if (name.ends_with(".so") || name.ends_with(".dylib") || name.ends_with(".dll")) return true;
  const std::size_t version = name.rfind(".so.");
  return version != std::string_view::npos &&
         name.find_first_not_of("0123456789.", version + 4) == std::string_view::npos;
}

/// Libraries of TVM with parts of its runtime. libtvm_ffi_testing has none.
bool isOfTvm(const std::string& library) {
  return (library.starts_with("libtvm") && library != "libtvm_ffi_testing") || library.starts_with("libtilelang");
}

/// Names in a folder, sorted; empty when it cannot be listed.
std::vector<path> entriesOf(const path& folder) {
  std::vector<path> out;
  std::error_code failure;
  constexpr std::size_t kEntries = 100'000;
  for (auto at = std::filesystem::directory_iterator(folder, failure);
       !failure && at != std::filesystem::directory_iterator() && out.size() < kEntries; at.increment(failure))
    out.push_back(at->path());
  std::ranges::sort(out);
  return out;
}

bool isFolder(const path& at) {
  std::error_code failure;
  return std::filesystem::is_directory(at, failure);
}

class Finder {
public:
  explicit Finder(const path& at, Monitor& monitor) : m_path(at), m_monitor(monitor) {}
  Result<RuntimeFiles> find() {
    if (isFolder(m_path)) {
      BLOBSCOPE_CHECK(findInFolder());
    } else {
      BLOBSCOPE_CHECK(findInFile());
    }
    return std::move(m_out);
  }

private:
  /// A package of an app has a few libraries.
  static constexpr std::size_t kFiles = 256;
  Error tooMany() const {
    return Error(DiagnosticId::PreRuntime,
                 {arg("name", pathText(m_path)), {"why", "it has more than " + std::to_string(kFiles) + " libraries"}});
  }
  Result<Done> add(const path& file) {
    if (m_out.files.size() >= kFiles) return tooMany();
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    BLOBSCOPE_TRY(source, ByteSource::openFile(file));
    m_out.files.push_back({pathText(file.filename()), ByteSource::all(source), file});
    return Done{};
  }
  bool has(std::string_view library) const {
    return std::ranges::any_of(m_out.files, [&](const RuntimeFile& file) { return libraryName(file.name) == library; });
  }
  /// The libraries of TVM in a folder, apart from those with one of the names.
  Result<Done> addLibraries(const path& folder, const std::vector<std::string>& without) {
    for (const path& entry : entriesOf(folder)) {
      const std::string name = pathText(entry.filename());
      const std::string library = libraryName(name);
      if (!isLibraryFile(name) || !isOfTvm(library) || isFolder(entry) ||
          std::ranges::find(without, library) != without.end())
        continue;
      if (has(library)) continue; // a file and a link to it
      BLOBSCOPE_CHECK(add(entry));
    }
    return Done{};
  }
  Result<bool> addPackage(const path& package);
  Result<Done> addFfi(const path& packages);
  Result<Done> addPython(const path& packages, const path& only);
  Result<Done> addSite(const path& folder);
  Result<Done> findInFolder();
  Result<Done> findInFile();
  Result<Done> addMembers(const Bytes& file);

  path m_path;
  Monitor& m_monitor;
  RuntimeFiles m_out;
};

/// Where packages have the libraries of TVM: the wheels of TVM from 0.22 on, the older ones, TileLang, BitBLAS.
std::vector<path> libraryFolders(const path& package) {
  std::vector<path> out = {package / "lib", package};
  for (const path& part : {package / "3rdparty" / "tvm", package / "3rdparty" / "tilelang"})
    for (const char* const name : {"build", "lib"}) out.push_back(part / name);
  return out;
}

bool hasCore(const path& folder) {
  std::error_code failure;
  constexpr std::array<const char*, 6> kNames = {"libtvm_runtime.so", "libtvm.so",       "libtvm_runtime.dylib",
                                                 "libtvm.dylib",      "tvm_runtime.dll", "tvm.dll"};
  return std::ranges::any_of(kNames, [&](const char* name) { return std::filesystem::exists(folder / name, failure); });
}

bool hasRuntime(const path& package) {
  const auto folders = libraryFolders(package);
  return std::ranges::any_of(folders, hasCore);
}

/// The libraries of a package; false when it has no runtime.
Result<bool> Finder::addPackage(const path& package) {
  if (!hasRuntime(package)) return false;
  for (const path& folder : libraryFolders(package)) BLOBSCOPE_CHECK(addLibraries(folder, {}));
  m_out.python = true;
  m_out.bindsAtOnce = pathText(package.filename()) != "tilelang";
  return true;
}

Result<Done> Finder::addFfi(const path& packages) {
  if (!has("libtvm_ffi")) BLOBSCOPE_CHECK(addLibraries(packages / "tvm_ffi" / "lib", {"libtvm_ffi_testing"}));
  return Done{};
}

/// The runtime of one package, and libtvm_ffi. `only`: the package to take; empty for the first one that has a runtime.
Result<Done> Finder::addPython(const path& packages, const path& only) {
  std::vector<path> candidates;
  if (only.empty()) {
    for (const char* const name : {"tvm", "tvm_tirx", "tilelang", "bitblas"}) candidates.push_back(packages / name);
    for (const path& entry : entriesOf(packages))
      if (std::error_code failure; std::ranges::find(candidates, entry) == candidates.end() &&
                                   std::filesystem::exists(entry / "__init__.py", failure))
        candidates.push_back(entry);
  } else {
    candidates.push_back(only);
  }
  for (const path& candidate : candidates) {
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    if (m_out.python) {
      if (hasRuntime(candidate)) m_out.others.push_back(pathText(candidate.filename()));
      continue;
    }
    BLOBSCOPE_TRY(found, addPackage(candidate));
    (void)found;
  }
  BLOBSCOPE_CHECK(addFfi(packages));
  if (m_out.files.empty()) return Done{};
  m_out.bindsAtOnce |= !m_out.python; // tvm_ffi alone
  m_out.site = packages;
  BLOBSCOPE_TRY(installed, readPackages(packages, m_monitor));
  m_out.packages = std::move(installed);
  return Done{};
}

Result<Done> Finder::findInFolder() {
  // A package itself.
  const path full = std::filesystem::path(m_path).lexically_normal();
  const path folder = full.has_filename() ? full : full.parent_path();
  const path parent = folder.parent_path();
  if (const std::string name = pathText(folder.filename());
      isFolder(parent / "tvm_ffi" / "lib") || name == "tvm" || name == "tvm_tirx") {
    BLOBSCOPE_CHECK(addPython(parent, folder));
    if (m_out.python || name == "tvm_ffi") return Done{};
    m_out = {};
  }
  for (const path& candidate : packageFolders(m_path)) {
    BLOBSCOPE_CHECK(addPython(candidate, {}));
    if (!m_out.files.empty()) return Done{};
  }
  for (const path& inside : {m_path, m_path / "lib", m_path / "build"}) {
    BLOBSCOPE_CHECK(addLibraries(inside, {}));
    if (!m_out.files.empty()) return addSite(inside);
  }
  return notARuntime(m_path, "no library of TVM or tvm-ffi is in the folder, such as libtvm_runtime.so");
}

/// libtvm_ffi and the packages of the Python environment that contains the folder.
Result<Done> Finder::addSite(const path& folder) {
  std::error_code failure;
  path at = std::filesystem::absolute(folder, failure);
  if (failure) return Done{};
  constexpr int kLevels = 8;
  for (int i = 0; i < kLevels && at.has_relative_path(); ++i, at = at.parent_path()) {
    if (pathText(at.filename()) != "site-packages") continue;
    m_out.site = at;
    BLOBSCOPE_TRY(installed, readPackages(at, m_monitor));
    m_out.packages = std::move(installed);
    return addFfi(at);
  }
  return Done{};
}

Result<Done> Finder::findInFile() {
  BLOBSCOPE_TRY(source, ByteSource::openFile(m_path));
  const Bytes file = ByteSource::all(source);
  if (container::looksLikeArchive(file.view().substr(0, 512))) return addMembers(file);
  const std::string name = pathText(m_path.filename());
  m_out.files.push_back({name, file, m_path});
  // The side libraries that the runtime loads, and libtvm_ffi. The compiler is not loaded with it.
  if (!isLibraryFile(name) || !isOfTvm(libraryName(name)) || libraryName(name) == "libtvm_ffi") return Done{};
  const path folder = m_path.parent_path().empty() ? path(".") : m_path.parent_path();
  BLOBSCOPE_CHECK(addLibraries(folder, {"libtvm", "libtvm_runtime", "libtvm_compiler", "libtvm_tirx_compiler",
                                        "libtvm_tirx_llvm_backend_native", "libtilelang_module"}));
  return addSite(folder);
}

/// The libraries of one processor: an app has the same ones for several.
Result<Done> Finder::addMembers(const Bytes& file) {
  BLOBSCOPE_TRY(image, container::readArchive(file, Budget::forFile(file.size()), m_monitor));
  for (const container::Member& member : image.members)
    if (member.type == container::Member::Type::File && isLibraryFile(member.path) && !member.bytes.empty()) {
      if (m_out.files.size() >= kFiles) return tooMany();
      m_out.files.push_back({member.path, member.bytes});
    }
  if (m_out.files.empty()) return notARuntime(m_path, "the archive contains no library");
  return Done{};
}

} // namespace

std::vector<path> packageFolders(const path& folder) {
  std::vector<path> out = {folder};
  for (const char* const name : {"lib", "lib64"})
    for (const path& version : entriesOf(folder / name))
      if (pathText(version.filename()).starts_with("python") && isFolder(version / "site-packages"))
        out.push_back(version / "site-packages");
  if (const path windows = folder / "Lib" / "site-packages"; isFolder(windows)) out.push_back(windows);
  return out;
}

std::string libraryName(std::string_view file) {
  if (const std::size_t slash = file.find_last_of("/\\"); slash != std::string_view::npos)
    file.remove_prefix(slash + 1);
  const std::size_t dot = file.find('.');
  std::string out(file.substr(0, dot));
  return file.ends_with(".dll") && !out.starts_with("lib") ? "lib" + out : out;
}

Result<RuntimeFiles> findRuntimeFiles(const std::filesystem::path& at, Monitor& monitor) {
  return Finder(at, monitor).find();
}

} // namespace blobscope::targets
