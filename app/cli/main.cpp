#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "app/cli/terminal_monitor.h"

#include "core/base/memory.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/process/sass.h"
#include "core/syntax/disassembler.h"
#ifdef BLOBSCOPE_DISASM
#include "core/disasm/mc.h"
#endif

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace {

using namespace blobscope;
using namespace blobscope::cli;

constexpr const char* kFooter = "Exit codes: 0 success, 1 findings (see the help of the command), 2 failure.\n"
                                "'blobscope-cli COMMAND --help' describes a command.\n";

/// "'a', 'b'".
std::string quoted(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "'" : ", '") + escaped(word) + "'";
  return out;
}

std::vector<std::string> commandNames(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::App* const verb : app.get_subcommands({})) out.push_back(verb->get_name());
  return out;
}

std::vector<std::string> optionNames(const CLI::App& verb) {
  std::vector<std::string> out;
  for (const CLI::Option* const option : verb.get_options())
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  return out;
}

/// A file in the place of a command is most likely to be shown.
std::string proposalForCommand(const std::string& word, const CLI::App& app) {
  std::error_code failure;
  if (std::filesystem::exists(pathFrom(word), failure)) return "; did you mean 'tree " + escaped(word) + "'?";
  return proposalText(word, commandNames(app));
}

/// What is wrong with the arguments, in our words where CLI11's are hard to read.
std::string explain(const CLI::ParseError& error, const CLI::App& app) {
  const std::string text = error.what();
  const auto before = [&](std::string_view part) { return text.substr(0, text.find(part)); };
  const auto after = [&](std::string_view part) { return text.substr(text.find(part) + part.size()); };
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    const std::vector<std::string> extras = app.remaining(true);
    for (const std::string& word : extras)
      if (word.size() > 1 && word.front() == '-') {
        if (app.get_subcommands().empty() && &word != &extras.front()) break; // the command before it is unknown
        const std::string name = word.substr(0, word.find('='));
        return "unknown option '" + escaped(word) + "'" +
               proposalText(name, optionNames(app.get_subcommands().empty() ? app : *app.get_subcommands().front()));
      }
    if (app.get_subcommands().empty() && !extras.empty())
      return "unknown command '" + escaped(extras.front()) + "'" + proposalForCommand(extras.front(), app);
    return (extras.size() == 1 ? "unexpected argument " : "unexpected arguments ") + quoted(extras);
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error))
    return (text.starts_with('-') ? "missing option " : "missing argument ") + before(" is required");
  if (dynamic_cast<const CLI::ExcludesError*>(&error))
    return before(" excludes ") + " cannot be combined with " + after(" excludes ");
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    if (text.find(": At Most 1 ") != std::string::npos) return before(": At Most ") + " is given more than once";
    if (text.ends_with(" missing")) return before(":") + " needs a value";
    const std::string_view flag = " was given a disallowed flag override";
    if (text.find(flag) != std::string::npos) return "--" + before(flag) + " takes no value";
  }
  // Our validators escape what the user typed.
  return dynamic_cast<const CLI::ValidationError*>(&error) ? text : escaped(text);
}

/// Declares the rules for all options: no value for a flag, no empty value for the others. An empty REF is the file.
void restrictOptions(CLI::App& verb) {
  for (CLI::Option* const option : verb.get_options())
    if (option->get_items_expected_max() == 0)
      option->disable_flag_override();
    else if (option->nonpositional() || option->get_name() != "REF")
      option->check(notEmpty());
}

/// Returns the first option that ends with "=", after which CLI11 would take the next argument as its value.
std::string findOptionWithoutValue(const std::vector<std::string>& arguments) {
  for (const std::string& word : arguments) {
    if (word == "--") break;
    if (word.starts_with("--") && word.find('=') == word.size() - 1) return word.substr(0, word.size() - 1);
  }
  return {};
}

bool wantsColours() { return isOutputTerminal() && std::getenv("NO_COLOR") == nullptr; }

/// The message of an error about FILE, which standard error names in front of it, without its name: "the file does not
/// exist".
std::string messageAbout(const std::string& file, const Error& error) {
  std::string message = error.message();
  const DiagnosticId id = error.id();
  if (id != DiagnosticId::FileNotFound && id != DiagnosticId::FileEmpty && id != DiagnosticId::FileNotReadable &&
      id != DiagnosticId::FileNotRegular && id != DiagnosticId::RunConsent)
    return message;
  const std::string name = "'" + shownPath(file) + "'";
  const std::size_t at = file.empty() ? std::string::npos : message.find(name);
  if (message.find(name + " and ") != std::string::npos) return message; // a list of files
  return at == std::string::npos
             ? message
             : message.replace(at, name.size(), id == DiagnosticId::FileNotRegular ? "it" : "the file");
}

int report(const Error& error, bool json, const std::string& file, Session& session) {
  // A document that was cut off when the work ended is left as it is; two documents on one stream are of no use.
  const std::string message = messageAbout(file, error);
  if (json && !session.hasPrinted()) writeError(error, message, session);
  session.flush();
  session.complain(file, message);
  return kNotDone;
}

int usageError(const std::string& message, const std::string& verb, bool json, Session& session) {
  const std::string shown = plainText(message, 4'000); // what the user typed is escaped already
  if (json) writeError(Error(DiagnosticId::Usage, {{"what", shown}}), shown, session);
  session.flush();
  std::fprintf(stderr, "blobscope-cli: %s\nSee 'blobscope-cli %s--help'.\n", shown.c_str(),
               verb.empty() ? "" : (verb + " ").c_str());
  return kNotDone;
}

} // namespace

int main(int argc, char** argv) {
#ifdef BLOBSCOPE_DISASM
  syntax::setDisassemblerFactory(disasm::makeDisassembler);
#endif
  syntax::setSassDisassembler(process::listSass);
  CLI::App app("Shows what is inside the libraries that Apache TVM exports. Only 'run' executes code of a file.",
               "blobscope-cli");
  app.allow_windows_style_options(false); // "/x" is a path
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->label("Positionals", "Arguments");
  app.footer(kFooter);
  app.set_version_flag("--version", "blobscope-cli " BLOBSCOPE_VERSION);
  app.require_subcommand(0, 1); // an unknown command is reported below, instead of "a subcommand is required"
  std::vector<std::unique_ptr<Command>> commands;
  for (const CommandFactory make : commandFactories()) {
    commands.push_back(make());
    CLI::App* const verb =
        app.add_subcommand(std::string(commands.back()->name()), std::string(commands.back()->summary()));
    verb->group("Commands");
    commands.back()->declare(*verb);
    restrictOptions(*verb);
    verb->footer(footerOf(*commands.back()));
  }

  prepareTerminal();
  std::vector<std::string> arguments = programArguments(argc, argv);
  if (!arguments.empty()) arguments.erase(arguments.begin());
  TerminalMonitor monitor;
  Session session(monitor, wantsColours());
  const bool json = std::ranges::find(arguments, "--json") != arguments.end();
  const std::vector<std::string> names = commandNames(app);
  const auto isCommand = [&](const std::string& word) { return std::ranges::find(names, word) != names.end(); };
  if (const std::string option = findOptionWithoutValue(arguments); !option.empty())
    return usageError(escaped(option) + " needs a value", isCommand(arguments.front()) ? arguments.front() : "", json,
                      session);
  // 'help COMMAND' is 'COMMAND --help'.
  if (!arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    if (arguments.empty() || isCommand(arguments.front())) arguments.emplace_back("--help");
  }
  std::reverse(arguments.begin(), arguments.end()); // the order that parse() expects
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::Success& success) {
    return app.exit(success); // --help, --version
  } catch (const CLI::ParseError& error) {
    const std::vector<CLI::App*> verbs = app.get_subcommands();
    return usageError(explain(error, app), verbs.empty() ? "" : verbs.front()->get_name(), json, session);
  }

  if (app.get_subcommands().empty()) return usageError("missing command", "", json, session);
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
