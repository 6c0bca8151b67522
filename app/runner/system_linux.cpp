#include "app/runner/channel.h"
#include "app/runner/system.h"

#include <algorithm>
#include <dlfcn.h>
#include <link.h>
#include <sched.h>

namespace blobscope::runner::system {

unsigned processorHere() { return static_cast<unsigned>(std::max(sched_getcpu(), 0)); }

void placeThread(unsigned first, unsigned number) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  const auto count = static_cast<unsigned>(CPU_COUNT(&allowed));
  if (count == 0) return;
  unsigned skip = number % count;
  for (std::size_t i = 0; i < CPU_SETSIZE; ++i) {
    const std::size_t processor = (first + i) % CPU_SETSIZE;
    if (!CPU_ISSET(processor, &allowed) || skip-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    (void)sched_setaffinity(0, sizeof one, &one); // only speed depends on it
    return;
  }
}

void moveThread(unsigned processor) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  placeThread(processor, 0);
  (void)sched_setaffinity(0, sizeof allowed, &allowed);
}

void sendRange(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map) return;
  struct Search {
    uint64_t base, end;
  } search{map->l_addr, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        if (info->dlpi_addr != wanted.base) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i)
          if (info->dlpi_phdr[i].p_type == PT_LOAD)
            wanted.end = std::max<uint64_t>(wanted.end, info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz);
        return 1;
      },
      &search);
  setLibraryRange(search.base, search.base, search.base + search.end);
}

} // namespace blobscope::runner::system
