#include "core/base/thread_rule.h"

#ifdef BLOBSCOPE_CHECK_THREADS
#include <cstdio>
#include <cstdlib>

namespace blobscope {
namespace {
thread_local bool t_forbidden = false;
} // namespace

void forbidLongWork() { t_forbidden = true; }

void longWork(const char* entry) {
  if (!t_forbidden) return;
  std::fprintf(stderr, "blobscope: %s was called on the window's thread\n", entry);
  std::abort();
}

} // namespace blobscope
#endif
