#pragma once

namespace blobscope::test {

/// A library whose functions end the process, each in a different way. Classic, so that no runtime slots are needed. In
/// a separate header, because moc reads the directives in the text as its own.
inline constexpr char kDying[] = R"c(
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
void* __tvm_module_ctx;
int fine(void) { return 0; }
int segfault(void) { *(volatile int*)16 = 1; return 0; }
int aborts(void) { abort(); }
int traps(void) { return raise(SIGFPE); }
int exits(void) { exit(0); }
int exits7(void) { _exit(7); }
int killed(void) { return raise(SIGKILL); }
int loops(void) { for (volatile int i = 0;; ++i); }
int overflows(int n) { volatile char room[4096]; room[0] = (char)n; return overflows(n + 1) + room[0]; }
static void* spin(void* data) { for (;;) sleep(1); return data; }
int leaves(void) { pthread_t t; for (int i = 0; i < 4; ++i) pthread_create(&t, 0, spin, 0); return 0; }
static void* crash(void* data) { *(volatile int*)24 = 1; return data; }
int thread(void) { pthread_t t; pthread_create(&t, 0, crash, 0); for (;;) sleep(1); }
int prints(void) {
  char line[1024];
  memset(line, 'x', sizeof line);
  line[1023] = '\n';
  for (int i = 0; i < 4096; ++i) { fwrite(line, 1, sizeof line, i % 2 ? stdout : stderr); }
  fflush(stdout);
  return 0;
}
int allocates(void) {
  for (;;) { char* p = mmap(0, 1 << 26, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, )c"
                                 R"c(0); if (p == MAP_FAILED) abort(); }
}
/* All that can be had, down to the last byte, and keeps it. */
int hoards(void) {
  for (size_t size = 1 << 26; size > 0; size /= 2) for (void* volatile p = &size; p;) p = malloc(size);
  return 0;
}
/* The channel's number is not told, but easily found. */
static int say(const char* text) { for (int fd = 3; fd < 1024; ++fd) (void)!write(fd, text, strlen(text)); return 0; }
int garbage(void) { say("garbage\n"); for (;;) sleep(1); }
int lies(void) { say("{\"ev\":\"done\",\"code\":0}\n"); for (;;) sleep(1); }
int otherCall(void) { say("{\"ev\":\"call\",\"call\":77,\"function\":\"\",\"code\":0,\"launches\":0})c"
                                 R"c(\n"); for (;;) sleep(1); }
int endless(void) { for (;;) say("{\"ev\":\"log\",\"text\":\"and on and on\"}\n"); }
int longLine(void) { for (;;) say("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"); }
int deaf(void) { signal(SIGTERM, SIG_IGN); say("{\"ev\":\"log\",\"text\":\"ready\"}\n"); for (;;) sleep(1); }
#ifdef CONSTRUCTOR
__attribute__((constructor)) static void begin(void) { *(volatile int*)32 = 1; }
#endif
#ifdef EXITING
__attribute__((constructor)) static void begin(void) { exit(0); }
#endif
)c";

} // namespace blobscope::test
