/* Tries what a confined program must not be able to do, and prints the error number of each attempt; 0: it worked. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void say(const char* what, long result) {
  printf("%s %d\n", what, result < 0 ? errno : 0);
}

static void sockets(void) {
  say("inet", socket(AF_INET, SOCK_STREAM, 0));
  say("inet6", socket(AF_INET6, SOCK_DGRAM, 0));
  say("unix", socket(AF_UNIX, SOCK_STREAM, 0));
  say("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
  say("packet", socket(AF_PACKET, SOCK_RAW, 0));
}

static void calls(void) {
  char byte = 0;
  int owner = getppid();
  say("ptrace", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
  say("process_vm_readv", syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0));
  say("process_vm_writev", syscall(SYS_process_vm_writev, getppid(), NULL, 0, NULL, 0, 0));
  say("kexec_load", syscall(SYS_kexec_load, 0, 0, NULL, ~0UL));
  say("mount", syscall(SYS_mount, NULL, NULL, NULL, 0, NULL));
  say("bpf", syscall(SYS_bpf, -1, NULL, 0));
  say("perf_event_open", syscall(SYS_perf_event_open, NULL, 0, 0, 0, 0));
  say("keyctl", syscall(SYS_keyctl, -1, 0, 0, 0, 0));
  say("userfaultfd", syscall(SYS_userfaultfd, ~0));
  say("io_uring_setup", syscall(425, 1, NULL));
  say("pidfd_open", syscall(434, getppid(), 0));
  say("unshare", unshare(CLONE_FILES | CLONE_NEWUSER));
  say("clone", syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWNET, 0, NULL, NULL, 0));
  say("prlimit", prlimit(getppid(), RLIMIT_CORE, NULL, NULL));
  say("kill parent", kill(getppid(), 0));
  say("kill group", kill(0, 0));
  say("kill all", kill(-1, 0));
  say("tgkill", syscall(SYS_tgkill, getppid(), getppid(), 0));
  say("tkill", syscall(SYS_tkill, getppid(), 0));
  say("F_SETOWN", fcntl(1, F_SETOWN, getppid()));
  say("FIOSETOWN", ioctl(1, 0x8901, &owner));
  say("TIOCSTI", ioctl(0, TIOCSTI, &byte));
  say("TIOCSTI", syscall(SYS_ioctl, 0, 0xffffffff00000000UL | TIOCSTI, &byte));
#if defined(__x86_64__)
  say("x32", syscall(0x40000000L | 39));
#endif
}

static void* nothing(void* data) {
  return data;
}

static void processes(void) {
  pthread_t thread;
  long made = 0;
  for (; made < 2000; ++made) {
    const pid_t child = fork();
    if (child < 0) break;
    if (child == 0) {
      pause();
      _exit(0);
    }
  }
  printf("forked %ld\n", made);
  say("vfork", vfork());
  printf("thread %d\n", pthread_create(&thread, NULL, nothing, NULL));
}

static void memory(int protection) {
  long mebibytes = 0;
  while (mebibytes < 1 << 20 &&
         mmap(NULL, 1 << 26, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED)
    mebibytes += 64;
  printf("%ld MiB\n", mebibytes);
}

static void hugeFile(const char* path) {
  static char bytes[1 << 16];
  struct stat facts;
  signal(SIGXFSZ, SIG_IGN);
  const int file = open(path, O_WRONLY | O_CREAT, 0600);
  long written = 0;
  while (written < 1 << 26) {
    const ssize_t count = write(file, bytes, sizeof bytes);
    if (count <= 0) break;
    written += count;
  }
  printf("%ld bytes, then %d\n", fstat(file, &facts) == 0 ? (long)facts.st_size : -1, written < 1 << 26 ? errno : 0);
}

static void files(char** paths) {
  for (; *paths; ++paths) {
    say("read", open(*paths, O_RDONLY | O_NONBLOCK));
    say("write", open(*paths, O_WRONLY | O_NONBLOCK));
  }
}

/* Whatever else the folder allows. */
static void change(const char* folder) {
  char path[4096], other[4096];
  snprintf(path, sizeof path, "%s/made", folder);
  snprintf(other, sizeof other, "%s/folder/moved", folder);
  say("make", open(path, O_WRONLY | O_CREAT | O_EXCL, 0600));
  snprintf(path, sizeof path, "%s/folder", folder);
  say("mkdir", mkdir(path, 0700));
  snprintf(path, sizeof path, "%s/there", folder);
  say("truncate", truncate(path, 1));
  say("rename", rename(path, other));
  say("unlink", unlink(path));
}

int main(int count, char** words) {
  const char* const what = count > 1 ? words[1] : "";
  if (!strcmp(what, "sockets"))
    sockets();
  else if (!strcmp(what, "calls"))
    calls();
  else if (!strcmp(what, "processes"))
    processes();
  else if (!strcmp(what, "memory"))
    memory(PROT_NONE);
  else if (!strcmp(what, "writable-memory"))
    memory(PROT_READ | PROT_WRITE);
  else if (!strcmp(what, "huge"))
    hugeFile(words[2]);
  else if (!strcmp(what, "files"))
    files(words + 2);
  else if (!strcmp(what, "change"))
    change(words[2]);
  else if (!strcmp(what, "environment"))
    for (char** text = environ; *text; ++text) puts(*text);
  else if (!strcmp(what, "privileges"))
    printf("%d\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
  else if (!strcmp(what, "abort"))
    abort();
  else if (!strcmp(what, "loop"))
    for (volatile int i = 0;; ++i) {
    }
  else
    return 2;
  return 0;
}
