#include "app/cli/command.h"

#include "app/cli/schemas.h"

#include <CLI/CLI.hpp>

namespace blobscope::cli {
namespace {

class SchemaCommand final : public Command {
public:
  std::string_view name() const override { return "schema"; }
  std::string_view summary() const override { return "Print the JSON Schema of a command's --json output"; }
  std::string_view example() const override { return "tree"; }
  void declare(CLI::App& app) override {
    std::vector<std::string> names;
    for (const Schema& schema : schemas()) names.emplace_back(schema.verb);
    app.add_option("COMMAND", m_verb,
                   "A command, or 'error' for the --json output of a command that fails with exit code 2")
        ->type_name("")
        ->required()
        ->check(oneOf(names));
  }
  Result<Exit> run(Session& session) override {
    for (const Schema& schema : schemas())
      if (schema.verb == m_verb) session.print(schema.text);
    return kFine;
  }

private:
  std::string m_verb;
};

} // namespace

std::unique_ptr<Command> makeSchema() { return std::make_unique<SchemaCommand>(); }

} // namespace blobscope::cli
