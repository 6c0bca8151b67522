#include "app/cli/command.h"
#include "app/cli/terminal_monitor.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/process/sass.h"
#include "core/syntax/disassembler.h"
#ifdef BLOBSCOPE_DISASM
#include "core/disasm/mc.h"
#endif

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace {

using namespace blobscope;
using namespace blobscope::cli;

/// A command's help: usage, then a description. CLI11's own texts name every option with its default.
constexpr const char* kFooter =
    "Exit codes: 0 success, 1 findings, 2 failure. A REF names a node or bytes: m1, m1/kernel:NAME,\n"
    "m1/field:PATH, blob, imports, host:NAME, symbol:NAME, section:NAME, @OFFSET+SIZE.\n";

bool wantsColours() { return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr; }

int report(const Error& error, bool json, const std::string& file, Session& session) {
  // A document that was cut off when the work ended is left as it is; two documents on one stream are of no use.
  if (json && !session.hasPrinted()) writeError(error, session);
  session.flush();
  session.complain(file, error.message());
  return kNotDone;
}

int usageError(const std::string& message, bool json, Session& session) {
  if (json) writeError(Error(DiagnosticId::Usage, {arg("what", message)}), session);
  session.flush();
  std::fprintf(stderr, "blobscope-cli: %s\nTry 'blobscope-cli --help'.\n", escaped(message, 4'000).c_str());
  return kNotDone;
}

} // namespace

int main(int argc, char** argv) {
#ifdef BLOBSCOPE_DISASM
  syntax::setDisassemblerFactory(disasm::makeDisassembler);
#endif
  syntax::setSassDisassembler(process::listSass);
  CLI::App app("Looks into the libraries that Apache TVM exports, without executing them.", "blobscope-cli");
  app.footer(kFooter);
  app.set_version_flag("--version", "blobscope-cli " BLOBSCOPE_VERSION);
  app.require_subcommand(0, 1); // an unknown command is reported below, instead of "a subcommand is required"
  std::vector<std::unique_ptr<Command>> commands;
  for (const CommandFactory make : commandFactories()) {
    commands.push_back(make());
    CLI::App* const verb =
        app.add_subcommand(std::string(commands.back()->name()), std::string(commands.back()->summary()));
    commands.back()->declare(*verb);
    const std::string_view example = commands.back()->example();
    verb->footer("Example: blobscope-cli " + verb->get_name() + (example.empty() ? "" : " ") + std::string(example) +
                 "\n\n" + kFooter);
  }

  TerminalMonitor monitor;
  Session session(monitor, wantsColours());
  bool json = false;
  for (int i = 1; i < argc; ++i) json |= std::strcmp(argv[i], "--json") == 0;
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success); // --help, --version
  } catch (const CLI::ParseError& error) {
    return usageError(error.what(), json, session);
  }

  if (app.get_subcommands().empty()) return usageError("no command is given", json, session);
  for (const auto& command : commands) {
    if (!app.got_subcommand(std::string(command->name()))) continue;
    Result<Exit> exit = withinMemory([&]() -> Result<Exit> {
      auto done = command->run(session);
      if (done) BLOBSCOPE_CHECK(command->checkFiles());
      return done;
    });
    monitor.clear();
    if (!session.flush()) {
      if (!monitor.stopRequested()) {
        session.complain({}, "standard output cannot be written");
        return kNotDone;
      }
      exit = Error(DiagnosticId::Cancelled, {}); // the rest of the output was abandoned
    }
    if (!exit) return report(exit.error(), command->json, command->file, session);
    return *exit;
  }
  return kNotDone;
}
