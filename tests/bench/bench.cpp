#include "tests/bench/bench_files.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <spawn.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern char** environ;

using namespace blobscope::test;

/// `blobscope_bench CLI [FOLDER]` times the command line against well-known tools on the same files, in turn, so that
/// changes of the machine's speed affect both. Prints medians and ratios; judges nothing.
namespace {

struct Run {
  double ms = 0;
  long peakKb = 0;
};

/// Starts a process whose output is discarded; `silent` discards its error messages too.
pid_t start(const std::vector<std::string>& command, bool silent = false) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (silent) posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  if (posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) {
    std::fprintf(stderr, "%s cannot be started\n", arguments[0]);
    std::exit(1);
  }
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

Run timeProcess(const std::vector<std::string>& command) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = start(command);
  int status = 0;
  struct rusage usage = {};
  wait4(child, &status, 0, &usage);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  return {took.count(), usage.ru_maxrss};
}

Run median(std::vector<Run> runs) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.ms < b.ms; });
  return runs[runs.size() / 2];
}

void compare(const char* what, const std::vector<std::string>& ours, const std::vector<std::string>& yardstick,
             int rounds) {
  std::vector<Run> a, b;
  timeProcess(ours);
  timeProcess(yardstick);
  for (int i = 0; i < rounds; ++i) {
    a.push_back(timeProcess(ours));
    b.push_back(timeProcess(yardstick));
  }
  const Run mine = median(a), other = median(b);
  std::printf("%-44s %8.1f ms %7.1f MB   %-22s %8.1f ms %7.1f MB   ratio %.2f\n", what, mine.ms, mine.peakKb / 1024.0,
              yardstick[0].c_str(), other.ms, other.peakKb / 1024.0, mine.ms / other.ms);
}

/// The time from an interrupt to the end of the process. The interrupts are spread over the run time of the process.
void timeCancel(const char* what, const std::vector<std::string>& command) {
  constexpr int kInterrupts = 40;
  const double whole = median({timeProcess(command), timeProcess(command), timeProcess(command)}).ms;
  std::vector<Run> late;
  for (int i = 0; i < kInterrupts; ++i) {
    const pid_t child = start(command, true);
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(whole * i / kInterrupts));
    const auto interrupted = std::chrono::steady_clock::now();
    kill(child, SIGINT);
    int status = 0;
    waitpid(child, &status, 0);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - interrupted;
    // Before the program listens, an interrupt ends it at once; near the end it may come too late.
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 0) continue;
    late.push_back({took.count()});
  }
  if (late.empty()) return void(std::printf("%-44s ends before a cancel\n", what));
  const auto sooner = [](const Run& a, const Run& b) { return a.ms < b.ms; };
  const auto longest = std::max_element(late.begin(), late.end(), sooner);
  std::printf("%-44s %8.1f ms until a cancel takes effect, longest of %zu %.1f ms; %.1f ms without one\n", what,
              median(late).ms, late.size(), longest->ms, whole);
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string cli = argv[1];
  const std::filesystem::path folder =
      argc > 2 ? argv[2] : std::filesystem::temp_directory_path() / ("blobscope-bench-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string small = folder / "small.so", big = folder / "big.so", objects = folder / "objects.tar";
  // In a separate process: the peak memory of a child counts from that of its parent.
  if (const pid_t child = fork(); child == 0) {
    writeLibrary(small, 300, 50, 3 << 20);
    writeLibrary(big, 500'000, 200, 1536ull << 20);
    writeArchive(objects, 64, 2'000, 1ull << 30);
    _exit(0);
  } else {
    waitpid(child, nullptr, 0);
  }

  compare("tree, 3 MB, 300 symbols", {cli, "tree", small}, {"readelf", "--dyn-syms", small}, 25);
  compare("tree --json, 3 MB, 300 symbols", {cli, "tree", "--json", small}, {"readelf", "--dyn-syms", small}, 25);
  compare("preflight --all-releases, 3 MB, 300 symbols", {cli, "preflight", small, "--all-releases"},
          {cli, "tree", small}, 25);
  compare("tree, 1.5 GB, 500,000 symbols", {cli, "tree", big}, {"nm", "-D", big}, 7);
  compare("tree, 1.5 GB, 500,000 symbols", {cli, "tree", big}, {"readelf", "--dyn-syms", big}, 5);
  compare("symbols --json, 1.5 GB, 500,000 symbols", {cli, "symbols", "--json", big}, {"nm", "-D", big}, 3);
  compare("verify, 1.5 GB", {cli, "verify", big}, {"cat", big}, 3);
  compare("find, 1.5 GB", {cli, "find", big, "no such text"}, {"grep", "-F", "no such text", big}, 3);
  // A save that reads every byte back, compared with the same work done by hand.
  const std::string saved = folder / "saved.so", copy = folder / "copy.so";
  const std::vector<std::string> byHand = {"sh", "-c", "cp \"$1\" \"$2\" && sync \"$2\" && cmp \"$1\" \"$2\"",
                                           "sh", big,  copy};
  compare("repack, blob of 1.5 GB in its place", {cli, "repack", big, "-o", saved, "--rename", "m1=cuxx"}, byHand, 3);
  compare("repack, 1.5 GB without a change", {cli, "repack", big, "-o", saved}, byHand, 3);
  std::filesystem::remove(saved);
  std::filesystem::remove(copy);
  // The same library except for three bytes; `cmp -l` reads both files to the end.
  const std::string other = folder / "other.so";
  std::filesystem::copy_file(big, other, std::filesystem::copy_options::overwrite_existing);
  for (const uint64_t part : {3, 5, 7}) {
    std::fstream file(other, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(other) / 8 * part));
    file.put('\x5a');
  }
  compare("diff, 1.5 GB, three bytes differ", {cli, "diff", big, other}, {"cmp", "-l", big, other}, 5);
  timeCancel("diff, 1.5 GB, three bytes differ", {cli, "diff", big, other});
  std::filesystem::remove(other);
  const std::string archive = BLOBSCOPE_SOURCE_DIR "/resources/sample/sample-mlf.tar";
  compare("check, Model Library Format, 40 KB", {cli, "check", archive}, {"tar", "tf", archive}, 25);
  compare("tree, 1 GB tar of 64 objects", {cli, "tree", objects}, {"cat", objects}, 7);
  timeCancel("tree, 1 GB tar of 64 objects", {cli, "tree", objects});
  if (argc <= 2) std::filesystem::remove_all(folder);
  return 0;
}
