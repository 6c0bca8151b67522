#include "app/cli/command.h"

#include "app/cli/terminal.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/library/open.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

namespace blobscope::cli {
namespace {

constexpr CommandFactory kFactories[] = {makeTree,   makeShow,      makeExtract, makeExport,     makeImport,
                                         makeRepack, makeStrings,   makeSymbols, makeFind,       makeVerify,
                                         makeCheck,  makePreflight, makeSafety,  makeCompile,    makeDiff,
                                         makeRun,    makeDevices,   makeSchema,  makeCompletion, makeManual};

} // namespace

std::span<const CommandFactory> commandFactories() { return kFactories; }

std::string footerOf(const Command& command) {
  const std::string example(command.example()), findings(command.findings());
  std::string out = "Example: blobscope-cli " + std::string(command.name()) + (example.empty() ? "" : " ") + example;
  out += "\n\nExit codes: 0 success" + (findings.empty() ? "" : ", 1 " + findings) + ", 2 failure.\n";
  if (command.takesRef())
    out += "A REF names a part or bytes: m1, m1/kernel:NAME, m1/const:N, m1/field:PATH, blob, imports, host:NAME,\n"
           "symbol:NAME, section:NAME, @OFFSET+SIZE; in an archive MEMBER!REF, such as 'lib0.o!symbol:NAME',\n"
           "in single quotes, because shells give ! a meaning.\n";
  return out;
}

void Session::print(std::string_view text) {
  constexpr std::size_t kPiece = 32 * 1024;
  m_printed = true;
  while (!text.empty() && !m_closed) {
    const std::string_view piece = text.substr(0, kPiece - m_held.size());
    m_held += piece;
    text.remove_prefix(piece.size());
    if (m_held.size() == kPiece) flush();
  }
}

bool Session::flush() {
  std::string_view rest = m_held;
  while (!rest.empty() && !m_closed) {
    const std::ptrdiff_t written = writeOutput(rest);
    if (written < 0) m_closed = true;
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    if (!rest.empty() && m_monitor.stopRequested()) m_closed = true;
  }
  m_held.clear();
  return !m_closed;
}

std::string Session::coloured(Severity severity, std::string_view text) const {
  if (!m_colours) return std::string(text);
  constexpr std::array<std::string_view, 3> kColours = {"\033[31m", "\033[33m", "\033[36m"};
  return std::string(kColours[static_cast<std::size_t>(severity)]) + std::string(text) + "\033[0m";
}

describe::TextOutput Session::output() {
  return {[this](std::string_view text) { print(text); },
          [this](Severity severity, std::string_view word) { return coloured(severity, word); }};
}

void Session::complain(std::string_view file, std::string_view message) const {
  std::string line = "blobscope-cli: ";
  if (!file.empty()) line += shownPath(file) + ": ";
  line += std::string(message) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Command::declareFile(CLI::App& app) {
  app.add_option("FILE", file, "The library or archive to read")->type_name("")->required();
  app.add_flag("--json", json, "Write one JSON document instead of text");
  declareMemory(app);
}

void Command::declareMemory(CLI::App& app) {
  // CLI::AsSizeValue builds maps of all units for each verb, which takes as long as the rest of the start.
  const auto set = [this](const std::string& text) {
    const auto bytes = Budget::parseMemory(text);
    if (!bytes) throw CLI::ValidationError("--memory", bytes.error().message());
    memory = *bytes;
  };
  app.add_option_function<std::string>("--memory", set, "Memory limit for unpacked content, such as 4G")
      ->type_name("SIZE");
}

Result<library::PackagePtr> Command::openFile(Session& session) {
  BLOBSCOPE_TRY(package, library::open(pathFrom(file), session.monitor(), {{}, memory, {}}));
  m_opened.push_back(package);
  return package;
}

Result<Done> Command::checkFiles() const {
  for (const library::PackagePtr& package : m_opened) BLOBSCOPE_CHECK(library::checkUnchanged(*package));
  return Done{};
}

std::unique_ptr<json::Writer> Command::beginDocument(Session& session) const {
  auto writer = std::make_unique<json::Writer>([&session](std::string_view text) { session.print(text); });
  writer->beginObject();
  writer->member("schema", "blobscope." + std::string(name()) + "/1");
  return writer;
}

void writeDiagnostics(json::Writer& writer, const std::vector<Diagnostic>& diagnostics) {
  writer.key("diagnostics").beginArray();
  for (const Diagnostic& diagnostic : diagnostics) {
    writer.beginObject();
    writer.member("id", diagnostic.idText());
    writer.member("severity", severityName(diagnostic.severity()));
    writer.member("message", diagnostic.message());
    writer.member("ref", diagnostic.place.toString());
    writer.endObject();
  }
  writer.endArray();
}

void printDiagnostics(Session& session, const std::vector<Diagnostic>& diagnostics) {
  for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note})
    for (const Diagnostic& diagnostic : diagnostics) {
      if (diagnostic.severity() != severity) continue;
      const std::string place = diagnostic.place.shown();
      session.print(session.coloured(severity, severityName(severity)) + " " + std::string(diagnostic.idText()) +
                    (place.empty() ? "" : " " + place) + ": " + diagnostic.message() + "\n");
    }
}

void writeError(const Error& error, std::string_view message, Session& session) {
  json::Writer writer([&](std::string_view text) { session.print(text); });
  writer.beginObject();
  writer.member("schema", "blobscope.error/1");
  writer.member("code", row(error.id()).id);
  writer.member("message", message);
  writer.member("ref", error.place().toString());
  writer.endObject();
  writer.finish();
}

CLI::Validator oneOf(std::vector<std::string> words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ",") + word;
  const auto check = [words = std::move(words)](const std::string& text) {
    if (std::ranges::find(words, text) != words.end()) return std::string();
    std::string choices;
    for (const std::string& word : words)
      choices += (choices.empty() ? "" : &word == &words.back() ? " or " : ", ") + word;
    return "'" + escaped(text) + "' is not one of " + choices;
  };
  return CLI::Validator(check, "{" + list + "}");
}

CLI::Validator notEmpty() {
  return CLI::Validator([](const std::string& text) { return std::string(text.empty() ? "the value is empty" : ""); },
                        "");
}

Error usage(std::string what) { return Error(DiagnosticId::Usage, {{"what", std::move(what)}}); }

Result<std::map<std::string, int64_t, std::less<>>> parseSizes(const std::vector<std::string>& values) {
  std::map<std::string, int64_t, std::less<>> out;
  for (const std::string& size : values) {
    const std::size_t equals = size.find('=');
    if (equals == 0 || equals == std::string::npos) return usage("--set needs NAME=N, not '" + escaped(size) + "'");
    const std::string value = size.substr(equals + 1);
    if (const std::string why = whyNotNumber(value, 0, uint64_t{1} << 62); !why.empty())
      return usage("--set " + escaped(size) + ": " + why);
    out[size.substr(0, equals)] = static_cast<int64_t>(*parseNumber(value));
  }
  return out;
}

std::string whyNotNumber(std::string_view text, uint64_t least, uint64_t most) {
  const std::string shown = "'" + escaped(text) + "' is ";
  const auto number = parseNumber(text);
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = text.substr(hex ? 2 : 0);
  const bool many = !digits.empty() && std::ranges::all_of(digits, [&](unsigned char c) {
    return hex ? std::isxdigit(c) != 0 : c >= '0' && c <= '9';
  });
  if (number ? *number > most : many) return shown + "too large; the limit is " + groupedText(most);
  if (!number)
    return shown + "not a whole number " +
           (most == UINT64_MAX ? "of " + groupedText(least) + " or more"
                               : "from " + groupedText(least) + " to " + groupedText(most));
  if (*number < least) return shown + "too small; the smallest value is " + groupedText(least);
  return {};
}

std::vector<std::string> wordsOf(std::string_view description) {
  std::vector<std::string> words;
  if (!description.starts_with('{') || !description.ends_with('}')) return words;
  description = description.substr(1, description.size() - 2);
  for (;;) {
    const std::size_t comma = description.find(',');
    words.emplace_back(description.substr(0, comma));
    if (comma == std::string_view::npos) return words;
    description.remove_prefix(comma + 1);
  }
}

CLI::Validator wholeNumber(uint64_t least, uint64_t most) {
  return CLI::Validator([=](const std::string& text) { return whyNotNumber(text, least, most); },
                        most == UINT64_MAX ? "" : groupedText(least) + " to " + groupedText(most));
}

Result<Ref> parseRef(const std::string& text) {
  if (const auto ref = Ref::parse(text)) return *ref;
  return Error(DiagnosticId::RefSyntax, {arg("ref", text)});
}

} // namespace blobscope::cli
