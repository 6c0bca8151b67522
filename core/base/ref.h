#pragma once

#include "core/base/extent.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope {

/// What a step below a module names.
enum class PartKind : uint8_t { Kernel, Function, Entry, Const, Param, Section, Field };
/// The word of the notation for a part: "kernel", "const".
std::string_view partWord(PartKind kind);
/// The word for people: "kernel", "constant", "tensor" for Param, "image" for Entry.
std::string_view partText(PartKind kind);

/// Names a node or bytes of an opened file: links, bookmarks, `--at`, the place of a diagnostic, "ref" in JSON.
/// The notation, with percent-encoding of `! @ + : = / %` and of bytes below 0x21 or above 0x7e in names:
///
///     REF  = { MEMBER "!" } [ NODE ] [ "@" OFFSET [ "+" SIZE ] ]
///     NODE = [ PREFIX ":" ] ( "blob" | "imports" | "m" N { "/" PART } )
///          | "host:" NAME | "symbol:" NAME | "section:" NAME | "member:" PATH
///          | "param:" NAME                         a tensor of a params file
///          | "image:" N { "/" PART }               a device image of the file, in order of place
///     PART = "kernel:" NAME | "function:" NAME | "entry:" N | "const:" N | "param:" NAME | "section:" NAME
///          | "field:" PATH
struct Ref {
  enum class Kind { File, Blob, Imports, Module, Host, Symbol, Section, Member, Param, Image };
  /// One step below a module; `name` is decoded.
  struct Part {
    PartKind kind = PartKind::Kernel;
    std::string name;
    friend bool operator==(const Part&, const Part&) = default;
  };

  std::vector<std::string> members; ///< archive members or fat slices, outermost first, decoded
  Kind kind = Kind::File;
  std::string prefix;         ///< system-lib prefix of the blob (Blob, Imports, Module)
  uint32_t module = 0;        ///< record number (Module), number of the image (Image)
  std::vector<Part> parts;    ///< below the module or image, outermost first
  std::string name;           ///< decoded NAME or PATH (Host, Symbol, Section, Member, Param)
  std::optional<uint64_t> at; ///< offset from the start of the (member) file
  std::optional<uint64_t> size;

  /// The canonical spelling; `parse(toString())` gives an equal Ref.
  std::string toString() const;
  /// The same text for people: each name, and the whole text, is cut as escaped() cuts it. `parse` need not accept it.
  std::string shown() const;
  /// Nothing when `text` does not follow the notation.
  static std::optional<Ref> parse(std::string_view text);

  static Ref file() { return {}; }
  static Ref bytesAt(uint64_t offset, std::optional<uint64_t> count = std::nullopt) {
    Ref ref;
    ref.at = offset;
    ref.size = count;
    return ref;
  }
  static Ref named(Kind what, std::string_view text) {
    Ref ref;
    ref.kind = what;
    ref.name = text;
    return ref;
  }
  static Ref blob(std::string_view systemLib) {
    Ref ref;
    ref.kind = Kind::Blob;
    ref.prefix = systemLib;
    return ref;
  }
  static Ref moduleAt(std::string_view systemLib, uint32_t index) {
    Ref ref;
    ref.kind = Kind::Module;
    ref.prefix = systemLib;
    ref.module = index;
    return ref;
  }
  Ref part(PartKind what, std::string_view text) const {
    Ref ref = *this;
    ref.parts.push_back({what, std::string(text)});
    return ref;
  }
  /// The kind of the innermost part, nothing for a node that is not in a module.
  std::optional<PartKind> partKind() const { return parts.empty() ? std::nullopt : std::optional(parts.back().kind); }
  Ref withBytes(uint64_t offset, std::optional<uint64_t> count = std::nullopt) const {
    Ref ref = *this;
    ref.at = offset;
    ref.size = count;
    return ref;
  }
  /// The node without the bytes in it.
  Ref node() const {
    Ref ref = *this;
    ref.at.reset();
    ref.size.reset();
    return ref;
  }
  friend bool operator==(const Ref&, const Ref&) = default;
};

} // namespace blobscope
