#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// Texts as people read them: line starts and the kinds of words.
namespace blobscope::syntax {

enum class TokenKind : uint8_t { Plain, Keyword, Type, Number, String, Comment, Register, Label };

/// Bytes `[begin, begin + size)` of a line.
struct Token {
  uint32_t begin;
  uint32_t size;
  TokenKind kind;
  friend bool operator==(const Token&, const Token&) = default;
};

/// What is open at the start of a line.
enum class LineState : uint8_t {
  Code,
  BlockComment, ///< after "/*"
  LineComment   ///< the previous line was a "//" comment and ended with a backslash
};

/// The tables that define a language. The word lists are sorted.
struct Language {
  std::string_view name;
  std::span<const std::string_view> keywords = {};
  std::span<const std::string_view> types = {};
  std::span<const std::string_view> registers = {}; ///< predefined names, such as threadIdx
  std::span<const std::string_view> opcodes = {};   ///< begin a statement, with suffixes, as in ld.param.u64
  bool comments = false;                            ///< "//" and "/*" begin comments
  bool preprocessor = false;                        ///< "#word" at the start of a line
  bool assembly = false;                            ///< PTX: .directives, %registers, labels
  bool semicolonComments = false;                   ///< ";" begins a comment
  bool variables = false;                           ///< Relay: %name is a variable, @name a function
  bool keys = false;                                ///< JSON: a string before ":" is a key
};

/// The language named "c", "ptx", "opencl", "cuda", "metal", "wgsl", "spirv", "sass", "vm" (listings of the virtual
/// machines), "asm" (host code), "relay" or "json"; one without any tokens for every other name.
const Language& language(std::string_view name);

/// Longest part of a line that is split into tokens; the rest is plain.
constexpr std::size_t kLexedBytes = 65'536;

/// Splits a line, passed without its end, into tokens: in order, without overlaps; bytes outside tokens are plain.
/// `out` is cleared first. Returns the state at the start of the next line. Every sequence of bytes is a line: text
/// that the language does not know is plain, and strings end with the line.
LineState lexLine(const Language& language, std::string_view line, LineState before, std::vector<Token>& out);

} // namespace blobscope::syntax
