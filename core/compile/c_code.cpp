#include "core/compile/c_code.h"

#include "core/base/path_text.h"
#include "core/base/private_file.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/compile/c_headers.h"
#include "core/compile/compilers.h"
#include "core/container/container.h"
#include "core/process/process.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <span>

namespace blobscope::compile {
namespace {

constexpr std::size_t kMostMessages = 1'000, kMostFlags = 200, kMostLine = 1'000;
constexpr uint64_t kObjectBytes = uint64_t{256} << 20, kCLogBytes = uint64_t{4} << 20;
constexpr std::string_view kArchiveFolder = "archive", kDeclarations = "declarations";

std::optional<uint64_t> leadingNumber(std::string_view& text) {
  uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || number == 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// "PATH:LINE:COLUMN: error: TEXT", "PATH:LINE: warning: TEXT"; nothing for other lines.
std::optional<CMessage> messageIn(std::string_view line, std::string_view root) {
  struct Word {
    std::string_view text;
    Severity severity;
  };
  constexpr std::array<Word, 4> kWords = {{{": fatal error: ", Severity::Error},
                                           {": error: ", Severity::Error},
                                           {": warning: ", Severity::Warning},
                                           {": note: ", Severity::Note}}};
  std::size_t at = std::string_view::npos;
  const Word* word = nullptr;
  for (const Word& one : kWords)
    if (const std::size_t found = line.find(one.text); found < at) {
      at = found;
      word = &one;
    }
  if (!word) return std::nullopt;
  CMessage out;
  out.severity = word->severity;
  out.text = escapedWithin(line.substr(at + word->text.size()), kMostLine);
  std::string_view place = line.substr(0, at);
  // From the right, since a path may contain colons.
  std::array<uint64_t, 2> numbers{};
  std::size_t count = 0;
  while (count < 2) {
    const std::size_t colon = place.rfind(':');
    if (colon == std::string_view::npos) break;
    std::string_view digits = place.substr(colon + 1);
    const auto number = leadingNumber(digits);
    if (!number || !digits.empty()) break;
    numbers[count++] = *number;
    place = place.substr(0, colon);
  }
  out.line = count == 2 ? numbers[1] : numbers[0];
  out.column = count == 2 ? numbers[0] : 0;
  // A header is found through the folder of the file that includes it: "archive/src/../include/x.h".
  if (const std::string plain = portableText(pathFrom(place).lexically_normal()); plain.starts_with(root))
    out.path = plain.substr(root.size());
  return out;
}

CUnit::Sizes sizesOf(const container::Image& image) {
  CUnit::Sizes out;
  for (const container::Section& section : image.sections) {
    if (!section.allocated) continue;
    uint64_t& sum = section.executable       ? out.code
                    : !section.writable      ? out.constants
                    : section.file.size == 0 ? out.zeros
                                             : out.data;
    sum += section.size;
  }
  return out;
}

class CCompiler {
public:
  CCompiler(const CRequest& request, std::filesystem::path program, const std::filesystem::path& folder,
            Monitor& monitor)
      : m_request(request), m_program(std::move(program)), m_folder(folder), m_monitor(monitor),
        m_limit(request.timeoutMs) {}

  Result<CResult> compile() {
    CResult out;
    out.compiler = m_request.compiler.empty() ? "cc" : m_request.compiler;
    BLOBSCOPE_TRY(version, run({"--version"}));
    out.version = escapedWithin(std::string_view(version.output).substr(0, version.output.find('\n')), 200);
    BLOBSCOPE_CHECK(writeFiles());
    for (std::size_t i = 0; i < m_request.sources.size(); ++i) {
      m_monitor.progress("compiling", i, m_request.sources.size());
      BLOBSCOPE_TRY(unit, compileOne(m_request.sources[i], out.messages));
      out.units.push_back(std::move(unit));
    }
    if (m_request.link && std::ranges::all_of(out.units, &CUnit::ok)) {
      BLOBSCOPE_TRY(library, link());
      out.library = std::move(library);
    }
    return out;
  }

private:
  Result<process::ProcessResult> run(std::vector<std::string> arguments) {
    process::ProcessOptions options;
    options.program = m_program;
    options.folder = m_folder;
    options.arguments = std::move(arguments);
    options.environment = process::toolEnvironment(m_folder);
    options.timeoutMs = m_limit.leftMs();
    options.messageBytes = options.outputBytes = kCLogBytes;
    process::Confinement& confinement = options.confinement.emplace(process::toolConfinement(m_program, m_folder));
    confinement.startsProcesses = true; // the compiler itself and the assembler
    confinement.addressBytes = kCompilerAddresses;
    confinement.dataBytes = kCompilerMemory;
    confinement.cpuSeconds = options.timeoutMs / 1000 + 1;
    confinement.fileBytes = kObjectBytes;
    BLOBSCOPE_TRY(result, process::run(options, m_monitor));
    if (result.timedOut)
      return failed(m_limit.text() + "; " + groupedText(m_objects.size()) + " of " +
                    countText(m_request.sources.size(), "source") + " had been begun");
    if (!result.exitCode || result.outputCut) return failed(process::describe(result, options));
    return result;
  }

  Error failed(std::string reason) const {
    return {DiagnosticId::ToolFailed, {{"path", shownPath(pathText(m_program))}, arg("reason", std::move(reason))}};
  }

  Result<Done> writeFile(std::string_view below, std::string_view path, std::span<const std::byte> text) {
    const std::filesystem::path target = m_folder / below / pathFrom(path), parent = target.parent_path();
    if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    std::error_code failure;
    if (m_made.insert(parent).second) std::filesystem::create_directories(parent, failure);
    return writePrivateFile(target, text);
  }

  Result<Done> writeFiles() {
    for (const auto* const list : {&m_request.sources, &m_request.headers, &m_request.objects})
      for (const CFile& file : *list) BLOBSCOPE_CHECK(writeFile(kArchiveFolder, file.path, file.text.span()));
    for (const CHeader& header : cHeaders())
      BLOBSCOPE_CHECK(writeFile(kDeclarations, header.path, std::as_bytes(std::span(header.text))));
    return Done{};
  }

  Result<CUnit> compileOne(const CFile& source, std::vector<CMessage>& messages) {
    const std::string object = "unit" + std::to_string(m_objects.size()) + ".o";
    m_objects.push_back(object);
    std::vector<std::string> arguments = {"-c", "-Os", "-fno-asynchronous-unwind-tables"};
    if (m_request.link) arguments.emplace_back("-fPIC");
    const std::string root = std::string(kArchiveFolder) + "/";
    for (const std::string& folder : m_request.folders) arguments.push_back("-I" + root + folder);
    arguments.push_back("-I" + std::string(kDeclarations));
    arguments.insert(arguments.end(), m_request.flags.begin(), m_request.flags.end());
    arguments.insert(arguments.end(), {"-o", object, root + source.path});
    BLOBSCOPE_TRY(result, run(std::move(arguments)));
    for (CMessage& message : parseCLog(result.messages, root)) {
      // In a header of the system, after #line, or without a place.
      if (message.path.empty() && message.severity == Severity::Error) {
        message.path = source.path;
        message.line = message.column = 0;
      }
      if (messages.size() < kMostMessages) messages.push_back(std::move(message));
    }
    CUnit out{source.path, result.exitCode == 0, {}};
    if (!out.ok) return out;
    const auto file = ByteSource::openPrivate(m_folder / object, kObjectBytes);
    if (!file) return out;
    const auto image = container::readImage(ByteSource::all(*file), m_monitor);
    if (image)
      out.sizes = sizesOf(*image);
    else if (image.error().code() == ErrorCode::Cancelled)
      return image.error();
    return out;
  }

  Result<Bytes> link() {
    constexpr std::string_view kLibrary = "library.so";
    std::vector<std::string> arguments = {"-shared", "-o", std::string(kLibrary)};
    arguments.insert(arguments.end(), m_objects.begin(), m_objects.end());
    for (const CFile& object : m_request.objects) arguments.push_back(std::string(kArchiveFolder) + "/" + object.path);
    arguments.emplace_back("-lm");
    BLOBSCOPE_TRY(result, run(std::move(arguments)));
    const auto notLinked = [&](std::string_view why) {
      return failed("could not link the code: " + escapedWithin(why, 400));
    };
    if (result.exitCode != 0) return notLinked(std::string_view(result.messages).substr(0, result.messages.find('\n')));
    const auto file = ByteSource::openPrivate(m_folder / kLibrary, kObjectBytes);
    if (!file) return notLinked("no library was written");
    return Bytes::copyOf(ByteSource::all(*file).view());
  }

  const CRequest& m_request;
  std::vector<std::string> m_objects;
  std::set<std::filesystem::path> m_made; ///< folders
  std::filesystem::path m_program;
  const std::filesystem::path& m_folder;
  Monitor& m_monitor;
  const TimeLimit m_limit;
};

} // namespace

std::string_view hostArch() {
#if defined(__x86_64__) || defined(_M_X64)
  return "x86_64";
#elif defined(__aarch64__) || defined(_M_ARM64)
  return "aarch64";
#else
  return "another machine";
#endif
}

std::string whyNotLinkable(const Bytes& object, Monitor& monitor) {
  const auto image = container::readImage(object, monitor);
  if (!image || image->format != container::Format::Elf || image->kind != container::Kind::Object)
    return "it is not an object file of ELF";
  if (image->arch != hostArch())
    return "it is for " + escapedWithin(image->arch, 100) + ", and this machine is " + std::string(hostArch());
  // GCC's and LLVM's code for the linker to compile, with its flags; libraries and flags for LLVM's linker.
  for (const container::Section& section : image->sections)
    for (const std::string_view prefix : {".gnu.lto_", ".gnu.debuglto_", ".llvm", ".deplibs", ".linker-options"})
      if (section.name.starts_with(prefix))
        return "its section '" + escapedWithin(section.name, 100) + "' is an instruction to the linker";
  return {};
}

std::vector<CMessage> parseCLog(std::string_view log, std::string_view root) {
  std::vector<CMessage> out;
  while (!log.empty() && out.size() < kMostMessages) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    if (auto message = messageIn(log.substr(0, end), root)) out.push_back(std::move(*message));
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return out;
}

Result<CResult> compileC(const CRequest& request, Monitor& monitor) {
  const auto badOption = [](std::string what) { return Error(DiagnosticId::CompOption, {{"what", std::move(what)}}); };
  if (request.flags.size() > kMostFlags) return badOption("there are more than 200 flags");
  for (const std::string& flag : request.flags) {
    if (flag.find('\0') != std::string::npos || flag == "-o" || flag == "-c")
      return badOption("the flag '" + escaped(flag) + "' is set by Blobscope");
    if (!request.anyFlag && !sortFlags("cc", {&flag, 1}).leftOut.empty()) return flagError(flag);
  }
  for (const CFile& object : request.objects) {
    if (const std::string why = whyNotLinkable(object.text, monitor); !why.empty())
      return badOption("the linker does not get the member '" + escaped(object.path) + "': " + why);
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
  }
  const std::string name = request.compiler.empty() ? "cc" : request.compiler;
  const std::filesystem::path asPath = pathFrom(name);
  process::FoundTool tool;
  if (asPath.has_parent_path()) {
    tool.places = {shownPath(name)};
    if (process::isExecutable(asPath)) tool.path = std::filesystem::absolute(asPath);
  } else {
    tool = process::findTool(name, request.search);
  }
  if (!tool.path) {
    std::string places;
    for (const std::string& place : tool.places) places += (places.empty() ? "" : ", ") + place;
    return Error(DiagnosticId::CompMissing,
                 {{"language", "C"}, {"why", "'" + escaped(name) + "' was not found in " + places}});
  }
  BLOBSCOPE_TRY(folder, process::TemporaryFolder::create());
  return CCompiler(request, std::move(*tool.path), folder.path(), monitor).compile();
}

} // namespace blobscope::compile
