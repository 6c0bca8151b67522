#pragma once

#include "core/base/json.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/describe/text_output.h"
#include "core/library/package.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Validator;
} // namespace CLI

namespace blobscope::cli {

/// Exit codes: success; findings; not done.
enum Exit { kFine = 0, kFindings = 1, kNotDone = 2 };

/// The environment of a verb: its output, and the monitor that can stop it.
class Session {
public:
  Session(Monitor& monitor, bool colours) : m_monitor(monitor), m_colours(colours) {}
  /// It also requests a stop once standard output cannot be written to: nobody would see the rest.
  Monitor& monitor() { return m_watch; }
  /// Writes to standard output. A stop signal ends a write that waits for a reader.
  void print(std::string_view text);
  bool hasPrinted() const { return m_printed; }
  /// Writes what print() has buffered. Returns false if standard output did not accept everything.
  bool flush();
  /// Returns `text` in the colour of the severity on a terminal; otherwise unchanged.
  std::string coloured(Severity severity, std::string_view text) const;
  /// Returns print() and coloured() for the functions of core/describe. Must not outlive the session.
  describe::TextOutput output();
  /// Writes one message to standard error: "blobscope-cli: FILE: message".
  void complain(std::string_view file, std::string_view message) const;

private:
  class Watch final : public Monitor {
  public:
    explicit Watch(const Session& session) : m_session(session) {}
    bool stopRequested() const override { return m_session.m_closed || m_session.m_monitor.stopRequested(); }
    void progress(std::string_view what, uint64_t done, uint64_t total) override {
      m_session.m_monitor.progress(what, done, total);
    }

  private:
    const Session& m_session;
  };

  Monitor& m_monitor;
  Watch m_watch{*this};
  bool m_colours;
  bool m_printed = false;
  bool m_closed = false; ///< a write failed or was abandoned
  std::string m_held;
};

/// A verb of the command line. Options are bound to members, so one object serves one run.
class Command {
public:
  virtual ~Command() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  /// Returns the arguments of a typical call, for --help; empty if the name alone is a complete call.
  virtual std::string_view example() const = 0;
  /// What exit code 1 means, for --help: "the files differ". Empty when the verb never ends with it.
  virtual std::string_view findings() const { return {}; }
  /// Whether an argument or an option is a REF, which --help then explains.
  virtual bool takesRef() const { return false; }
  /// Declares arguments and options.
  virtual void declare(CLI::App& app) = 0;
  /// Does the work; an error becomes exit code 2 and a message.
  virtual Result<Exit> run(Session& session) = 0;
  /// Returns FILE-CHANGED if a file that openFile() opened may have changed since; then the printed output cannot be
  /// trusted.
  Result<Done> checkFiles() const;

  bool json = false;
  std::string file;               ///< the FILE argument; empty for verbs without one
  std::optional<uint64_t> memory; ///< --memory: the memory that opening a file may use, in bytes

protected:
  /// Adds FILE and --json.
  void declareFile(CLI::App& app);
  /// Adds --memory alone, for verbs with other arguments.
  void declareMemory(CLI::App& app);
  Result<library::PackagePtr> openFile(Session& session);
  /// For verbs that write: they check the files before writing; afterwards the name may belong to another file.
  void releaseFiles() { m_opened.clear(); }
  /// Begins a JSON document on standard output, starting with its schema.
  std::unique_ptr<json::Writer> beginDocument(Session& session) const;

private:
  std::vector<library::PackagePtr> m_opened;
};

using CommandFactory = std::unique_ptr<Command> (*)();
/// Returns all verbs in the order of --help.
std::span<const CommandFactory> commandFactories();

/// The end of the help of a command: an example, the exit codes, and what a REF is.
std::string footerOf(const Command& command);

std::unique_ptr<Command> makeTree();
std::unique_ptr<Command> makeShow();
std::unique_ptr<Command> makeExtract();
std::unique_ptr<Command> makeExport();
std::unique_ptr<Command> makeImport();
std::unique_ptr<Command> makeRepack();
std::unique_ptr<Command> makeStrings();
std::unique_ptr<Command> makeSymbols();
std::unique_ptr<Command> makeFind();
std::unique_ptr<Command> makeVerify();
std::unique_ptr<Command> makeCheck();
std::unique_ptr<Command> makePreflight();
std::unique_ptr<Command> makeSafety();
std::unique_ptr<Command> makeCompile();
std::unique_ptr<Command> makeDiff();
std::unique_ptr<Command> makeRun();
std::unique_ptr<Command> makeDevices();
std::unique_ptr<Command> makeSchema();
std::unique_ptr<Command> makeCompletion();
std::unique_ptr<Command> makeManual();

/// Writes `"diagnostics": […]` of a document.
void writeDiagnostics(json::Writer& writer, const std::vector<Diagnostic>& diagnostics);
/// Prints the same as text: a line with the counts, then one line each, worst first.
void printDiagnostics(Session& session, const std::vector<Diagnostic>& diagnostics);
/// Writes `{"schema": "blobscope.error/1", …}`.
void writeError(const Error& error, std::string_view message, Session& session);
/// Accepts only these words, which --help then lists.
CLI::Validator oneOf(std::vector<std::string> words);
/// Returns the words of a validator of oneOf(), from its description; empty if it is another validator.
std::vector<std::string> wordsOf(std::string_view description);
/// Accepts any text but the empty one. main() adds it to every option that takes a value.
CLI::Validator notEmpty();
/// The command line is wrong: `what` says how, with names escaped.
Error usage(std::string what);
/// Returns what is wrong with a whole number from `least` to `most`, decimal or 0x…; empty when it is fine.
std::string whyNotNumber(std::string_view text, uint64_t least, uint64_t most);
/// Sizes by name from the values NAME=N of --set. Error: USAGE.
Result<std::map<std::string, int64_t, std::less<>>> parseSizes(const std::vector<std::string>& values);
/// Accepts these numbers.
CLI::Validator wholeNumber(uint64_t least = 0, uint64_t most = UINT64_MAX);
/// Parses a reference that the user typed. Error: REF-SYNTAX.
Result<Ref> parseRef(const std::string& text);

} // namespace blobscope::cli
