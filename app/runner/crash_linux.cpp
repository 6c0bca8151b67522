#include "app/runner/channel.h"
#include "app/runner/crash_system.h"

#include <array>
#include <cstring>
#include <link.h>
#include <ucontext.h>
#include <unistd.h>

namespace blobscope::runner::system {
namespace {

/// Path of the library while it is being loaded; set before, so that the handler does not allocate.
std::array<char, 4096> g_libraryPath;

int findRange(dl_phdr_info* info, std::size_t, void*) {
  if (!info->dlpi_name || std::strcmp(info->dlpi_name, g_libraryPath.data()) != 0) return 0;
  uint64_t end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz > end)
      end = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
  setLibraryRange(info->dlpi_addr, info->dlpi_addr, info->dlpi_addr + end);
  return 1;
}

} // namespace

void rememberLibrary(const std::string& path) {
  if (path.size() < g_libraryPath.size()) std::memcpy(g_libraryPath.data(), path.c_str(), path.size() + 1);
}

void findLibrary() {
  if (g_libraryPath[0] != 0) dl_iterate_phdr(findRange, nullptr);
}

uint64_t threadNumber() { return static_cast<uint64_t>(gettid()); }

uint64_t programCounter(const void* context) {
  [[maybe_unused]] const auto* const state = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return static_cast<uint64_t>(state->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return state->uc_mcontext.pc;
#else
  return 0;
#endif
}

} // namespace blobscope::runner::system
