#pragma once

#include "core/base/json.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/describe/text_output.h"
#include "core/library/package.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace blobscope::cli {

/// Exit codes: fine; findings; could not be done.
enum Exit { kFine = 0, kFindings = 1, kNotDone = 2 };

/// What a verb works with: where its words go and who may stop it.
class Session {
public:
  Session(Monitor& monitor, bool colours) : m_monitor(monitor), m_colours(colours) {}
  /// Says stop, too, once standard output takes nothing more: nobody would see the rest.
  Monitor& monitor() { return m_watch; }
  /// Writes to standard output. A signal to stop ends a write that waits for a reader.
  void print(std::string_view text);
  bool hasPrinted() const { return m_printed; }
  /// Writes what print() still holds. False when standard output could not take everything.
  bool flush();
  /// `text` in the colour of the severity on a terminal, else plain.
  std::string coloured(Severity severity, std::string_view text) const;
  /// print() and coloured() for the functions of core/describe. Must not outlive the session.
  describe::TextOutput output();
  /// One message on standard error: "blobscope-cli: FILE: message".
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
  bool m_closed = false; ///< a write failed or was given up
  std::string m_held;
};

/// A verb of the command line. Options are bound to members, so one object serves one run.
class Command {
public:
  virtual ~Command() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  /// Arguments of one call that people are likely to need, for --help; empty when the name alone is a call.
  virtual std::string_view example() const = 0;
  /// Declares arguments and options.
  virtual void declare(CLI::App& app) = 0;
  /// Does the work; an error becomes exit code 2 and its message.
  virtual Result<Exit> run(Session& session) = 0;
  /// FILE-CHANGED when one of the files that openFile() opened may have changed since: what was printed of it is then
  /// not to be trusted.
  Result<Done> checkFiles() const;

  bool json = false;
  std::string file;               ///< the FILE argument, empty for verbs without one
  std::optional<uint64_t> memory; ///< --memory: what opening a file may hold in memory, in bytes

protected:
  /// Adds FILE and --json.
  void declareFile(CLI::App& app);
  /// Adds --memory alone, for verbs with other arguments.
  void declareMemory(CLI::App& app);
  Result<library::PackagePtr> openFile(Session& session);
  /// For verbs that write: they check before they do so, and afterwards another file may have the name.
  void releaseFiles() { m_opened.clear(); }
  /// A JSON document on standard output that begins with its schema.
  std::unique_ptr<json::Writer> beginDocument(Session& session) const;

private:
  std::vector<library::PackagePtr> m_opened;
};

using CommandFactory = std::unique_ptr<Command> (*)();
/// All verbs in the order of --help.
std::span<const CommandFactory> commandFactories();

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
std::unique_ptr<Command> makeDiff();
std::unique_ptr<Command> makeRun();
std::unique_ptr<Command> makeDevices();
std::unique_ptr<Command> makeSchema();

/// `"diagnostics": […]` of a document.
void writeDiagnostics(json::Writer& writer, const std::vector<Diagnostic>& diagnostics);
/// The same for people: one line each, worst first, after a line that counts them.
void printDiagnostics(Session& session, const std::vector<Diagnostic>& diagnostics);
/// `{"schema": "blobscope.error/1", …}`.
void writeError(const Error& error, Session& session);
/// The reference that the user typed. REF-SYNTAX.
Result<Ref> parseRef(const std::string& text);

} // namespace blobscope::cli
