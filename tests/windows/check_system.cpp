/// Checks of the files *_win32.cpp of core: a program of its own, without Qt, that runs under Windows and wine.
/// packaging/windows/build.sh check starts it. Prints a line per check and ends with 1 when one failed.

#include "core/base/digest.h"
#include "core/base/output_file.h"
#include "core/base/output_folder.h"
#include "core/base/path_text.h"
#include "core/base/place.h"
#include "core/base/source.h"
#include "core/base/temporary_name.h"
#include "core/base/windows_win32.h"
#include "core/process/process.h"
#include "core/process/signals.h"
#include "core/process/stream.h"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

using namespace blobscope;
namespace fs = std::filesystem;

namespace {

int g_failures = 0, g_checks = 0, g_skipped = 0; // of this program

void check(bool ok, const std::string& what) {
  ++g_checks;
  if (!ok) ++g_failures;
  std::printf("%s: %s\n", ok ? "pass" : "FAIL", what.c_str());
}

/// The same for limits of jobs, which wine accepts and does not enforce.
void checkLimit(bool ok, const std::string& what) {
  const HMODULE ntdll = GetModuleHandleW(L"ntdll.dll");
  const bool isWine = ntdll && GetProcAddress(ntdll, "wine_get_version");
  if (ok || !isWine) return check(ok, what);
  ++g_skipped;
  std::printf("skip: %s: wine does not enforce the limits of jobs\n", what.c_str());
}

template <class T> std::string messageOf(const Result<T>& result) { return result ? "" : result.error().message(); }

class Quiet final : public Monitor {
public:
  bool stopRequested() const override { return stop; }
  void progress(std::string_view, uint64_t, uint64_t) override {}
  bool stop = false;
};

std::string contentOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void makeFile(const fs::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// --- What this program does when it is started by itself. ---

int actAs(const std::vector<std::string>& words) {
  const std::string& what = words[1];
  if (what == "--echo") {
    for (std::size_t i = 2; i < words.size(); ++i) std::printf("[%s]\n", words[i].c_str());
    std::fprintf(stderr, "a message\n");
    return 7;
  }
  if (what == "--fault") *reinterpret_cast<volatile int*>(16) = 1;
  if (what == "--sleep") Sleep(60'000);
  if (what == "--print")
    while (true) std::puts("a line that is printed again and again");
  if (what == "--input") {
    int count = 0;
    while (std::getchar() != EOF) ++count;
    std::printf("%d bytes\n", count);
  }
  if (what == "--until-stopped") {
    std::puts("ready");
    std::fflush(stdout);
    while (std::getchar() != '\n') {}
    makeFile(pathFrom(words[2]), "stopped");
  }
  if (what == "--child") { // starts one that writes a file after two seconds, and ends
    const std::wstring own = ownProgram().native();
    std::wstring command = L"\"" + own + L"\" --late \"" + windows::wide(words[2]) + L"\"";
    STARTUPINFOW startup = {};
    startup.cb = sizeof startup;
    PROCESS_INFORMATION made = {};
    const bool started =
        CreateProcessW(own.c_str(), command.data(), nullptr, nullptr, FALSE, 0, nullptr, nullptr, &startup, &made);
    std::puts(started ? "started" : "refused");
  }
  if (what == "--late") {
    Sleep(2'000);
    makeFile(pathFrom(words[2]), "late");
  }
  if (what == "--allocate") {
    uint64_t mebibytes = 0;
    while (mebibytes < 1'024 && VirtualAlloc(nullptr, 1 << 20, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE)) ++mebibytes;
    std::printf("%d\n", static_cast<int>(mebibytes));
  }
  if (what == "--environment") std::printf("%s|%s\n", environmentText("ONE").c_str(), environmentText("PATH").c_str());
  return 0;
}

// --- Programs. ---

process::ProcessOptions ownOptions(std::vector<std::string> arguments) {
  process::ProcessOptions options;
  options.program = ownProgram();
  options.arguments = std::move(arguments);
  options.timeoutMs = 20'000;
  return options;
}

void checkProcesses(const fs::path& folder) {
  Quiet monitor;
  const auto run = [&](const process::ProcessOptions& options) {
    auto done = process::run(options, monitor);
    return done ? *done : process::ProcessResult{};
  };
  const std::vector<std::string> odd = {"plain",        "",      "two words", "\"quoted\"", "back\\slash",
                                        "ends with \\", "\\\\",  "a\\\"b",    "tab\there",  "Größe 模型",
                                        "%PATH%",       "^&|<>", "C:\\a b\\"};
  std::vector<std::string> arguments = {"--echo"};
  arguments.insert(arguments.end(), odd.begin(), odd.end());
  std::string expected;
  for (const std::string& word : odd) expected += "[" + word + "]\r\n";
  const auto echoed = run(ownOptions(arguments));
  check(echoed.output == expected, "arguments arrive as they were passed");
  check(echoed.exitCode == 7 && !echoed.signal && contains(echoed.messages, "a message"), "exit code and messages");
  const auto fault = run(ownOptions({"--fault"}));
  check(fault.signal && process::isMemoryFault(*fault.signal) && !fault.exitCode, "an access violation is a signal");
  check(fault.signal && process::signalName(*fault.signal) == "access violation", "its name");
  auto slow = ownOptions({"--sleep"});
  slow.timeoutMs = 500;
  const auto begin = std::chrono::steady_clock::now();
  const auto late = run(slow);
  check(late.timedOut && std::chrono::steady_clock::now() - begin < std::chrono::seconds(10), "the time limit");
  auto loud = ownOptions({"--print"});
  loud.outputBytes = 10'000;
  const auto cut = run(loud);
  check(cut.outputCut && cut.output.size() == 10'000, "the limit of the output");
  check(run(ownOptions({"--input"})).output == "0 bytes\r\n", "standard input is empty");
  auto poor = ownOptions({"--environment"});
  poor.environment = std::vector<std::string>{"ONE=größe", "SystemRoot=" + environmentText("SystemRoot")};
  check(run(poor).output == "größe|\r\n", "the environment is the given one");
  auto missing = ownOptions({});
  missing.program = folder / "missing.exe";
  check(run(missing).notStarted.has_value(), "a missing program is reported");
  missing.program = folder / "script.BAT";
  makeFile(missing.program, "@echo off\n");
  check(run(missing).notStarted == "batch files are not started", "batch files are not started");

  const fs::path trace = folder / "late.txt";
  check(contains(run(ownOptions({"--child", pathText(trace)})).output, "started"), "a program can start others");
  Sleep(3'000);
  check(!fs::exists(trace), "processes that it leaves behind are ended");
  auto confined = ownOptions({"--child", pathText(trace)});
  confined.confinement.emplace();
  const auto alone = run(confined);
  checkLimit(contains(alone.output, "refused"), "a confined program starts no others");
  check(alone.confined == process::supportedLayers(), "the layers that held");
  auto small = ownOptions({"--allocate"});
  small.confinement.emplace().addressBytes = 300 << 20;
  const auto limited = run(small);
  checkLimit(limited.exitCode == 0 && !limited.output.empty() && std::stoi(limited.output) < 300,
             "the limit of the memory");

  process::StreamOptions stream;
  stream.process = ownOptions({"--until-stopped", pathText(folder / "stopped.txt")});
  stream.stopLine = "stop";
  stream.graceMs = 5'000;
  std::vector<std::string> lines;
  const auto cancelled = process::stream(
      stream,
      [&](std::string_view line) {
        lines.emplace_back(line);
        monitor.stop = true;
        return true;
      },
      monitor);
  check(!cancelled && cancelled.error().id() == DiagnosticId::Cancelled, "a stream is cancelled");
  check(lines == std::vector<std::string>{"ready\r"}, "lines arrive while the program runs");
  for (int i = 0; i < 50 && !fs::exists(folder / "stopped.txt"); ++i) Sleep(100);
  check(fs::exists(folder / "stopped.txt"), "the program is asked to stop before it is ended");
  monitor.stop = false;
  stream.process = ownOptions({"--print"});
  stream.lines = 1'000;
  const auto many = process::stream(stream, [](std::string_view) { return true; }, monitor);
  check(many && many->cause == process::StreamResult::Cause::TooManyLines && many->signal, "the limit of the lines");
}

// --- Files. ---

void checkSources(const fs::path& folder) {
  makeFile(folder / "a.bin", "content");
  makeFile(folder / "empty.bin", "");
  const auto source = ByteSource::openFile(folder / "a.bin");
  check(source && ByteSource::all(*source).view() == "content", "a file is mapped");
  check(source && !(*source)->findChange(), "it is unchanged");
  if (source) {
    std::ofstream(folder / "a.bin", std::ios::binary | std::ios::app) << "more";
    check((*source)->findChange().has_value(), "a change is found");
    const std::byte* const first = (*source)->view().data();
    const ULONG_PTR lost[] = {0, reinterpret_cast<ULONG_PTR>(first), 0};
    RaiseException(EXCEPTION_IN_PAGE_ERROR, 0, 3, lost);
    check(*first == std::byte{0} && (*source)->damage() == uint64_t{0}, "lost pages become zeros");
  }
  check(!ByteSource::openFile(folder / "none.bin") &&
            ByteSource::openFile(folder / "none.bin").error().id() == DiagnosticId::FileNotFound,
        "a missing file");
  check(ByteSource::openFile(folder / "empty.bin").error().id() == DiagnosticId::FileEmpty, "an empty file");
  check(ByteSource::openFile(folder).error().id() == DiagnosticId::FileNotRegular, "a folder");
  check(ByteSource::openFile("NUL").error().id() == DiagnosticId::FileNotRegular, "a device");
  const auto own = ByteSource::openPrivate(folder / "a.bin", 1 << 20);
  makeFile(folder / "a.bin", "other");
  check(own && ByteSource::all(*own).view() == "contentmore" && !(*own)->findChange(), "a private copy stays the same");
  check(own && (*own)->findDiskChange().has_value(), "the change on the disk is found");

  fs::create_directory(folder / "inner");
  makeFile(folder / "inner" / "b.bin", "inside");
  const auto inside = openBeneath(folder, "inner/b.bin");
  check(inside && inside->number() >= 0, "a file below a folder");
  check(!openBeneath(folder, "../x") && !openBeneath(folder / "inner", "../a.bin"), "not above it");
  check(openBeneath(folder, "inner").error().id() == DiagnosticId::FileNotRegular, "a folder is not a file");
}

void checkOutputs(const fs::path& folder) {
  Quiet monitor;
  const fs::path target = folder / pathFrom("out größe.bin");
  const auto write = [&](std::string_view text, const Inputs& inputs = {}, bool backup = false) -> Result<Done> {
    BLOBSCOPE_TRY(file, OutputFile::create(target, inputs));
    BLOBSCOPE_CHECK(file.write(Bytes::copyOf(text), monitor));
    BLOBSCOPE_CHECK(file.writeZeros(3));
    if (backup) BLOBSCOPE_CHECK(file.backUp());
    return file.commit();
  };
  const auto first = write("first");
  check(first && contentOf(target) == std::string("first\0\0\0", 8), "a file is written " + messageOf(first));
  const auto second = write("second", {}, true);
  check(second && contentOf(target).starts_with("second") &&
            contentOf(pathFrom(pathText(target) + ".bak")).starts_with("first"),
        "it is replaced, with a backup " + messageOf(second));
  {
    const auto mapped = ByteSource::openFile(target);
    const auto third = write("third");
    check(third && contentOf(target).starts_with("third"), "it is replaced while it is mapped " + messageOf(third));
  }
  SetFileAttributesW(target.c_str(), FILE_ATTRIBUTE_READONLY);
  const auto fourth = write("fourth");
  check(fourth && contentOf(target).starts_with("fourth"), "a read-only file is replaced " + messageOf(fourth));
  SetFileAttributesW(target.c_str(), FILE_ATTRIBUTE_NORMAL);
  check(write("x", {{target}}).error().id() == DiagnosticId::FileSame, "an input is not overwritten");
  check(write("x", {{folder}}).error().id() == DiagnosticId::FileSame, "nor a file of an input folder");
  {
    auto abandoned = OutputFile::create(folder / "never.bin");
    check(abandoned && fs::exists(abandoned->temporary()), "the temporary file exists");
    check(abandoned && abandoned->write(Bytes::copyOf("x"), monitor).hasValue() &&
              ByteSource::openFile(abandoned->temporary()).hasValue(),
          "it can be read before it is renamed");
  }
  check(!fs::exists(folder / "never.bin"), "a file that is not committed does not appear");
  // One of a process that does not exist.
  TemporaryName stale = TemporaryName::make();
  stale.process = 0x3fffffff;
  makeFile(folder / stale.text(), "stale");
  const TemporaryName mine = TemporaryName::make();
  check(mine.isInUse() && !stale.isInUse() && TemporaryName::parse(mine.text()).has_value(), "temporary names");
  check(write("fifth").hasValue() && !fs::exists(folder / stale.text()), "stale files are removed");
  {
    const windows::Handle locked(CreateFileW(target.c_str(), GENERIC_READ, 0, nullptr, OPEN_EXISTING, 0, nullptr));
    const auto refused = write("sixth");
    check(!refused && refused.error().id() == DiagnosticId::FileWrite, "a locked file is not replaced");
  }
  check(contentOf(target).starts_with("fifth"), "and keeps its content");
  check(!OutputFile::create(folder) && !OutputFile::create("NUL") && !OutputFile::create(folder / "no" / "x"),
        "folders, devices and missing folders are refused");
  int temporaries = 0;
  for (const auto& entry : fs::directory_iterator(folder))
    if (pathText(entry.path().filename()).starts_with(".blobscope-")) ++temporaries;
  check(temporaries == 0, "no temporary file is left");

  fs::path deep = folder;
  while (deep.native().size() < 300) deep /= std::string(60, 'd');
  std::error_code failure;
  fs::create_directories(windows::longPath(deep), failure);
  const auto distant = writeFileNow(deep / "far.bin", Bytes::copyOf("far"), monitor);
  const auto read = ByteSource::openFile(deep / "far.bin");
  check(distant && read && ByteSource::all(*read).view() == "far",
        "a path with more than 260 characters " + messageOf(distant));

  auto made = OutputFolder::create(folder / "made");
  check(made && made->write("x/y.txt", Bytes::copyOf("y"), monitor).hasValue() && made->commit().hasValue() &&
            contentOf(folder / "made" / "x" / "y.txt") == "y",
        "a folder is written " + messageOf(made));
  check(!OutputFolder::create(folder / "made"), "a folder that is not empty is kept");
}

} // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words = programArguments(argc, argv);
  if (words.size() > 1) return actAs(words);
  Quiet monitor;
  auto folder = process::TemporaryFolder::create();
  check(folder.hasValue(), "a private folder " + messageOf(folder));
  if (!folder) return 1;
  const auto digest = computeSha256(Bytes::copyOf("abc"), monitor);
  check(digest && *digest == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "SHA-256");
  check(crc32(0, "123456789") == 0xcbf43926 && crc32(crc32(0, "1234"), "56789") == 0xcbf43926, "CRC-32");
  check(windows::narrow(windows::wide("Größe 模型 😀")) == "Größe 模型 😀", "UTF-8 and UTF-16");
  check(pathText(fs::path(L"a\\ö")) == "a\\ö" && portableText(fs::path(L"a\\ö")) == "a/ö", "paths as text");
  check(pathFrom("a\\ö") == fs::path(L"a\\ö") && shownPath("a\\ö") == "a\\ö",
        "paths from text, and as messages show them");
  checkSources(folder->path());
  const fs::path outputs = folder->path() / "outputs";
  fs::create_directory(outputs);
  checkOutputs(outputs);
  checkProcesses(folder->path());
  std::printf("%d passed, %d failed, %d skipped\n", g_checks - g_failures, g_failures, g_skipped);
  return g_failures == 0 ? 0 : 1;
}
