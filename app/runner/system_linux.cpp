#include "app/runner/channel.h"
#include "app/runner/system.h"

#include <algorithm>
#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

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

void redirectCalls(void* library, const std::function<void*(std::string_view symbol)>& replacement) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !map) return;
  // The loader has relocated the pointers of the dynamic section.
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela)* slots = nullptr;
  std::size_t bytes = 0;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    const auto pointer = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(pointer);
    if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(pointer);
    if (entry->d_tag == DT_JMPREL) slots = reinterpret_cast<const ElfW(Rela)*>(pointer);
    if (entry->d_tag == DT_PLTRELSZ) bytes = entry->d_un.d_val;
    if (entry->d_tag == DT_PLTREL && entry->d_un.d_val != DT_RELA) return;
  }
  if (!symbols || !names || !slots) return;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t i = 0; i < bytes / sizeof *slots; ++i) {
    const ElfW(Sym)& symbol = symbols[ELF64_R_SYM(slots[i].r_info)];
    if (symbol.st_shndx == SHN_UNDEF) continue;
    void* const other = replacement(names + symbol.st_name);
    if (!other) continue;
    const uintptr_t slot = map->l_addr + slots[i].r_offset;
    // The page is read-only if the library was linked with -z now.
    if (mprotect(reinterpret_cast<void*>(slot / page * page), page, PROT_READ | PROT_WRITE) != 0) return;
    *reinterpret_cast<void**>(slot) = other;
  }
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
