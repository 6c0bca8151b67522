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
bool isOfTvm(const std::string& library) { return library.starts_with("libtvm") && library != "libtvm_ffi_testing"; }

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
    m_out.files.push_back({pathText(file.filename()), ByteSource::all(source)});
    return Done{};
  }
  /// The libraries of TVM in a folder, apart from those with one of the names.
  Result<Done> addLibraries(const path& folder, const std::vector<std::string>& without) {
    for (const path& entry : entriesOf(folder)) {
      const std::string name = pathText(entry.filename());
      const std::string library = libraryName(name);
      if (!isLibraryFile(name) || !isOfTvm(library) || isFolder(entry) ||
          std::ranges::find(without, library) != without.end())
        continue;
      // A file and a link to it.
      if (std::ranges::any_of(m_out.files, [&](const RuntimeFile& file) { return libraryName(file.name) == library; }))
        continue;
      BLOBSCOPE_CHECK(add(entry));
    }
    return Done{};
  }
  Result<Done> addPython(const path& packages);
  Result<Done> findInFolder();
  Result<Done> findInFile();
  Result<Done> addMembers(const Bytes& file);

  path m_path;
  Monitor& m_monitor;
  RuntimeFiles m_out;
};

/// "apache_tvm-0.27.0.post1.dist-info".
std::optional<PythonPackage> packageOf(std::string name) {
  constexpr std::string_view kEnd = ".dist-info";
  if (!name.starts_with("apache_tvm") || !name.ends_with(kEnd)) return std::nullopt;
  name.resize(name.size() - kEnd.size());
  const std::size_t dash = name.find('-');
  if (dash == std::string::npos) return std::nullopt;
  PythonPackage out{name.substr(0, dash), name.substr(dash + 1)};
  std::ranges::replace(out.name, '_', '-');
  return out;
}

Result<Done> Finder::addPython(const path& packages) {
  for (const path& entry : entriesOf(packages))
    if (auto package = packageOf(pathText(entry.filename()))) m_out.packages.push_back(std::move(*package));
  for (const std::string_view name : {"tvm", "tvm_tirx"}) {
    const path folder = packages / pathFrom(std::string(name));
    // Packages before 0.22 have the libraries in the folder itself.
    for (const path& at : {folder / "lib", folder}) {
      const std::size_t before = m_out.files.size();
      BLOBSCOPE_CHECK(addLibraries(at, {}));
      m_out.python |= m_out.files.size() > before;
    }
  }
  return addLibraries(packages / "tvm_ffi" / "lib", {});
}

Result<Done> Finder::findInFolder() {
  std::vector<path> candidates = packageFolders(m_path);
  // The package itself.
  if (const std::string name = pathText(m_path.filename()); name == "tvm" || name == "tvm_tirx")
    candidates.push_back(m_path.parent_path());
  for (const path& candidate : candidates) {
    if (!isFolder(candidate / "tvm") && !isFolder(candidate / "tvm_tirx")) continue;
    BLOBSCOPE_CHECK(addPython(candidate));
    if (!m_out.files.empty()) return Done{};
  }
  for (const path& folder : {m_path, m_path / "lib", m_path / "build"}) {
    BLOBSCOPE_CHECK(addLibraries(folder, {}));
    if (!m_out.files.empty()) return Done{};
  }
  return notARuntime(m_path, "no library of TVM is in the folder, such as libtvm_runtime.so");
}

Result<Done> Finder::findInFile() {
  BLOBSCOPE_TRY(source, ByteSource::openFile(m_path));
  const Bytes file = ByteSource::all(source);
  if (container::looksLikeArchive(file.view().substr(0, 512))) return addMembers(file);
  const std::string name = pathText(m_path.filename());
  m_out.files.push_back({name, file});
  // The side libraries that the runtime loads, and libtvm_ffi. The compiler is not loaded with it.
  if (isLibraryFile(name) && isOfTvm(libraryName(name)) && libraryName(name) != "libtvm_ffi")
    return addLibraries(
        m_path.parent_path().empty() ? path(".") : m_path.parent_path(),
        {"libtvm", "libtvm_runtime", "libtvm_compiler", "libtvm_tirx_compiler", "libtvm_tirx_llvm_backend_native"});
  return Done{};
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
