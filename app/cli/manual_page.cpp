#include "app/cli/command_list.h"

#include <cctype>
#include <cstdio>
#include <string_view>

namespace blobscope::cli {
namespace {

/// A character beyond ASCII, which groff reads only by its number: "\[u00D7]" for "×". `text` is one of our own texts
/// and so is well-formed UTF-8; `at` is its lead byte and becomes its last byte.
std::string roffCharacter(std::string_view text, size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  unsigned value = lead & (0x3fU >> more);
  for (int i = 0; i < more && at + 1 < text.size(); ++i) value = (value << 6U) | (text[++at] & 0x3fU);
  char name[16];
  std::snprintf(name, sizeof name, "\\[u%04X]", value);
  return name;
}

/// Text as roff prints it unchanged. A line that begins with it is no request, since no escape begins with a dot.
std::string roff(std::string_view text) {
  std::string out = text.starts_with('.') ? "\\&" : "";
  for (size_t at = 0; at < text.size(); ++at) {
    if (static_cast<unsigned char>(text[at]) >= 0x80) {
      out += roffCharacter(text, at);
      continue;
    }
    switch (text[at]) {
    case '\\': out += "\\e"; break;
    case '-': out += "\\-"; break;
    case '\'': out += "\\(aq"; break;
    case '"': out += "\\(dq"; break;
    case '`': out += "\\(ga"; break;
    case '^': out += "\\(ha"; break;
    case '~': out += "\\(ti"; break;
    case '\n': out += ' '; break;
    default: out += text[at];
    }
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string sentence(std::string_view text) { return roff(text) + (text.ends_with('.') ? "\n" : ".\n"); }

/// "[OPTION]... FILE [REF]".
std::string synopsis(const CommandEntry& command) {
  std::string out = bold(command.name);
  if (!command.options.empty()) out += " [" + italic("OPTION") + "]...";
  for (const Parameter& argument : command.arguments) {
    const std::string name = italic(argument.placeholder) + (argument.repeatable ? "..." : "");
    out += argument.required ? " " + name : " [" + name + "]";
  }
  return out;
}

void append(std::string& page, const Parameter& parameter) {
  page += ".TP\n";
  if (parameter.names.empty()) page += italic(parameter.placeholder);
  for (const std::string& name : parameter.names) page += (&name == &parameter.names.front() ? "" : ", ") + bold(name);
  if (!parameter.names.empty() && !parameter.placeholder.empty()) page += " " + italic(parameter.placeholder);
  page += "\n" + sentence(parameter.help);
  if (parameter.words.empty()) return;
  page += "One of";
  for (const std::string& word : parameter.words) page += (&word == &parameter.words.front() ? " " : ", ") + bold(word);
  page += ".\n";
}

void append(std::string& page, const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) append(page, parameter);
}

void appendFooter(std::string& page, const CommandEntry& entry) {
  for (const std::string& paragraph : entry.footer) page += ".PP\n" + roff(paragraph) + "\n";
}

} // namespace

std::string manualPage(const std::vector<CommandEntry>& commands) {
  const CommandEntry& program = commands.front();
  std::string title = program.name, what = program.summary.substr(0, program.summary.find('.'));
  for (char& character : title) character = static_cast<char>(std::toupper(static_cast<unsigned char>(character)));
  what.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(what.front())));

  std::string page = ".TH \"" + roff(title) + "\" 1 \"\" \"" + roff(program.name + " " BLOBSCOPE_VERSION) +
                     "\" \"User Commands\"\n.SH NAME\n" + roff(program.name) + " \\- " + roff(what) +
                     "\n.SH SYNOPSIS\n" + bold(program.name) + " " + italic("COMMAND") + " [" + italic("ARGUMENT") +
                     "]...\n.SH DESCRIPTION\n" + sentence(program.summary) + ".SH COMMANDS\n";
  for (std::size_t i = 1; i < commands.size(); ++i) {
    page += ".SS " + synopsis(commands[i]) + "\n" + sentence(commands[i].summary);
    append(page, commands[i].arguments);
    append(page, commands[i].options);
    appendFooter(page, commands[i]);
  }
  page += ".SH OPTIONS\n";
  append(page, program.options);
  page += ".SH EXIT STATUS\n";
  appendFooter(page, program);
  return page + ".SH SEE ALSO\n" + bold("blobscope") + "(1)\n";
}

} // namespace blobscope::cli
