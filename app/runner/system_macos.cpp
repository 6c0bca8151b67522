#include "app/runner/channel.h"
#include "app/runner/system.h"

#include <dlfcn.h>
#include <mach-o/dyld.h>
#include <mach-o/loader.h>

#include <algorithm>
#include <string_view>

namespace blobscope::runner::system {

unsigned processorHere() { return 0; }

// Threads cannot be bound here.
void placeThread(unsigned, unsigned) {}
void moveThread(unsigned) {}

// There is no such table for calls within a library.
void redirectCalls(void*, const std::function<void*(std::string_view)>&) {}

void sendRange(void* library) {
  // The images that dyld has loaded; the one of this handle is found by a second handle for its path.
  for (uint32_t i = 0; i < _dyld_image_count(); ++i) {
    const char* const name = _dyld_get_image_name(i);
    void* const other = name ? dlopen(name, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    if (other) dlclose(other);
    if (other != library) continue;
    const auto* const header = reinterpret_cast<const mach_header_64*>(_dyld_get_image_header(i));
    const auto slide = static_cast<uint64_t>(_dyld_get_image_vmaddr_slide(i));
    uint64_t end = reinterpret_cast<uint64_t>(header);
    const auto* at = reinterpret_cast<const char*>(header + 1);
    for (uint32_t command = 0; command < header->ncmds; ++command) {
      const auto* const load = reinterpret_cast<const load_command*>(at);
      if (load->cmd == LC_SEGMENT_64) {
        const auto* const segment = reinterpret_cast<const segment_command_64*>(load);
        if (std::string_view(segment->segname) != "__PAGEZERO")
          end = std::max<uint64_t>(end, segment->vmaddr + segment->vmsize + slide);
      }
      at += load->cmdsize;
    }
    const auto begin = reinterpret_cast<uint64_t>(header);
    setLibraryRange(begin, begin, end);
    return;
  }
}

} // namespace blobscope::runner::system
