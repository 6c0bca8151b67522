#pragma once

#include "core/syntax/lexer.h"

#include <array>

/// The supported languages, one file each. For use by lexer.cpp only.
namespace blobscope::syntax {

extern const Language kC;
extern const Language kPtx;
extern const Language kOpencl;
extern const Language kCuda;
extern const Language kJson;
extern const Language kSpirv;
extern const Language kSass;
extern const Language kMetal;
extern const Language kWgsl;
extern const Language kVm;
extern const Language kAsm;
extern const Language kRelay;

/// Words of C that its dialects share.
constexpr std::array<std::string_view, 22> kCKeywords = {
    "break", "case",   "const",    "continue", "default", "do",     "else",   "enum",   "extern",  "for",   "goto",
    "if",    "inline", "restrict", "return",   "sizeof",  "static", "struct", "switch", "typedef", "union", "while"};

/// `a` and `b` in one sorted list.
template <std::size_t A, std::size_t B>
constexpr std::array<std::string_view, A + B> merged(const std::array<std::string_view, A>& a,
                                                     const std::array<std::string_view, B>& b) {
  std::array<std::string_view, A + B> out;
  std::size_t i = 0, j = 0;
  for (std::string_view& word : out) word = j == B || (i < A && a[i] < b[j]) ? a[i++] : b[j++];
  return out;
}

/// Whether the list is sorted, so that it can be searched by bisection.
template <std::size_t N> constexpr bool isSorted(const std::array<std::string_view, N>& words) {
  for (std::size_t i = 1; i < N; ++i)
    if (words[i - 1] >= words[i]) return false;
  return true;
}

} // namespace blobscope::syntax
