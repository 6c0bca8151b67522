/* Tries what a confined program must not be able to do, and prints the error number of each attempt; 0: it worked. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
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

/* A descriptor that can only read is enough for some of them. */
static void attributes(const char* path) {
  const struct timespec times[2] = {{1, 0}, {1, 0}};
  const int file = open(path, O_RDONLY);
  int flags = 0;
  if (file < 0) say("open", file);
  say("chmod", chmod(path, 0777));
  say("fchmod", fchmod(file, 0777));
  say("fchmodat2", syscall(452, AT_FDCWD, path, 0777, 0));
  say("chown", chown(path, 1, 1));
  say("lchown", lchown(path, 1, 1));
  say("fchown", fchown(file, 1, 1));
  say("utimensat", utimensat(AT_FDCWD, path, times, 0));
  say("futimens", futimens(file, times));
  say("setxattr", setxattr(path, "user.made", "x", 1, 0));
  say("fsetxattr", fsetxattr(file, "user.made", "x", 1, 0));
  say("removexattr", removexattr(path, "user.made"));
  say("FS_IOC_SETFLAGS", ioctl(file, FS_IOC_SETFLAGS, &flags));
  say("FS_IOC_FSSETXATTR", ioctl(file, 0x401c5820, &flags));
  say("file_setattr", syscall(469, AT_FDCWD, path, &flags, sizeof flags, 0));
}

/* Memory and messages that outlive the process. */
static void left(void) {
  say("shmget", shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600));
  say("shmctl", shmctl(0, IPC_RMID, NULL));
  say("semget", semget(IPC_PRIVATE, 1, IPC_CREAT | 0600));
  say("msgget", msgget(IPC_PRIVATE, IPC_CREAT | 0600));
  say("mq_open", syscall(SYS_mq_open, "blobscope-test", O_CREAT | O_RDWR, 0600, NULL));
}

static void* waits(void* data) {
  *(long*)data = syscall(SYS_gettid);
  for (;;) pause();
}

/* Where a thread runs and how important it is: of a process, then of this thread and of another one of this process. */
static void ranks(pid_t process) {
  const struct sched_param usual = {0};
  unsigned char processors[128] = {0};
  const int nice = getpriority(PRIO_PROCESS, 0);
  long other = 0;
  pthread_t thread;
  const long size = syscall(SYS_sched_getaffinity, 0, sizeof processors, processors);
  pthread_create(&thread, NULL, waits, &other);
  while (*(volatile long*)&other == 0) sched_yield();
  const pid_t ids[] = {process, 0, other};
  for (int i = 0; i < 3; ++i) {
    say("sched_setaffinity", syscall(SYS_sched_setaffinity, ids[i], size, processors));
    say("sched_setscheduler", sched_setscheduler(ids[i], SCHED_OTHER, &usual));
    say("setpriority", setpriority(PRIO_PROCESS, ids[i], nice));
    say("ioprio_set", syscall(SYS_ioprio_set, 1, ids[i], 2 << 13 | 5));
  }
  say("setpriority of a group", setpriority(PRIO_PGRP, 0, nice));
  say("setpriority of the user", setpriority(PRIO_USER, 0, nice));
}

static void datagrams(void) {
  int ends[2];
  say("unix datagram", socket(AF_UNIX, SOCK_DGRAM, 0));
  say("pair of datagrams", socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
  say("pair of raw ones", socketpair(AF_UNIX, SOCK_RAW | SOCK_CLOEXEC, 0, ends));
  say("pair of streams", socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
}

static void connects(char** paths) {
  for (; *paths; ++paths) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char byte = 0;
    const int end = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", *paths);
    if (*address.sun_path == '@') *address.sun_path = 0;
    const int made = connect(end, (struct sockaddr*)&address, sizeof address);
    say("connect", made);
    if (made == 0) say("write", write(end, &byte, 1));
  }
}

static void capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[2];
  struct rlimit limit;
  syscall(SYS_capget, &header, sets);
  printf("effective %x %x\n", sets[0].effective & ~(1u << CAP_DAC_READ_SEARCH), sets[1].effective);
  getrlimit(RLIMIT_NOFILE, &limit);
  ++limit.rlim_max;
  say("raise", setrlimit(RLIMIT_NOFILE, &limit));
}

/* A process that leaves the session and whose parent is gone; it keeps a named pipe open. The file says that it did. */
static void leaves(const char* pipe, const char* file) {
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    const int end = open(pipe, O_WRONLY);
    if (end < 0 || open(file, O_WRONLY | O_CREAT, 0600) < 0) _exit(1);
    for (;;) pause();
  }
  waitpid(child, NULL, 0);
  while (access(file, F_OK) != 0) sched_yield();
}

static void threads(void) {
  static long ids[1000];
  pthread_t thread;
  int made = 0;
  while (made < 1000 && pthread_create(&thread, NULL, waits, &ids[made]) == 0) ++made;
  printf("threads %d\n", made);
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
  else if (!strcmp(what, "attributes"))
    attributes(words[2]);
  else if (!strcmp(what, "left"))
    left();
  else if (!strcmp(what, "ranks"))
    ranks(getppid());
  else if (!strcmp(what, "datagrams"))
    datagrams();
  else if (!strcmp(what, "connects"))
    connects(words + 2);
  else if (!strcmp(what, "capabilities"))
    capabilities();
  else if (!strcmp(what, "leaves"))
    leaves(words[2], words[3]);
  else if (!strcmp(what, "leaves-and-stays")) {
    leaves(words[2], words[3]);
    for (;;) pause();
  } else if (!strcmp(what, "threads"))
    threads();
  else if (!strcmp(what, "abort"))
    abort();
  else if (!strcmp(what, "loop"))
    for (volatile int i = 0;; ++i) {
    }
  else
    return 2;
  return 0;
}
