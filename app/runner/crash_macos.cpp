#include "app/runner/crash_system.h"

#include <mach/mach.h>
#include <pthread.h>
#include <sys/ucontext.h>

namespace blobscope::runner::system {

// Here, the addresses of a library are known only once it is loaded.
void rememberLibrary(const std::string&) {}
void findLibrary() {}

uint64_t threadNumber() { return pthread_mach_thread_np(pthread_self()); }

uint64_t programCounter(const void* context) {
  const auto* const state = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return state->uc_mcontext->__ss.__rip;
#else
  return state->uc_mcontext->__ss.__pc;
#endif
}

} // namespace blobscope::runner::system
