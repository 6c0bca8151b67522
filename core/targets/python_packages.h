#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"

#include <compare>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::targets {

/// What a Python package says it must be installed with.
struct PackageRequirement {
  std::string name;       ///< "apache-tvm-ffi", normalized
  std::string specifiers; ///< "<0.1.13,>=0.1.11"; empty for any version
};

/// A Python package that is installed, by its folder *.dist-info.
struct PythonPackage {
  std::string name;    ///< "apache-tvm", normalized: lower case, with hyphens
  std::string version; ///< "0.27.0.post1"
  /// Those that hold everywhere: without the ones for extras, and for some systems or versions of Python.
  std::vector<PackageRequirement> requirements = {};
};

/// The packages in a folder `site-packages`, sorted by name. Damaged descriptions are left out. Error: Cancelled.
Result<std::vector<PythonPackage>> readPackages(const std::filesystem::path& folder, Monitor& monitor);
/// One of them by its normalized name; null when it is not installed.
const PythonPackage* findPackage(const std::vector<PythonPackage>& packages, std::string_view name);

/// The order of two versions; nothing when one of them is not a version. Source: packaging.python.org, "Version
/// specifiers" (PEP 440). Local parts ("+cu130") are ignored.
std::optional<std::strong_ordering> comparePythonVersions(std::string_view a, std::string_view b);
/// Whether the version satisfies "<0.1.13,>=0.1.11"; nothing when one of them cannot be read.
std::optional<bool> satisfies(std::string_view version, std::string_view specifiers);

/// Two installed packages that exclude each other.
struct PackageConflict {
  PythonPackage package;          ///< which has the requirement
  PackageRequirement requirement; ///< that is not met
  std::string installed;          ///< the version of the other package
  /// "tilelang 0.1.15 asks for apache-tvm-ffi <0.1.13,>=0.1.11, and 0.1.15.post2 is installed".
  std::string sentence() const;
};
std::vector<PackageConflict> findConflicts(const std::vector<PythonPackage>& packages);

} // namespace blobscope::targets
