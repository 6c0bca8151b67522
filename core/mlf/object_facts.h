#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::mlf {

/// What is known about a `.o` file of the archive. Source: core/formats/model-library-format.md 15.
struct ObjectFacts {
  enum class Kind {
    Object,  ///< relocatable: everything below is known
    Other,   ///< something else; `why` describes it
    Unknown, ///< a format that is not read; it may define anything
  };
  Kind kind = Kind::Unknown;
  std::string why;    ///< "empty", "LLVM bitcode", "a shared library"
  std::string format; ///< "ELF", "COFF", "Mach-O"
  std::string arch;   ///< LLVM's name of the machine; empty if it has none
  unsigned bits = 0;
  bool bigEndian = false;
  bool complete = false; ///< no symbol was omitted because of damage

  struct Function {
    std::string name;
    bool weak = false; ///< several files may define it: weak, or in a COMDAT section
  };
  std::vector<Function> functions;           ///< global, defined; in the order of the symbol table
  std::vector<std::string> data;             ///< global variables, defined
  std::vector<std::string> linkedParameters; ///< NAME of every symbol __tvm_param__NAME, including local ones

  bool defines(std::string_view name) const;
  /// Returns "ELF for x86_64, 64 bit, little endian".
  std::string text() const;
};

/// Reads headers, sections and symbols.
ObjectFacts readObjectFacts(const Bytes& file, Monitor& monitor);

} // namespace blobscope::mlf
