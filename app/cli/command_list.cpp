#include "app/cli/command_list.h"

#include "app/cli/command.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace blobscope::cli {
namespace {

Parameter::Value valueOf(const Parameter& parameter) {
  using Value = Parameter::Value;
  constexpr std::array<std::string_view, 4> kFiles = {"FILE", "PATH", "A", "B"};
  if (!parameter.words.empty()) return Value::Word;
  if (std::ranges::find(kFiles, parameter.placeholder) != kFiles.end()) return Value::File;
  if (parameter.placeholder == "DIR") return Value::Folder;
  return parameter.placeholder.ends_with("=FILE") ? Value::PairWithFile : Value::Other;
}

Parameter describe(const CLI::Option& option) {
  Parameter parameter;
  for (const std::string& name : option.get_snames()) parameter.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) parameter.names.push_back("--" + name);
  parameter.help = option.get_description();
  parameter.required = option.get_required();
  if (option.get_items_expected_max() == 0) return parameter; // a flag
  // "PLACEHOLDER:{word,word}" or "PLACEHOLDER:1 to 10"; without a placeholder, nothing is before the colon.
  const std::string type = option.get_type_name();
  const std::size_t colon = type.find(':');
  parameter.placeholder = option.get_positional() ? option.get_name(true) : type.substr(0, colon);
  if (colon != std::string::npos) parameter.words = wordsOf(type.substr(colon + 1));
  parameter.value = valueOf(parameter);
  parameter.repeatable =
      option.get_items_expected_max() > 1 || option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  return parameter;
}

CommandEntry describe(const CLI::App& app, const std::string& footer) {
  CommandEntry entry{app.get_name(), app.get_description(), {}, {}, {}};
  for (const CLI::Option* const option : app.get_options())
    (option->get_positional() ? entry.arguments : entry.options).push_back(describe(*option));
  std::string paragraph;
  const auto end = [&] {
    if (!paragraph.empty()) entry.footer.push_back(std::exchange(paragraph, {}));
  };
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    // A paragraph ends at an empty line, and at a line that ends a sentence.
    if (line.empty() || paragraph.ends_with('.')) end();
    if (!line.empty()) paragraph += (paragraph.empty() ? "" : " ") + line;
  }
  end();
  return entry;
}

} // namespace

std::vector<CommandEntry> listCommands(const CLI::App& program) {
  std::vector<CommandEntry> entries{describe(program, program.get_footer())};
  // Not the footer that CLI11 has: some commands add a sentence about this machine.
  for (const CommandFactory make : commandFactories()) {
    const std::unique_ptr<Command> command = make();
    entries.push_back(describe(*program.get_subcommand(std::string(command->name())), footerOf(*command)));
  }
  return entries;
}

} // namespace blobscope::cli
