#include "core/safety/import_groups.h"

#include "core/requirements/parts.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace blobscope::safety {
namespace {

using Provider = requirements::NeededSymbol::Provider;
using Words = std::initializer_list<std::string_view>;

bool isIn(std::string_view name, Words list) { return std::ranges::find(list, name) != list.end(); }
bool beginsWith(std::string_view name, Words list) {
  return std::ranges::any_of(list, [&](std::string_view one) { return name.starts_with(one); });
}

/// "__open_2", "open64", "_open", "CreateFileW" → the name in the lists.
std::string_view plainOf(std::string_view name) {
  const std::size_t begin = name.find_first_not_of('_');
  if (begin != std::string_view::npos && begin < name.size() && !name.starts_with("_Z")) name.remove_prefix(begin);
  for (const std::string_view suffix : {"_chk", "_2", "64", "A", "W", "Ex"})
    if (name.size() > suffix.size() + 2 && name.ends_with(suffix)) name.remove_suffix(suffix.size());
  return name;
}

/// The names of a list, which are separated by blanks.
class Names {
public:
  explicit Names(std::string_view list) {
    for (std::size_t end = 0; !list.empty(); list.remove_prefix(std::min(end + 1, list.size()))) {
      end = std::min(list.find(' '), list.size());
      m_names.insert(list.substr(0, end));
    }
  }
  bool contains(std::string_view name) const { return m_names.contains(name); }

private:
  std::unordered_set<std::string_view> m_names;
};

constexpr std::string_view kProcess =
    "system popen pclose fork vfork clone clone3 execl execle execlp execv execve execveat execvp execvpe "
    "fexecve posix_spawn posix_spawnp kill tgkill raise ptrace wait waitpid waitid getenv secure_getenv "
    "setenv putenv unsetenv clearenv environ prctl setuid setgid seteuid setegid setresuid daemon syscall "
    "process_vm_writev process_vm_readv task_for_pid wordexp chroot spawnl spawnv spawnvp wspawnv wsystem "
    "wgetenv setns unshare reboot sigaction signal sysctl sysctlbyname";

constexpr std::string_view kFile =
    "open openat creat fopen freopen fdopen unlink unlinkat remove rename renameat renameat2 mkdir "
    "mkdirat rmdir opendir fdopendir readdir closedir scandir glob nftw ftw stat lstat fstat fstatat "
    "xstat lxstat fxstat statx chmod fchmod chown lchown link symlink readlink realpath mkstemp mkdtemp "
    "tmpfile tmpnam tempnam access faccessat chdir getcwd truncate ftruncate read write pread pwrite "
    "readv writev fread fwrite fgets fgetc getline fputs fputc fseek ftell fclose close fscanf fprintf "
    "vfprintf sendfile copy_file_range mount umount mkfifo mknod utimes ioctl fcntl inotify_init "
    "inotify_init1 wfopen wopen fopen_s sopen wremove wrename path_open fd_read fd_write fd_pread "
    "fd_pwrite fd_readdir path_unlink_file path_rename path_create_directory path_remove_directory "
    "path_filestat_get";

constexpr std::string_view kCLibrary =
    "__gmon_start__ _ITM_registerTMCloneTable _ITM_deregisterTMCloneTable _Jv_RegisterClasses "
    "__cxa_finalize __cxa_atexit __cxa_thread_atexit atexit __tls_get_addr __tlv_bootstrap __gnu_h2f_ieee "
    "__gnu_f2h_ieee __extendhfsf2 __truncsfhf2 __truncdfhf2 __truncsfbf2 __truncdfbf2 __extendhfdf2 "
    "dyld_stub_binder __stack_chk_fail __stack_chk_guard memset_pattern16 ___chkstk_ms __chkstk _fltused "
    "_exit exit abort clock_time_get random_get proc_exit environ_get environ_sizes_get args_get "
    "args_sizes_get fd_close fd_seek fd_fdstat_get fd_fdstat_set_flags fd_prestat_get fd_prestat_dir_name "
    "sched_yield GetLastError SetLastError IsProcessorFeaturePresent IsDebuggerPresent "
    "QueryPerformanceCounter QueryPerformanceFrequency GetCurrentProcess GetCurrentProcessId "
    "GetCurrentThreadId GetSystemTimeAsFileTime InitializeSListHead RtlCaptureContext "
    "RtlLookupFunctionEntry RtlVirtualUnwind UnhandledExceptionFilter SetUnhandledExceptionFilter "
    "DisableThreadLibraryCalls GetStartupInfo";

bool isProcess(std::string_view n) {
  static const Names names(kProcess);
  return names.contains(n) ||
         beginsWith(n, {"CreateProcess",       "ShellExecute",      "WinExec",        "TerminateProcess",
                        "OpenProcess",         "GetEnvironment",    "SetEnvironment", "CreateRemoteThread",
                        "WriteProcessMemory",  "ReadProcessMemory", "NtCreate",       "ZwCreate",
                        "RtlCreateUserThread", "QueueUserAPC",      "SetWindowsHook", "AdjustTokenPrivileges",
                        "CreateToolhelp32",    "SetThreadContext",  "RegOpen",        "RegSet",
                        "RegCreate",           "RegQuery",          "RegDelete",      "CreateService",
                        "StartService"});
}
bool isFile(std::string_view n) {
  static const Names names(kFile);
  return names.contains(n) || beginsWith(n, {"CreateFile",
                                             "WriteFile",
                                             "ReadFile",
                                             "DeleteFile",
                                             "MoveFile",
                                             "CopyFile",
                                             "FindFirstFile",
                                             "FindNextFile",
                                             "GetTempPath",
                                             "GetTempFileName",
                                             "SetFileAttributes",
                                             "CreateDirectory",
                                             "RemoveDirectory",
                                             "_ZNSt13basic_filebuf",
                                             "_ZNSt12__basic_file",
                                             "_ZNSt14basic_ofstream",
                                             "_ZNSt14basic_ifstream",
                                             "_ZNSt13basic_fstream",
                                             "_ZTTSt14basic_ofstream",
                                             "_ZTTSt14basic_ifstream",
                                             "_ZNSt10filesystem",
                                             "_ZNKSt10filesystem"});
}
bool isNetwork(std::string_view n) {
  return isIn(n,
              {"socket",        "socketpair",    "connect",     "bind",        "listen",    "accept",    "accept4",
               "send",          "sendto",        "sendmsg",     "recv",        "recvfrom",  "recvmsg",   "getaddrinfo",
               "gethostbyname", "gethostbyaddr", "getnameinfo", "inet_addr",   "inet_aton", "inet_pton", "setsockopt",
               "shutdown",      "res_query",     "gethostname", "sock_accept", "sock_recv", "sock_send"}) ||
         beginsWith(n, {"curl_", "WSA", "InternetOpen", "InternetRead", "InternetConnect", "HttpOpen", "HttpSend",
                        "WinHttp", "URLDownload", "SSL_", "BIO_", "DnsQuery"});
}
bool isDynamicCode(std::string_view n) {
  return isIn(n, {"dlopen", "dlmopen", "dlsym", "dlvsym", "dlclose", "dlerror", "dladdr", "dladdr1", "dlinfo",
                  "dl_iterate_phdr", "GetProcAddress", "LdrLoadDll", "LdrGetProcedureAddress", "NSLinkModule",
                  "NSAddImage", "NSCreateObjectFileImageFromMemory", "libc_dlopen_mode"}) ||
         beginsWith(n, {"LoadLibrary", "GetModuleHandle", "LoadPackagedLibrary"});
}
bool isMemory(std::string_view n) {
  return isIn(n, {"mprotect", "pkey_mprotect", "mmap", "mmap64", "mremap", "munmap", "memfd_create", "memfd_secret",
                  "shm_open", "shmget", "shmat", "remap_file_pages", "mach_vm_protect", "vm_protect",
                  "mach_vm_allocate", "mach_vm_remap", "pthread_jit_write_protect_np"}) ||
         beginsWith(n, {"VirtualProtect", "VirtualAlloc", "VirtualQuery", "MapViewOfFile", "CreateFileMapping",
                        "NtProtectVirtualMemory", "NtAllocateVirtualMemory", "NtMapViewOfSection", "HeapCreate"});
}
bool isThreads(std::string_view n) {
  return beginsWith(n, {"pthread_",
                        "thrd_",
                        "mtx_",
                        "cnd_",
                        "sem_",
                        "CreateThread",
                        "beginthread",
                        "_ZNSt6thread",
                        "InitializeCriticalSection",
                        "EnterCriticalSection",
                        "LeaveCriticalSection",
                        "DeleteCriticalSection",
                        "TlsAlloc",
                        "TlsGetValue",
                        "TlsSetValue",
                        "TlsFree",
                        "CreateMutex",
                        "CreateSemaphore",
                        "InitOnce",
                        "AcquireSRWLock",
                        "ReleaseSRWLock",
                        "WaitForSingleObject"}) ||
         isIn(n, {"Sleep", "sched_yield", "nanosleep", "usleep", "sleep", "fork_join"});
}
/// Names that `providerByName` of the requirements does not have: helpers of compilers, of the C library on other
/// systems, of WASI.
bool isCLibrary(std::string_view n) {
  static const Names names(kCLibrary);
  return names.contains(n);
}

bool isEnvironmentOf(std::string_view name) { return name == "__p__environ" || name == "__p__wenviron"; }

} // namespace

bool actsOn(Group group) {
  return group == Group::Process || group == Group::File || group == Group::Network || group == Group::DynamicCode ||
         group == Group::Memory;
}

std::string_view groupName(Group group) {
  constexpr std::array<std::string_view, kGroups> kNames = {"process", "file", "network",   "dynamic-code", "memory",
                                                            "threads", "tvm",  "c-library", "other"};
  return kNames[static_cast<std::size_t>(group)];
}

std::string_view groupTitle(Group group) {
  constexpr std::array<std::string_view, kGroups> kTitles = {
      "Process",           "Files",   "Network", "Dynamic code",
      "Memory protection", "Threads", "TVM",     "C and C++ libraries",
      "Other libraries"};
  return kTitles[static_cast<std::size_t>(group)];
}

Group groupOf(std::string_view name, Provider provider) {
  if (provider == Provider::TvmRuntime || provider == Provider::TvmFfi) return Group::Tvm;
  const std::string_view plain = plainOf(name);
  for (const std::string_view one : {name, plain}) {
    if (isProcess(one)) return Group::Process;
    if (isFile(one)) return Group::File;
    if (isNetwork(one)) return Group::Network;
    if (isDynamicCode(one)) return Group::DynamicCode;
    if (isMemory(one)) return Group::Memory;
    if (isThreads(one)) return Group::Threads;
  }
  if (isEnvironmentOf(name)) return Group::Process;
  if (provider == Provider::CLibrary || provider == Provider::CxxLibrary || isCLibrary(name)) return Group::CLibrary;
  return Group::Other;
}

Group groupOf(std::string_view name) {
  if (name.starts_with("TVM") || name.starts_with("_ZN3tvm") || name.starts_with("_ZNK3tvm")) return Group::Tvm;
  const Group group = groupOf(name, Provider::Other);
  if (group != Group::Other) return group;
  return requirements::providerOfName(name) == Provider::Other ? Group::Other
                                                               : groupOf(name, requirements::providerOfName(name));
}

bool isOfRuntime(std::string_view name, container::Format format) {
  if (format == container::Format::Pe)
    // mingw-w64 crt/crtdll.c, pseudo-reloc.c, tlsthrd.c, gccmain.c; Visual C++ vcstartup.
    return isIn(name, {"VirtualProtect",
                       "VirtualQuery",
                       "InitializeCriticalSection",
                       "EnterCriticalSection",
                       "LeaveCriticalSection",
                       "DeleteCriticalSection",
                       "TlsGetValue",
                       "Sleep",
                       "TerminateProcess",
                       "fwrite",
                       "vfprintf",
                       "fprintf",
                       "__p__environ",
                       "__p__wenviron",
                       "__stdio_common_vfprintf",
                       "__stdio_common_vfwprintf",
                       "__acrt_iob_func",
                       "__iob_func",
                       "signal",
                       "GetModuleHandleW"}) ||
           name.starts_with("_configure_") || name.starts_with("_initialize_") || name.starts_with("_initterm") ||
           name.starts_with("_crt_") || name.starts_with("_execute_onexit") || name.starts_with("_register_onexit") ||
           name.starts_with("_set_new_mode") || name.starts_with("__p___") || name.starts_with("_seh_filter") ||
           name.starts_with("__C_specific_handler") || name.starts_with("__std_type_info") ||
           name.starts_with("_cexit") || name.starts_with("_amsg_exit") || name.starts_with("_lock") ||
           name.starts_with("_unlock") || name.starts_with("__dllonexit") || name.starts_with("_onexit") ||
           name.starts_with("_tzset") || name.starts_with("__tzset") || name.starts_with("__timezone") ||
           name.starts_with("__daylight") || name.starts_with("__tzname") || name == "tzset";
  if (format == container::Format::Wasm)
    // wasi-libc; the host decides what these may do.
    return isIn(name, {"fd_write", "fd_read", "fd_readdir", "path_open", "path_filestat_get", "sched_yield",
                       "poll_oneoff", "path_unlink_file"});
  return false;
}

Result<Done> addImports(const std::vector<library::PackagePtr>& packages, Report& report, Monitor& monitor) {
  BLOBSCOPE_TRY(facts, requirements::readLoaderFacts(packages, monitor));
  requirements::Requirements needs;
  BLOBSCOPE_CHECK(requirements::addSymbols(packages, facts, needs, monitor));
  report.libraries = std::move(needs.libraries);
  report.searchPaths = std::move(needs.runPaths);
  const container::Image& first = packages.front()->image;
  const requirements::ImportFacts& imports = facts.front().imports;
  for (requirements::NeededSymbol& symbol : needs.symbols) {
    Import one;
    one.group = groupOf(symbol.name, symbol.provider);
    const bool runtime = isOfRuntime(symbol.name, first.format);
    if (one.group == Group::Other && runtime) one.group = Group::CLibrary;
    one.expected = one.group == Group::Tvm || one.group == Group::CLibrary || runtime;
    const std::string stored = symbol.ref.name;
    const auto library = imports.libraryOf.find(stored);
    if (library != imports.libraryOf.end()) one.library = imports.libraries[library->second];
    one.name = std::move(symbol.name);
    one.ref = std::move(symbol.ref);
    report.imports.push_back(std::move(one));
  }
  return Done{};
}

} // namespace blobscope::safety
