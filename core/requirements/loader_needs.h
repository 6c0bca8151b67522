#pragma once

#include "core/base/ref.h"

#include <cstdint>
#include <string>

/// What a library asks the loader of the system for, besides other libraries.
namespace blobscope::requirements {

/// A symbol that the library does not define.
struct NeededSymbol {
  enum class Provider : uint8_t { TvmRuntime, TvmFfi, CLibrary, CxxLibrary, Cuda, CuteDsl, Other, Rocm };
  std::string name;
  std::string version; ///< "GLIBC_2.28"; empty when it has none
  Provider provider = Provider::Other;
  bool weak = false;
  bool data = false; ///< a data reference, or the library is bound at once: it is needed when the file is loaded
  Ref ref;
  std::string versionLibrary = {}; ///< the library that must have that version: "libm.so.6"
  bool used = true;                ///< false: no relocation refers to it, so the loader never looks for it
  uint64_t order = 0;              ///< of `data`: the number of its first relocation
  std::string importModule = {};   ///< of WebAssembly: the module from which it is imported
  uint64_t importNumber = 0;       ///< of WebAssembly: its number among all imports
};

/// A call of a function of another library by code that the system's loader runs.
struct StartUpCall {
  std::string symbol;
  std::string function; ///< which the loader calls: "__hip_module_ctor", "DT_INIT_ARRAY[1]"
  enum class When : uint8_t {
    Relocating, ///< a resolver of a function (IFUNC)
    Starting,   ///< a constructor or DT_INIT
    Ending      ///< a destructor or DT_FINI, when the library is closed or the process ends
  };
  When when = When::Starting;
  bool certain = false; ///< no path through the code avoids the call
  bool early = false;   ///< of a resolver: the loader has not yet relocated calls of that kind
};

/// A version of symbols that a library must have when the file is loaded.
struct NeededVersion {
  std::string library, name; ///< "libm.so.6", "GLIBC_2.27"
  std::string symbol;        ///< the first one with that version; empty when no symbol has it
};

} // namespace blobscope::requirements
