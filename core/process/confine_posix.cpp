#include "core/process/confine.h"

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

Confinement toolConfinement(const std::filesystem::path& program, const std::filesystem::path& folder) {
  Confinement out;
  out.openFiles = 64;
  out.tasks = 64; // used when there is no filter of system calls
  out.writable = {folder};
  out.readable = {"/usr",       "/lib",      "/lib32", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives",
                  "/nix/store", "/gnu/store"};
  // Toolkits have their libraries next to the folder of their programs.
  std::error_code failure;
  for (const std::filesystem::path& path : {program, std::filesystem::canonical(program, failure)}) {
    if (path.empty()) continue;
    const std::filesystem::path own = path.parent_path(), around = own.parent_path();
    out.readable.insert(out.readable.end(), {own, around / "lib", around / "lib64"});
  }
  out.devices = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
  out.protects = {getpid(), getppid()};
  return out;
}

std::vector<std::string> toolEnvironment(const std::filesystem::path& folder) {
  return {"PATH=/usr/bin:/bin", "LANG=C", "TMPDIR=" + folder.native()};
}

} // namespace blobscope::process
