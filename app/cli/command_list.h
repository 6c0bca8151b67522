#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace blobscope::cli {

/// An option or an argument, as the completions and the manual page describe it.
struct Parameter {
  /// What a shell can complete.
  enum class Value { Flag, Word, File, Folder, PairWithFile, Other };

  std::vector<std::string> names; ///< of an option, with dashes, the short one first; empty for an argument
  std::string placeholder;        ///< FILE, N; the name of an argument; empty for a flag
  std::string help;
  std::vector<std::string> words; ///< the accepted words; empty if others are accepted
  Value value = Value::Flag;
  bool required = false;
  bool repeatable = false;
};

/// A command, or the program itself.
struct CommandEntry {
  std::string name, summary;
  std::vector<std::string> footer; ///< the paragraphs after the options in --help, without line breaks
  std::vector<Parameter> arguments, options;
};

/// The program, followed by its commands in the order of --help.
std::vector<CommandEntry> listCommands(const CLI::App& program);

/// Returns a completion script for `shell`: bash, zsh or fish.
std::string completionScript(const std::vector<CommandEntry>& commands, const std::string& shell);
/// Returns the manual page in the man format of roff.
std::string manualPage(const std::vector<CommandEntry>& commands);

} // namespace blobscope::cli
