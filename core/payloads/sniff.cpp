#include "core/payloads/sniff.h"

#include "core/base/text.h"

#include <algorithm>

namespace blobscope::payloads {
namespace {

std::string_view sniffElf(std::string_view head) {
  if (head.size() < 20) return "elf";
  const bool little = head[5] == 1;
  const auto low = static_cast<unsigned char>(head[little ? 18 : 19]);
  const auto high = static_cast<unsigned char>(head[little ? 19 : 18]);
  // e_machine of the ELF registry: 190 EM_CUDA, 224 EM_AMDGPU, 164 EM_QDSP6.
  switch (high << 8 | low) {
  case 190: return "cubin";
  case 224: return "hsaco";
  case 164: return "hexagon-elf";
  default: return "elf";
  }
}

bool looksLikeText(std::string_view head, bool continued) {
  // A head that is not the whole content may end inside a character.
  bool utf8 = false;
  for (std::size_t cut = 0; cut < (continued ? 4 : 1) && cut < head.size() && !utf8; ++cut)
    utf8 = isUtf8(head.substr(0, head.size() - cut));
  return utf8 && std::all_of(head.begin(), head.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte >= 0x20 ? byte != 0x7f : c == '\n' || c == '\r' || c == '\t' || c == '\f';
         });
}

/// PTX starts with comments and blank lines before its first directive, `.version` (PTX ISA, "PTX Module Directives").
bool looksLikePtx(std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = head.substr(0, end);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos) {
      if (line.substr(first).starts_with(".version")) return true;
      if (!line.substr(first).starts_with("//")) return false;
    }
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return false;
}

} // namespace

std::string_view sniff(const Bytes& bytes) {
  const std::string_view head = bytes.view().substr(0, 4096);
  if (head.starts_with("\x50\xed\x55\xba")) return "fatbin";
  if (head.starts_with("\x7f\x45\x4c\x46")) return sniffElf(head);
  if (head.starts_with("\x03\x02\x23\x07")) return "spirv";
  if (head.starts_with("MTLB")) return "metallib";
  // Bundles of clang: compressed with a header of version 1 to 3, or plain.
  if (head.starts_with("CCOB") && head.size() > 5 && head[4] >= 1 && head[4] <= 3 && head[5] == 0) return "bundle";
  if (head.starts_with("__CLANG_OFFLOAD_BUNDLE__")) return "bundle";
  if (head.starts_with("BC\xc0\xde") || head.starts_with("\xde\xc0\x17\x0b")) return "llvm-bitcode";
  if (head.empty() || !looksLikeText(head, bytes.size() > head.size())) return {};
  if (looksLikePtx(head)) return "ptx";
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (head[first] == '{' || head[first] == '[')) return "json";
  return "text";
}

bool isText(std::string_view content) { return content == "ptx" || content == "json" || content == "text"; }

} // namespace blobscope::payloads
