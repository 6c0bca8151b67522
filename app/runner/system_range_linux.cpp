#include "app/runner/channel.h"
#include "app/runner/system.h"

#include <algorithm>
#include <dlfcn.h>
#include <link.h>

namespace blobscope::runner::system {

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
