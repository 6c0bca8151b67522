#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

/// ELF files described as YAML and laid out by LLVM, which shares no code with what is tested. Source: LLVM 19
/// llvm/ObjectYAML/ELFYAML.h; the words are those of yaml2obj.
namespace blobscope::test {

/// The file. A text that LLVM refuses ends the program with its message.
std::string elfOfYaml(const std::string& yaml);

/// Where the sections of an ELF file lie in it, by name; "sections" is the place of the section headers.
std::map<std::string, uint64_t> sectionOffsets(const std::string& elf);

/// Bytes as `Content` and `Pattern` want them: "7f454c46".
std::string yamlBytes(std::string_view bytes);

/// A name that can occur more than once: LLVM drops what is in the brackets. Text only.
inline std::string yamlName(std::string_view name, uint64_t number) {
  std::string out = "'";
  for (const char c : name) out += c == '\'' ? "''" : std::string(1, c);
  return out + " (" + std::to_string(number) + ")'";
}

} // namespace blobscope::test
