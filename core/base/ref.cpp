#include "core/base/ref.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace blobscope {
namespace {

constexpr std::string_view kReserved = "!@+:=/%";

/// Encodes a name in at most about `limit` bytes, with a note of the omitted length.
std::string encode(std::string_view name, bool keepSlash, std::size_t limit) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (out.size() >= limit) return out + "… (" + groupedText(name.size() - i) + " more bytes)";
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        byte >= 0x21 && byte <= 0x7e && (kReserved.find(c) == std::string_view::npos || (keepSlash && c == '/'));
    if (plain) {
      out += c;
    } else {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

std::optional<std::string> decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const auto [end, failure] = std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16);
    if (failure != std::errc{} || end != text.data() + i + 3) return std::nullopt;
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

struct NamedKind {
  std::string_view word;
  Ref::Kind kind;
};
constexpr std::array<NamedKind, 5> kNamedKinds = {{{"host", Ref::Kind::Host},
                                                   {"symbol", Ref::Kind::Symbol},
                                                   {"section", Ref::Kind::Section},
                                                   {"member", Ref::Kind::Member},
                                                   {"param", Ref::Kind::Param}}};

constexpr std::array<std::string_view, 7> kPartWords = {"kernel", "function", "entry", "const",
                                                        "param",  "section",  "field"};

std::optional<PartKind> findPartKind(std::string_view word) {
  const auto found = std::find(kPartWords.begin(), kPartWords.end(), word);
  if (found == kPartWords.end()) return std::nullopt;
  return static_cast<PartKind>(found - kPartWords.begin());
}

constexpr std::string_view kImageWord = "image";

/// Encodes the first letter of a prefix that is a word of the notation: "%68ost:blob".
std::string encodePrefix(std::string_view prefix, std::size_t limit) {
  bool isWord = prefix == kImageWord;
  for (const NamedKind& named : kNamedKinds) isWord = isWord || named.word == prefix;
  if (isWord) return "%" + hexDigits(prefix.substr(0, 1)) + std::string(prefix.substr(1));
  return encode(prefix, false, limit);
}

/// The parts before and after the first `separator`; the second part is empty and `found` false when there is none.
struct Split {
  std::string_view head, tail;
  bool found;
};
Split splitFirst(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}, false};
  return {text.substr(0, at), text.substr(at + 1), true};
}

/// Reads N of a module or image.
bool parseIndex(std::string_view text, uint32_t& index) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), index, 10);
  return !text.empty() && failure == std::errc{} && end == text.data() + text.size();
}

/// Reads the parts of a module or image: "kernel:NAME/field:PATH".
bool parseParts(std::string_view rest, bool more, Ref& ref) {
  while (more) {
    const Split step = splitFirst(rest, '/');
    const Split word = splitFirst(step.head, ':');
    const auto name = decode(word.tail);
    const auto kind = findPartKind(word.head);
    if (!word.found || !kind || !name) return false;
    ref.parts.push_back({*kind, *name});
    rest = step.tail;
    more = step.found;
  }
  return true;
}

bool parseModuleNode(std::string_view text, Ref& ref) {
  const Split head = splitFirst(text, '/');
  if (head.head == "blob" || head.head == "imports") {
    ref.kind = head.head == "blob" ? Ref::Kind::Blob : Ref::Kind::Imports;
    return !head.found;
  }
  if (head.head.empty() || head.head[0] != 'm' || !parseIndex(head.head.substr(1), ref.module)) return false;
  ref.kind = Ref::Kind::Module;
  return parseParts(head.tail, head.found, ref);
}

bool parseNode(std::string_view text, Ref& ref) {
  if (text.empty()) return true;
  for (const NamedKind& named : kNamedKinds) {
    if (text.size() <= named.word.size() || !text.starts_with(named.word) || text[named.word.size()] != ':') continue;
    const auto name = decode(text.substr(named.word.size() + 1));
    if (!name) return false;
    ref.kind = named.kind;
    ref.name = *name;
    return true;
  }
  const Split head = splitFirst(text, '/');
  const Split word = splitFirst(head.head, ':');
  if (word.head == kImageWord && parseIndex(word.tail, ref.module)) {
    ref.kind = Ref::Kind::Image;
    return parseParts(head.tail, head.found, ref);
  }
  // A prefix is encoded, so a colon before the first slash can only end the prefix.
  if (!word.found) return parseModuleNode(text, ref);
  const auto name = decode(word.head);
  if (!name) return false;
  ref.prefix = *name;
  return parseModuleNode(text.substr(word.head.size() + 1), ref);
}

} // namespace

namespace {

std::string spelling(const Ref& ref, std::size_t limit) {
  using Kind = Ref::Kind;
  std::string out;
  for (const std::string& member : ref.members) out += encode(member, true, limit) + "!";
  if (ref.kind == Kind::Blob || ref.kind == Kind::Imports || ref.kind == Kind::Module) {
    if (!ref.prefix.empty()) out += encodePrefix(ref.prefix, limit) + ":";
    if (ref.kind == Kind::Blob) out += "blob";
    if (ref.kind == Kind::Imports) out += "imports";
    if (ref.kind == Kind::Module) out += "m" + std::to_string(ref.module);
  }
  if (ref.kind == Kind::Image) out += std::string(kImageWord) + ":" + std::to_string(ref.module);
  if (ref.kind == Kind::Module || ref.kind == Kind::Image)
    for (const Ref::Part& part : ref.parts)
      out += "/" + std::string(partWord(part.kind)) + ":" + encode(part.name, false, limit);
  for (const NamedKind& named : kNamedKinds)
    if (named.kind == ref.kind)
      out += std::string(named.word) + ":" + encode(ref.name, ref.kind == Kind::Member, limit);
  if (ref.at) {
    out += "@" + hexText(*ref.at);
    if (ref.size) out += "+" + std::to_string(*ref.size);
  }
  return out;
}

} // namespace

std::string_view partWord(PartKind kind) { return kPartWords[static_cast<std::size_t>(kind)]; }

std::string_view partText(PartKind kind) {
  switch (kind) {
  case PartKind::Const: return "constant";
  case PartKind::Param: return "tensor";
  case PartKind::Entry: return "image";
  default: return partWord(kind);
  }
}

std::string Ref::toString() const { return spelling(*this, std::string::npos); }

std::string Ref::shown() const { return plainText(spelling(*this, kShownBytes), kMessageBytes); }

std::optional<Ref> Ref::parse(std::string_view text) {
  Ref ref;
  for (Split split = splitFirst(text, '!'); split.found; split = splitFirst(text, '!')) {
    const auto member = decode(split.head);
    if (!member || member->empty()) return std::nullopt;
    ref.members.push_back(*member);
    text = split.tail;
  }
  const Split bytes = splitFirst(text, '@');
  if (bytes.found) {
    const Split range = splitFirst(bytes.tail, '+');
    ref.at = parseNumber(range.head);
    if (!ref.at) return std::nullopt;
    if (range.found) {
      ref.size = parseNumber(range.tail);
      if (!ref.size) return std::nullopt;
    }
  }
  if (!parseNode(bytes.head, ref)) return std::nullopt;
  return ref;
}

} // namespace blobscope
