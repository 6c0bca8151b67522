#pragma once

namespace blobscope::test {

/// A library whose functions attempt what a run must not do; they return the error number, 0 on success. Files are
/// written to TMPDIR, which is the folder of the job. In a separate header, because moc reads the directives in the
/// text as its own.
inline constexpr char kEscaping[] = R"c(
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
void* __tvm_module_ctx;
static int result(long value) { return value < 0 ? errno : 0; }
static int openIn(const char* variable, const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", getenv(variable), name);
  return open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
}
int internet(void) { return result(socket(AF_INET, SOCK_STREAM, 0)); }
int internet6(void) { return result(socket(AF_INET6, SOCK_DGRAM, 0)); }
int packets(void) { return result(socket(AF_PACKET, SOCK_RAW, 0)); }
int local(void) { return result(socket(AF_UNIX, SOCK_STREAM, 0)); }
int traces(void) { return result(ptrace(PTRACE_SEIZE, getppid(), NULL, NULL)); }
int killsParent(void) { return result(kill(getppid(), 0)); }
int killsGroup(void) { return result(kill(0, 0)); }
int outside(void) { return result(openIn("BLOBSCOPE_TEST_OUTSIDE", "made")); }
int inside(void) { return result(openIn("TMPDIR", "made")); }
int shared(void) {
  const int file = shm_open("/blobscope-test", O_RDWR | O_CREAT, 0600);
  return file < 0 ? errno : result(shm_unlink("/blobscope-test"));
}
int leavesMemory(void) { return result(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600)); }
static int withOutside(int (*change)(const char* path)) {
  char path[4096];
  snprintf(path, sizeof path, "%s/there", getenv("BLOBSCOPE_TEST_OUTSIDE"));
  return result(change(path));
}
static int opensMode(const char* path) {
  const int file = open(path, O_RDONLY);
  return chmod(path, 0777) == 0 ? 0 : fchmod(file, 0777);
}
static int oldTimes(const char* path) {
  const struct timespec times[2] = {{1, 0}, {1, 0}};
  return utimensat(AT_FDCWD, path, times, 0);
}
int changesModes(void) { return withOutside(opensMode); }
int changesTimes(void) { return withOutside(oldTimes); }
int sendsDatagrams(void) {
  int ends[2];
  return result(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
}
static int moves(pid_t process) {
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof processors, &processors)) return errno;
  return result(sched_setaffinity(process, sizeof processors, &processors));
}
int movesParent(void) { return moves(getppid()); }
int movesItself(void) { return moves(getpid()); }
int raisesLimits(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_max = RLIM_INFINITY;
  return result(setrlimit(RLIMIT_FSIZE, &limit));
}
/* The file of a result becomes a pipe that nobody reads. */
int replacesResult(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s/result", getenv("TMPDIR"));
  return result(mkfifo(path, 0600));
}
int memoryOfParent(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", getppid());
  return result(open(path, O_RDWR));
}
int privileges(void) { return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); }
int unlimited(void) {
  const int resources[] = {RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_CORE};
  for (int i = 0; i < 4; ++i) {
    struct rlimit limit;
    if (getrlimit(resources[i], &limit) || limit.rlim_max == RLIM_INFINITY) return resources[i] + 100;
  }
  return 0;
}
int forks(void) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  return result(child);
}
/* A child that leaves its session, and one whose parent is gone and that leaves it too: their numbers are in a file. */
int leaves(void) {
  int ends[2];
  char byte;
  if (pipe(ends)) return errno;
  for (int twice = 0; twice < 2; ++twice) {
    const pid_t child = fork();
    if (child < 0) return errno;
    if (child > 0) continue;
    setsid();
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (twice && fork() != 0) _exit(0);
    char text[32];
    const int size = snprintf(text, sizeof text, "%d\n", getpid());
    if (write(openIn("TMPDIR", "left"), text, size) != size) _exit(1);
    (void)!write(ends[1], "", 1);
    for (;;) pause();
  }
  for (int i = 0; i < 2; ++i)
    if (read(ends[0], &byte, 1) != 1) return -1;
  return 0;
}
int leavesAndDies(void) { const int code = leaves(); if (code) return code; abort(); }
int leavesAndLoops(void) { const int code = leaves(); if (code) return code; for (;;) pause(); }
/* The children hold a named pipe; a file has a byte for each. */
int forksWithoutEnd(void) {
  const int counted = openIn("TMPDIR", "counted");
  if (openIn("TMPDIR", "alive") < 0) return errno;
  for (int made = 0; made < 20000; ++made) {
    const pid_t child = fork();
    if (child < 0) { usleep(1000); --made; }
    if (child == 0) {
      (void)!write(counted, "", 1);
      for (;;) pause();
    }
  }
  return 0;
}
)c";

} // namespace blobscope::test
