#pragma once

#include "core/syntax/code_structure.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Readers of one kind of text each, for code_structure.cpp only.
namespace blobscope::syntax {

/// Gets the lines of a text in order and fills a CodeStructure.
class StructureScanner {
public:
  explicit StructureScanner(CodeStructure& out) : m_out(out) {}
  virtual ~StructureScanner() = default;
  /// `line` as it is; `code` the same with blanks in place of comments and strings.
  virtual void take(std::string_view line, std::string_view code, std::span<const Token> tokens, uint64_t number) = 0;
  /// The text ends after `lines` lines.
  virtual void finish(uint64_t lines) = 0;

protected:
  void addFunction(CodeFunction function);
  void addLabel(std::string name, uint64_t line);
  void addFold(uint64_t first, uint64_t last);
  /// A jump to a label that may follow later in the function.
  void addReference(std::string name, uint64_t line);
  void addJump(uint64_t from, uint64_t to);
  /// Ends the last function at `last`, adds its fold, and connects references to its labels.
  void endFunction(uint64_t last);
  bool isOpen() const { return m_open; }

  CodeStructure& m_out;

private:
  bool m_open = false; ///< the last function has not ended
  std::unordered_map<std::string, uint64_t> m_labels;
  std::vector<std::pair<std::string, uint64_t>> m_references;
};

/// Text with braces: C and its dialects, PTX, JSON, Relay.
std::unique_ptr<StructureScanner> makeBraceScanner(const Language& language, CodeStructure& out);
/// One instruction per line: host code, SASS, SPIR-V, listings of virtual machines.
std::unique_ptr<StructureScanner> makeLineScanner(const Language& language, CodeStructure& out);

bool isCodeNameByte(char c);
/// Without blanks at both ends.
std::string_view trimmed(std::string_view text);

} // namespace blobscope::syntax
