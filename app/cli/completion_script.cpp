#include "app/cli/command_list.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace blobscope::cli {
namespace {

using Value = Parameter::Value;

/// Puts a backslash before each of `special`.
std::string slashed(std::string_view text, std::string_view special) {
  std::string out;
  for (const char character : text) {
    if (special.find(character) != std::string_view::npos) out += '\\';
    out += character;
  }
  return out;
}

/// A word of bash and zsh, in single quotes.
std::string shellQuoted(std::string_view text) {
  std::string out = "'";
  for (const char character : text) character == '\'' ? out += "'\\''" : out += character;
  return out + "'";
}

std::string quotedForFish(std::string_view text) { return "'" + slashed(text, "\\'") + "'"; }

std::string joined(const std::vector<std::string>& words,
                   const std::function<std::string(const std::string&)>& change) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + change(word);
  return out;
}

std::vector<std::string> commandNames(const std::vector<CommandEntry>& commands) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < commands.size(); ++i) names.push_back(commands[i].name);
  return names;
}

std::vector<std::string> optionNames(const CommandEntry& command) {
  std::vector<std::string> names;
  for (const Parameter& option : command.options) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

// --- bash -----------------------------------------------------------------------------------------------------------

constexpr const char* kBash = R"bash(
_blobscope_cli() {
  local line=${COMP_LINE:0:COMP_POINT} word trimmed i last=-1
  local -a typed=() words=()
  COMPREPLY=()
  # Bash also splits at characters such as = and :, so the parts are joined as they are in the line.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    trimmed=${line#"${line%%[![:space:]]*}"}
    word=${COMP_WORDS[i]}
    if ((i == COMP_CWORD)); then word=$trimmed; fi
    if ((i > 0)) && [[ $trimmed == "$line" ]]; then
      typed[last]+=$word
    else
      typed[++last]=$word
    fi
    line=${trimmed#"$word"}
  done

  local current=${typed[last]} command= option= kind= position=1
  for ((i = 1; i < last; i++)); do
    word=${typed[i]}
    if [[ -n $option ]]; then
      option=
    elif [[ $word == --*=* ]]; then
      :
    elif [[ $word == -* ]]; then
      _blobscope_cli_value "$command" "$word"
      if [[ $kind != flag ]]; then option=$word; fi
    elif [[ -z $command ]]; then
      command=$word
    else
      ((position++))
    fi
  done

  words=()
  if [[ -n $option ]]; then
    _blobscope_cli_value "$command" "$option"
  elif [[ $current == --*=* ]]; then
    _blobscope_cli_value "$command" "${current%%=*}"
    current=${current#*=}
  elif [[ $current == -* ]]; then
    _blobscope_cli_value "$command" options
  elif [[ -z $command ]]; then
    _blobscope_cli_value '' commands
  else
    _blobscope_cli_value "$command" "$position"
  fi
  if [[ $kind == pair && $current == *=* ]]; then kind=file; fi

  # Without a reply, 'complete -o default' completes files.
  if [[ $kind == file ]]; then return; fi
  compopt +o default 2>/dev/null
  if [[ $kind == folder ]]; then compopt -o dirnames 2>/dev/null; fi
  for word in "${words[@]}"; do
    if [[ $word == "$current"* ]]; then COMPREPLY+=("$word"); fi
  done
}

complete -o default -F _blobscope_cli blobscope-cli
)bash";

std::string bashKind(const Parameter& parameter) {
  switch (parameter.value) {
  case Value::Flag: return "kind=flag";
  case Value::Word: return "kind=word words=(" + joined(parameter.words, shellQuoted) + ")";
  case Value::File: return "kind=file";
  case Value::Folder: return "kind=folder";
  case Value::PairWithFile: return "kind=pair";
  case Value::Other: break;
  }
  return "kind=other";
}

std::string bashScript(const std::vector<CommandEntry>& commands) {
  std::string out =
      "# Completes blobscope-cli in bash. Written by 'blobscope-cli completion bash'.\n\n"
      "# Sets kind and words for the value of option $2 of command $1, for its argument number $2, for the\n"
      "# names of its options, or for the commands.\n"
      "_blobscope_cli_value() {\n  kind=other words=()\n  case $1:$2 in\n"
      "  :commands) kind=word words=(" +
      joined(commandNames(commands), shellQuoted) + ") ;;\n";
  for (const CommandEntry& command : commands) {
    const std::string name = &command == &commands.front() ? "" : command.name;
    out += "  " + name + ":options) kind=word words=(" + joined(optionNames(command), shellQuoted) + ") ;;\n";
    for (const Parameter& option : command.options)
      for (const std::string& word : option.names) out += "  " + name + ":" + word + ") " + bashKind(option) + " ;;\n";
    for (std::size_t i = 0; i < command.arguments.size(); ++i)
      out += "  " + name + ":" + std::to_string(i + 1) + ") " + bashKind(command.arguments[i]) + " ;;\n";
  }
  return out + "  esac\n}\n" + kBash;
}

// --- zsh ------------------------------------------------------------------------------------------------------------

std::string zshAction(const Parameter& parameter) {
  switch (parameter.value) {
  case Value::Word:
    return "(" +
           joined(parameter.words, [](const std::string& word) { return slashed(word, " \\'\"$`()[]{}<>|&;*?~#:"); }) +
           ")";
  case Value::File: return "_files";
  case Value::Folder: return "_files -/";
  case Value::PairWithFile: return "{compset -P \"*=\" && _files}";
  case Value::Flag:
  case Value::Other: break;
  }
  return " ";
}

/// The arguments of _arguments for one option or argument, each in single quotes.
std::string zshSpecs(const Parameter& parameter, std::size_t position) {
  const std::string value =
      parameter.value == Value::Flag ? "" : ":" + slashed(parameter.placeholder, ":\\") + ":" + zshAction(parameter);
  if (parameter.names.empty()) {
    const std::string place = parameter.repeatable ? "*" : std::to_string(position);
    return " \\\n        " + shellQuoted(place + (parameter.required ? "" : ":") + value);
  }
  std::string out;
  for (const std::string& name : parameter.names) {
    std::string spec = parameter.repeatable                                      ? "*"
                       : name == "--help" || name == "-h" || name == "--version" ? "(- *)"
                       : parameter.names.size() > 1
                           ? "(" + joined(parameter.names, [](const std::string& word) { return word; }) + ")"
                           : "";
    spec += name + (parameter.value == Value::Flag ? "" : name.starts_with("--") ? "=" : "+");
    out += " \\\n        " + shellQuoted(spec + "[" + slashed(parameter.help, "[]\\") + "]" + value);
  }
  return out;
}

std::string zshScript(const std::vector<CommandEntry>& commands) {
  std::string out =
      "#compdef blobscope-cli\n# Completes blobscope-cli in zsh. Written by 'blobscope-cli completion zsh'.\n\n"
      "_blobscope-cli() {\n  local curcontext=$curcontext context state state_descr line\n  typeset -A opt_args\n"
      "  _arguments -C";
  for (const Parameter& option : commands.front().options) out += zshSpecs(option, 0);
  out += " \\\n        '1:command:->command' '*::argument:->argument' && return\n\n  case $state in\n  command)\n"
         "    local -a names\n    names=(\n";
  for (std::size_t i = 1; i < commands.size(); ++i)
    out += "      " + shellQuoted(slashed(commands[i].name, ":\\") + ":" + commands[i].summary) + "\n";
  out += "    )\n    _describe -t commands command names\n    ;;\n  argument)\n    case $words[1] in\n";
  for (std::size_t i = 1; i < commands.size(); ++i) {
    out += "    " + commands[i].name + ")\n      _arguments";
    for (const Parameter& option : commands[i].options) out += zshSpecs(option, 0);
    for (std::size_t k = 0; k < commands[i].arguments.size(); ++k) out += zshSpecs(commands[i].arguments[k], k + 1);
    out += "\n      ;;\n";
  }
  return out + "    esac\n    ;;\n  esac\n}\n\n"
               "# This file is read as the function itself, or with source.\n"
               "if [[ $funcstack[1] == _blobscope-cli ]]; then\n  _blobscope-cli \"$@\"\nelse\n"
               "  compdef _blobscope-cli blobscope-cli\nfi\n";
}

// --- fish -----------------------------------------------------------------------------------------------------------

constexpr const char* kFish = R"fish(# Completes blobscope-cli in fish. Written by 'blobscope-cli completion fish'.

function __blobscope_cli_no_command
    test (count (commandline -opc)) -eq 1
end

function __blobscope_cli_is
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test $words[2] = $argv[1]
end

# Completes the file of REF=FILE.
function __blobscope_cli_pair
    set -l parts (string split -m 1 = -- (commandline -ct))
    test (count $parts) -eq 2; or return
    printf '%s\n' $parts[1]=(__fish_complete_path $parts[2])
end

complete -c blobscope-cli -f
)fish";

std::string fishValue(const Parameter& parameter) {
  switch (parameter.value) {
  case Value::Flag: return "";
  case Value::Word: return " -x -a " + quotedForFish(joined(parameter.words, quotedForFish));
  case Value::File: return " -r -F";
  case Value::Folder: return " -x -a '(__fish_complete_directories (commandline -ct))'";
  case Value::PairWithFile: return " -x -a '(__blobscope_cli_pair)'";
  case Value::Other: break;
  }
  return " -x";
}

std::string fishScript(const std::vector<CommandEntry>& commands) {
  std::string out = kFish;
  for (const CommandEntry& command : commands) {
    const bool isProgram = &command == &commands.front();
    if (!isProgram)
      out += "complete -c blobscope-cli -n __blobscope_cli_no_command -a " + quotedForFish(command.name) + " -d " +
             quotedForFish(command.summary) + "\n";
    const std::string here =
        "complete -c blobscope-cli -n " +
        (isProgram ? "__blobscope_cli_no_command" : quotedForFish("__blobscope_cli_is " + command.name));
    for (const Parameter& option : command.options) {
      out += here;
      for (const std::string& name : option.names)
        out += name.starts_with("--") ? " -l " + quotedForFish(name.substr(2)) : " -s " + quotedForFish(name.substr(1));
      out += fishValue(option) + " -d " + quotedForFish(option.help) + "\n";
    }
    // Fish does not number arguments: each is offered at any place.
    for (const Parameter& argument : command.arguments) {
      if (argument.value == Value::File) out += here + " -F\n";
      if (argument.value == Value::Word || argument.value == Value::Folder) {
        const std::string value = fishValue(argument);
        out += here + value.substr(value.find(" -a ")) + "\n";
      }
    }
  }
  return out;
}

} // namespace

std::string completionScript(const std::vector<CommandEntry>& commands, const std::string& shell) {
  return shell == "bash" ? bashScript(commands) : shell == "zsh" ? zshScript(commands) : fishScript(commands);
}

} // namespace blobscope::cli
