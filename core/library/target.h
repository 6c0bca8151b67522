#pragma once

#include "core/library/node.h"
#include "core/modules/codec.h"

#include <memory>
#include <optional>

/// Resolves a Ref to pointers into the package; shared by node.cpp and node_pages.cpp.
namespace blobscope::library {

/// The parts of a package that a ref resolves to; null for parts that it does not name. Valid as long as the package.
struct Target {
  const Package* package = nullptr; ///< the member that contains it, or the file itself
  const Blob* blob = nullptr;
  const Module* module = nullptr;
  std::optional<modules::Kernel> kernel;
  std::optional<modules::PartContent> part;    ///< a part that is neither a kernel nor a field
  std::shared_ptr<const FieldTree> moduleTree; ///< of the module; set when a part was looked up in it
  std::optional<uint32_t> fieldRow;
  const container::Symbol* symbol = nullptr;
  const container::Section* section = nullptr;
  const PackageMember* member = nullptr;
};

/// Returns what `ref` names. `package` is the file to which the ref is relative. Errors: REF-NOT-FOUND with the reason,
/// the reason why a part's bytes cannot be read, Cancelled.
Result<Target> findTarget(const Package& package, const Ref& ref, Monitor& monitor);
/// Returns bytes, title and reasons of a target as a node. REF-NOT-FOUND when `ref` has a range outside the file.
Result<Node> nodeOf(const Package& package, const Ref& ref, const Target& target);

} // namespace blobscope::library
