#pragma once

#include "core/base/monitor.h"
#include "core/base/ref.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// What happens when files are linked into one program, from their symbols alone. Facts: core/formats/linking.md.
namespace blobscope::library {

/// A system library of TVM: its functions and modules are not found in a file but registered, under a prefix, by code
/// that runs when the program starts.
struct SystemLibrary {
  std::string prefix; ///< any bytes; may be empty
  Ref ref;            ///< of the symbol that has the prefix
  bool hasBlob = false;
  bool registers = false; ///< the file has start-up code, and calls the function that registers symbols
};
/// The system libraries of one file, by its symbols; members of archives are not included. Each prefix is listed once.
/// A library that only imports the function for registering, without a symbol that has a prefix, has the empty prefix.
/// WebAssembly modules have none: they contain the runtime, and do not import that function. Error: only Cancelled.
Result<std::vector<SystemLibrary>> computeSystemLibraries(const Package& package, Monitor& monitor);

/// Something that keeps files from being linked into one program, or makes the program use something else than it seems
/// to.
struct LinkConflict {
  enum class Kind : uint8_t {
    Duplicate, ///< the linker reports each of the names
    IfTaken,   ///< so it does when it takes both members; it takes a member of an archive when a name of it is needed
    Unused,    ///< members of archives with no other names than these: the linker never takes the later ones, except
               ///< with --whole-archive, when it reports each of the names
    Shadowed,  ///< shared libraries: the program uses those of the first one
    Prefix,    ///< system libraries with the same prefix
    Machine    ///< code for different machines, or in different formats
  };
  /// One of the files, or a member of one.
  struct Place {
    std::size_t file = 0; ///< number in the list of files
    Ref ref;              ///< the member; of the file itself, Ref::file()
  };
  Kind kind = Kind::Duplicate;
  /// Whether one of the members registers a system library: then all members are needed, because the linker takes none
  /// of them for its names.
  bool registers = false;
  std::vector<std::string> names; ///< sorted; of Prefix: the prefix; of Machine: "ELF for x86_64", one per place
  uint64_t count = 0;             ///< of all names; `names` has at most kNames of them
  std::vector<Place> places;      ///< at least two, in the order of linking; at most kPlaces
  uint64_t placeCount = 0;

  static constexpr std::size_t kNames = 10'000, kPlaces = 1'000;
};

/// Compares the definitions of all objects in `files`, in the order in which a linker would be given them: object
/// files, members of archives, C sources that TVM wrote. Members of .tar archives are always linked, as TVM's loader
/// does it. Definitions with equal names do not conflict when they are weak, common, or in COMDAT groups of one name.
/// Bitcode is not read. One conflict per set of places; of one file, its members; of several files, the files. Error:
/// only Cancelled.
Result<std::vector<LinkConflict>> computeLinkConflicts(std::span<const PackagePtr> files, Monitor& monitor);

} // namespace blobscope::library
