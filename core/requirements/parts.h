#pragma once

#include "core/requirements/elf_facts.h"
#include "core/requirements/import_facts.h"
#include "core/requirements/requirements.h"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

/// The units of requirementsOf(). Each fills the fields that it names; `packages` are the opened file and everything
/// in it, outer ones first. Errors: only Cancelled.
namespace blobscope::requirements {

/// The longest name that is kept: names in a file can have any length.
inline constexpr std::size_t kNameBytes = 4'096;
/// The maximum of entries of each list; damaged tables can list millions.
inline constexpr std::size_t kEntries = 100'000;

inline std::string nameOf(std::string_view stored) { return std::string(stored.substr(0, kNameBytes)); }

using Packages = std::vector<library::PackagePtr>;

/// Names that modules and host code of the file define.
class DefinedNames {
public:
  void add(std::string_view name) { m_names.emplace(nameOf(name)); }
  void addPrefix(std::string_view prefix) { m_prefixes.emplace(nameOf(prefix)); }
  /// Whether a lookup finds `name`. In a system library, names may begin with its prefix, in the file or in the lookup.
  bool has(const std::string& name) const;
  /// Without duplicates, sorted.
  std::vector<std::string> sorted() const;

private:
  std::unordered_set<std::string> m_names, m_prefixes;
};

/// definedFunctions.
Result<DefinedNames> addDefined(const Packages& packages, Requirements& out, Monitor& monitor);
/// carriers, modules, executables, functions of virtual machines and graphs, deviceApis, era.
Result<Done> addModules(const Packages& packages, const DefinedNames& defined, Requirements& out, Monitor& monitor);
/// calls.
Result<Done> addCalls(const Packages& packages, const DefinedNames& defined, Requirements& out, Monitor& monitor);
/// What one file requests from the system's loader.
struct LoaderFacts {
  ElfFacts elf;
  ImportFacts imports; ///< of PE, Mach-O and WebAssembly
};
/// One per package.
Result<std::vector<LoaderFacts>> readLoaderFacts(const Packages& packages, Monitor& monitor);
/// What the system's loader needs: binary, bits, system, cpu, libraries, runPaths, versions, symbols, damage, code that
/// it runs, and sources.
Result<Done> addSymbols(const Packages& packages, const std::vector<LoaderFacts>& facts, Requirements& out,
                        Monitor& monitor);
/// slots with their callers, functions of host code.
Result<Done> addHostCode(const Packages& packages, const std::vector<LoaderFacts>& facts, const DefinedNames& defined,
                         Requirements& out, Monitor& monitor);
/// kernels, code, images.
Result<Done> addDeviceCode(const Packages& packages, Requirements& out, Monitor& monitor);
/// The same for one module; `ref` names it.
Result<Done> addDeviceCode(const library::Module& module, const Ref& ref, Requirements& out, Monitor& monitor);

/// imageUses, imageFunctions; after addDeviceCode().
Result<Done> addImageUses(const Packages& packages, const std::vector<LoaderFacts>& facts, Requirements& out,
                          Monitor& monitor);

} // namespace blobscope::requirements
