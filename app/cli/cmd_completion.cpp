#include "app/cli/command.h"
#include "app/cli/command_list.h"

#include <CLI/CLI.hpp>

namespace blobscope::cli {
namespace {

class CompletionCommand final : public Command {
public:
  std::string_view name() const override { return "completion"; }
  std::string_view summary() const override { return "Print a script that completes the commands in a shell"; }
  std::string_view example() const override { return "bash"; }
  void declare(CLI::App& app) override {
    m_program = app.get_parent();
    app.add_option("SHELL", m_shell, "The shell that reads the script")
        ->type_name("")
        ->required()
        ->check(oneOf({"bash", "zsh", "fish"}));
  }
  Result<Exit> run(Session& session) override {
    session.print(completionScript(listCommands(*m_program), m_shell));
    return kFine;
  }

private:
  const CLI::App* m_program = nullptr;
  std::string m_shell;
};

class ManualCommand final : public Command {
public:
  std::string_view name() const override { return "manual"; }
  std::string_view summary() const override { return "Print the manual page, for man"; }
  std::string_view example() const override { return ""; }
  void declare(CLI::App& app) override { m_program = app.get_parent(); }
  Result<Exit> run(Session& session) override {
    session.print(manualPage(listCommands(*m_program)));
    return kFine;
  }

private:
  const CLI::App* m_program = nullptr;
};

} // namespace

std::unique_ptr<Command> makeCompletion() { return std::make_unique<CompletionCommand>(); }
std::unique_ptr<Command> makeManual() { return std::make_unique<ManualCommand>(); }

} // namespace blobscope::cli
