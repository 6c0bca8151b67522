// Functions that the programs and Debian 12's static libraries use and glibc 2.31 does not have. They are linked into
// the programs of the portable archive only, and are hidden: the shared libraries of a newer system keep their own.
#define _GNU_SOURCE
#include <dirent.h>
#include <malloc.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

// Of glibc 2.32. libstdc++ counts references without atomic instructions while it is not 0, so 0 is always right.
HIDDEN char __libc_single_threaded = 0;

// Of glibc 2.33. LLVM uses it to report how much memory is allocated.
HIDDEN struct mallinfo2 mallinfo2(void) {
  const struct mallinfo old = mallinfo();
  struct mallinfo2 info = {0};
  info.uordblks = (size_t)(unsigned)old.uordblks;
  return info;
}

// Of glibc 2.34. A child process calls it before exec, where only system calls are safe.
HIDDEN void closefrom(int first) {
  if (syscall(SYS_close_range, (unsigned)first, ~0U, 0) == 0) return; // Linux 5.9
  struct rlimit limit;
  const int end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 1 << 20 ? (int)limit.rlim_cur : 1 << 20;
  for (int number = first; number < end; ++number) close(number);
}

// Of glibc 2.34. Descriptors that another thread opens after this are closed only if they are close-on-exec.
HIDDEN int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t* actions, int first) {
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == NULL) return 0;
  int result = 0;
  for (const struct dirent* entry; result == 0 && (entry = readdir(folder)) != NULL;) {
    const int number = atoi(entry->d_name);
    if (number >= first && number != dirfd(folder)) result = posix_spawn_file_actions_addclose(actions, number);
  }
  closedir(folder);
  return result;
}

// Of glibc 2.36. libstdc++ and libarchive use them for random numbers.
HIDDEN void arc4random_buf(void* buffer, size_t size) {
  for (size_t done = 0; done < size;) {
    const size_t piece = size - done < 256 ? size - done : 256;
    if (getentropy((char*)buffer + done, piece) != 0) abort();
    done += piece;
  }
}
HIDDEN uint32_t arc4random(void) {
  uint32_t value;
  arc4random_buf(&value, sizeof value);
  return value;
}
