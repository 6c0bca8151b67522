#include "app/runner/system.h"

#include "core/base/path_text.h"
#include "core/process/toolkit_library.h"

#include <cstdlib>
#include <fstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <system_error>
#include <vector>

namespace blobscope::runner::system {
namespace {

/// Creates the folder in which drivers store compiled code. It is not the user's own cache, because other programs load
/// files from there and a run must not leave code for them. If there is no home, it is in the job's folder and only for
/// this run.
std::filesystem::path makeDriverCache(const std::filesystem::path& folder) {
  const auto variable = [](const char* name) {
    const char* const text = std::getenv(name);
    return std::filesystem::path(text && *text == '/' ? text : "");
  };
  std::filesystem::path base = variable("XDG_CACHE_HOME");
  if (base.empty() && !variable("HOME").empty()) base = variable("HOME") / ".cache";
  std::error_code failure;
  for (const std::filesystem::path& cache : {base / "blobscope" / "drivers", folder / "cache"}) {
    if (!cache.is_absolute()) continue;
    std::filesystem::create_directories(cache, failure);
    if (failure || !std::filesystem::is_directory(cache, failure)) continue;
    std::filesystem::permissions(cache, std::filesystem::perms::owner_all, failure);
    return cache;
  }
  return folder;
}

/// Redirects files of drivers, and of the programs that they start, to folders in which they may write.
void redirectWrites(const std::filesystem::path& folder, const std::filesystem::path& cache) {
  setenv("TMPDIR", folder.c_str(), 1);
  if (cache.empty()) return;
  for (const char* const name : {"XDG_CACHE_HOME", "CUDA_CACHE_PATH", "__GL_SHADER_DISK_CACHE_PATH"})
    setenv(name, cache.c_str(), 1);
  for (const char* const name : {"MESA_SHADER_CACHE_DIR", "MESA_GLSL_CACHE_DIR", "POCL_CACHE_DIR"}) unsetenv(name);
}

/// Returns the existing device files that drivers open.
std::vector<std::filesystem::path> deviceFiles() {
  std::vector<std::filesystem::path> out;
  for (const char* const name :
       {"null", "zero", "full", "random", "urandom", "dri", "accel", "dma_heap", "udmabuf", "kfd", "dxg", "kgsl-3d0"})
    out.push_back(std::filesystem::path("/dev") / name);
  std::error_code failure;
  for (std::filesystem::directory_iterator at("/dev", failure), end; !failure && at != end; at.increment(failure)) {
    const std::string name = at->path().filename().native();
    if (name.starts_with("nvidia") || name.starts_with("mali")) out.push_back(at->path());
  }
  return out;
}

} // namespace

uint64_t stackBytes() {
  constexpr rlim_t kUsual = rlim_t{8} << 20;
  rlimit limit = {};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUsual;
  return limit.rlim_cur;
}

void* reserveAddresses(uint64_t bytes) {
  void* const base = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return base == MAP_FAILED ? nullptr : base;
}

void* allocatePages(uint64_t bytes) {
  void* const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return base == MAP_FAILED ? nullptr : base;
}

void releasePages(void* pages, uint64_t bytes) { munmap(pages, bytes); }

void allowFiles(process::Confinement& wanted, const RunFiles& files) {
  const std::filesystem::path cache = files.hasDriver ? makeDriverCache(files.folder) : std::filesystem::path();
  redirectWrites(files.folder, cache);
  // In /proc only the names of the own threads.
  wanted.writable = {files.folder, cache, "/proc/self/task"};
  wanted.devices = deviceFiles();
  if (!files.sharesMemory) return;
  wanted.writable.emplace_back("/dev/shm");
  // Sockets of NVIDIA's Multi-Process Service.
  wanted.devices.emplace_back("/tmp/nvidia-mps");
}

void allowCompilers(process::Confinement& wanted, std::string_view backend, const std::string& driver) {
  for (const char* const path : {"/usr",
                                 "/lib",
                                 "/lib32",
                                 "/lib64",
                                 "/bin",
                                 "/etc/ld.so.cache",
                                 "/etc/alternatives",
                                 "/etc/OpenCL",
                                 "/etc/nvidia",
                                 "/nix/store",
                                 "/gnu/store",
                                 "/run/opengl-driver",
                                 "/proc/self",
                                 "/proc/cpuinfo",
                                 "/proc/meminfo",
                                 "/proc/stat",
                                 "/proc/version",
                                 "/proc/driver",
                                 "/proc/sys/vm",
                                 "/sys/devices",
                                 "/sys/class",
                                 "/sys/bus",
                                 "/sys/dev",
                                 "/sys/module"})
    wanted.readable.emplace_back(path);
  const auto addInstallation = [&](const std::filesystem::path& file) {
    for (std::filesystem::path& part : process::installationOf(file)) wanted.readable.push_back(std::move(part));
  };
  // A library is in a folder such as lib64 of its installation; the headers for NVRTC can be in a Python package beside
  // its own.
  const auto addLibrary = [&](const std::filesystem::path& file) {
    if (!file.is_absolute()) return;
    const std::filesystem::path around = file.parent_path().parent_path();
    addInstallation(file);
    addInstallation(around / "bin" / file.filename());
    if (around.parent_path().filename() == "nvidia") addInstallation(around.parent_path() / file.filename());
  };
  const process::ToolSearch search = process::ToolSearch::fromEnvironment();
  addLibrary(pathFrom(driver));
  addLibrary(ownProgram());
  for (const std::filesystem::path& folder : process::loaderFolders(search)) addInstallation(folder / "library");
  if (backend != "opencl") {
    for (const std::string& file : process::toolkitLibraryFiles(backend == "nvrtc" ? "nvrtc" : "nvJitLink", search))
      addLibrary(pathFrom(file));
    return;
  }
  // Each driver of OpenCL has a file with its name or path.
  std::filesystem::path drivers = pathFrom(environmentText("OCL_ICD_VENDORS"));
  if (drivers.empty()) drivers = "/etc/OpenCL/vendors";
  wanted.readable.push_back(drivers);
  for (const std::filesystem::path& file : process::entriesOf(drivers, "")) {
    std::ifstream text(file);
    std::string line(4'096, '\0');
    text.getline(line.data(), static_cast<std::streamsize>(line.size()));
    addLibrary(pathFrom(line.c_str()));
  }
}

} // namespace blobscope::runner::system
