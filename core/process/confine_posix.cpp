#include "core/process/confine.h"

#include "core/base/path_text.h"

#include <algorithm>
#include <array>
#include <pwd.h>
#include <system_error>
#include <unistd.h>

namespace blobscope::process {

std::string confinedText(Layers layers) {
  struct Row {
    Layers::Bit layer;
    const char* without;
  };
  // RLIMIT_NPROC is omitted: a tool starts no processes.
  constexpr Row kRows[] = {{Layers::SystemCalls, "it may use the network and start processes"},
                           {Layers::Files, "it may read and write your files"},
                           {Layers::Privileges, "it may gain privileges"},
                           {Layers::Limits, "its memory and time are not limited by the system"}};
  std::string without;
  bool any = false;
  for (const Row& row : kRows) {
    any = any || layers.has(row.layer);
    if (layers.has(row.layer)) continue;
    without += (without.empty() ? "" : "; ") + std::string(row.without) + " (" + missingReason(row.layer) + ")";
  }
  if (without.empty()) return "run confined";
  return any ? "run confined, except that " + without : "run not confined: " + missingReason(Layers::Limits);
}

namespace {

namespace fs = std::filesystem;

/// Folders whose content is not a part of a program: those of the user, and the one for temporary files.
std::vector<fs::path> privateFolders() {
  std::vector<fs::path> out = {"/tmp", "/var/tmp", "/root", "/home", "/Users"};
  const auto add = [&](const fs::path& path) {
    std::error_code failure;
    if (!path.is_absolute()) return;
    out.push_back(path.lexically_normal());
    if (fs::path real = fs::weakly_canonical(path, failure); !failure) out.push_back(std::move(real));
  };
  add(pathFrom(environmentText("HOME")));
  add(pathFrom(environmentText("TMPDIR")));
  passwd entry{}, *found = nullptr;
  std::array<char, 4'096> text;
  if (getpwuid_r(getuid(), &entry, text.data(), text.size(), &found) == 0 && found) add(found->pw_dir);
  return out;
}

/// Whether one of `folders` is the same as `path` or below it.
bool isAbove(const fs::path& path, const std::vector<fs::path>& folders) {
  return std::ranges::any_of(folders, [&](const fs::path& folder) {
    return std::mismatch(path.begin(), path.end(), folder.begin(), folder.end()).first == path.end();
  });
}

} // namespace

std::vector<fs::path> installationOf(const fs::path& program) {
  const std::vector<fs::path> folders = privateFolders();
  std::vector<fs::path> out;
  std::error_code failure;
  for (const fs::path& path : {program.lexically_normal(), fs::canonical(program, failure)}) {
    if (!path.is_absolute()) continue;
    fs::path whole = path.parent_path();
    if (whole.filename() == "bin") whole = whole.parent_path();
    // The homes of other users are in one folder.
    const bool isHome = whole.parent_path() == "/home" || whole.parent_path() == "/Users";
    fs::path one = isHome || whole == whole.root_path() || isAbove(whole, folders) ? path : whole;
    if (std::ranges::find(out, one) == out.end()) out.push_back(std::move(one));
  }
  return out;
}

Confinement toolConfinement(const fs::path& program, const fs::path& folder) {
  Confinement out;
  out.openFiles = 64;
  out.tasks = 256; // a linker has a thread for each processor
  out.writable = {folder};
  out.readable = {"/usr",       "/lib",      "/lib32", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives",
                  "/nix/store", "/gnu/store"};
  for (fs::path& part : installationOf(program)) out.readable.push_back(std::move(part));
  out.devices = {"/dev/null"};
  out.protects = {getpid(), getppid()};
  return out;
}

std::vector<std::string> toolEnvironment(const std::filesystem::path& folder) {
  return {"PATH=/usr/bin:/bin", "LANG=C", "TMPDIR=" + folder.native()};
}

} // namespace blobscope::process
