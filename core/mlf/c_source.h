#pragma once

#include "core/base/bytes.h"
#include "core/base/monitor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Facts from generated C, read without parsing it fully. Source: core/formats/model-library-format.md 7, 15; checked
/// there with all 35 real archives.
namespace blobscope::mlf {

/// A word of the source and its line, counted from 1. Points into the text.
struct CName {
  std::string_view text;
  uint64_t line = 0;
};

/// A function that is defined or declared outside of all other functions.
struct CFunction {
  std::string_view name;
  uint64_t line = 0;
  bool cLinkage = true; ///< false: a C++ function without extern "C", whose symbol is mangled
};

/// `#define NAME value`; function-like macros are not included.
struct CMacro {
  std::string_view name;
  std::string_view value; ///< trimmed; may be empty
  uint64_t line = 0;

  /// Returns the value as written if it is an integer: signed or not, decimal or hexadecimal, in brackets or with a
  /// suffix.
  std::optional<std::string> number() const;
};

struct CStruct {
  std::string_view name;
  uint64_t line = 0;
  std::vector<std::string_view> fields;
};

/// `static uint8_t …workspace[size];`
struct CWorkspace {
  std::string_view name;
  uint64_t size = 0;
  uint64_t line = 0;
};

/// The table in which the C runtime looks up functions; section 7.3.
struct CRegistry {
  std::string text;             ///< the string as the compiler stores it, without the final NUL
  std::vector<CName> functions; ///< of _tvm_func_array
  uint64_t line = 0;
};

/// At most limits::kListItems of each kind. Valid as long as the text.
struct CSource {
  std::vector<CFunction> definitions; ///< except static and inline ones
  std::vector<CFunction> declarations;
  std::vector<CName> includes; ///< file names, without "" or <>
  std::vector<CName> targets;  ///< the text after "// tvm target: ", to the end of the line
  std::vector<CMacro> macros;
  std::vector<CStruct> structs;
  std::vector<CWorkspace> workspaces;
  std::vector<std::string_view> linkedParameters; ///< NAME of every array __tvm_param__NAME
  std::optional<CRegistry> registry;

  bool defines(std::string_view function) const;
  bool declares(std::string_view function) const;
  const CStruct* findStruct(std::string_view name) const;
};

/// Reads C, or C++ if `cPlusPlus`: the parts between #ifdef __cplusplus and #endif count only for C++, the parts that
/// #if 0 excludes never, and for other conditions both branches count. Every sequence of bytes is accepted. If the
/// monitor requests a stop, what was found until then is returned.
CSource scanC(std::string_view text, bool cPlusPlus, Monitor& monitor);

} // namespace blobscope::mlf
