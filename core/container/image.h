#pragma once

#include "core/base/budget.h"
#include "core/base/bytes.h"
#include "core/base/diagnostic.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::container {

/// The outermost format of a file or member.
enum class Format { Elf, Pe, Coff, MachO, Universal, Wasm, Ar, Tar, Zip, CSource, Raw };
/// "elf", the word of the command line.
std::string_view formatName(Format format);
/// "ELF", "Mach-O": for people.
std::string_view formatTitle(Format format);

/// What a container is for.
enum class Kind { Shared, Object, Executable, Core, Other, Archive, Text, Module };
std::string_view kindName(Kind kind);

/// A named part of the file as the linker sees it.
struct Section {
  std::string_view name; ///< points into the mapping
  uint64_t address = 0;
  Extent file;           ///< empty when the section occupies no bytes of the file
  uint64_t size = 0;     ///< in memory
  std::string_view type; ///< "PROGBITS", a literal; "other" when it has no name
  bool allocated = false;
  bool writable = false;
  bool executable = false;
};

/// A part of the file as the loader sees it.
struct Segment {
  uint64_t address = 0;
  uint64_t memorySize = 0;
  Extent file;
  bool writable = false;
  bool executable = false;
};

enum class SymbolType : uint8_t { None, Object, Function, Section, File, Tls, Other };
std::string_view symbolTypeName(SymbolType type);
enum class Binding : uint8_t { Local, Global, Weak, Other };
std::string_view bindingName(Binding binding);

/// One entry of a symbol table.
struct Symbol {
  static constexpr uint32_t kNoSection = UINT32_MAX;
  std::string_view name; ///< as stored, any bytes; points into the mapping
  uint64_t value = 0;    ///< address; in an object file the offset in its section
  uint64_t size = 0;     ///< 0 when the format or the entry has none
  /// Index in Image::sections as the entry states it: that of a damaged file may exceed them.
  uint32_t section = kNoSection;
  SymbolType type = SymbolType::None;
  Binding binding = Binding::Local;
  bool defined = false;
  bool absolute = false; ///< the value is a number, not a place
  bool dynamic = false;  ///< from the table that the loader uses
  bool common = false;   ///< a variable for which the linker makes one place, however many objects define it
};

/// A file inside an archive, or a slice of a universal file.
struct Member {
  enum class Type : uint8_t { File, Slice, Folder, Link, AppleDouble, Other };
  std::string path; ///< as stored, any bytes; the architecture of a slice
  Type type = Type::File;
  Bytes bytes;      ///< of files and slices; their offsets count from the member's own first byte
  std::string note; ///< reason for missing bytes, target of a link, what an import library's member imports; or empty
};

/// Note of a member whose name is longer than limits::kMemberName: it is listed with the beginning of its name.
constexpr std::string_view kLongName = "its name is too long";
/// FILE-LIMIT for such a member.
Diagnostic longMemberName(std::string_view name);

/// The number of symbols that a reader of `file` may keep: limits::kSymbols, or what the budget of an unpacked file has
/// left.
uint64_t symbolLimit(const Bytes& file);

/// The content of a container file, without any meaning that TVM gives to it. Immutable once made; the views live as
/// long as `file`.
struct Image {
  Bytes file; ///< the whole container
  Format format = Format::Elf;
  Kind kind = Kind::Other;
  std::string arch; ///< LLVM's architecture name, empty when it has none
  unsigned bits = 64;
  bool bigEndian = false;
  bool underscores = false;  ///< C names are stored with one extra underscore in front (Mach-O, COFF for i386)
  std::string compression;   ///< "gzip", "zstd", or empty: the compression around the container
  uint64_t unpackedSize = 0; ///< bytes of the archive without that compression, as far as it was read; 0 without it
  std::vector<Section> sections;
  std::vector<Segment> segments;
  std::vector<Symbol> symbols; ///< the loader's table first, then the static one
  std::vector<Member> members; ///< of archives and universal files, in stored order
  std::vector<Diagnostic> diagnostics;
  std::shared_ptr<Charge> charge; ///< memory of the members, released with the last copy

  /// The symbol's name as it is in the source code.
  std::string_view plainName(const Symbol& symbol) const {
    return underscores && symbol.name.starts_with('_') ? symbol.name.substr(1) : symbol.name;
  }
  /// Bytes from `address` to the end of the segment's part of the file; nothing in an object file.
  std::optional<Bytes> findBytesAt(uint64_t address) const;
  /// Bytes from the symbol to the end of the section that contains it, or of the segment when no section does. Nothing
  /// when it is undefined, absolute, or at an address for which the file has no bytes.
  std::optional<Bytes> findBytesOf(const Symbol& symbol) const;
  /// The section that contains the symbol.
  const Section* findSectionOf(const Symbol& symbol) const;
};

} // namespace blobscope::container
