#pragma once

#include "core/library/node.h"
#include "core/modules/codec.h"

#include <memory>
#include <optional>

/// Shared by node.cpp and node_pages.cpp: what a Ref names, as pointers into the package.
namespace blobscope::library {

/// The parts of a package that a ref resolves to; null where it names none. Valid as long as the package.
struct Target {
  const Package* package = nullptr; ///< the member that holds it, or the file itself
  const Blob* blob = nullptr;
  const Module* module = nullptr;
  std::optional<modules::Kernel> kernel;
  std::optional<modules::PartContent> part;    ///< neither kernel nor field
  std::shared_ptr<const FieldTree> moduleTree; ///< of the module, when a part was looked up in it
  std::optional<uint32_t> fieldRow;
  const container::Symbol* symbol = nullptr;
  const container::Section* section = nullptr;
  const PackageMember* member = nullptr;
};

/// `package` is the file that the ref counts from. REF-NOT-FOUND with the reason, or why a part's bytes cannot be had.
/// Cancelled.
Result<Target> findTarget(const Package& package, const Ref& ref, Monitor& monitor);
/// The bytes and words of a target in its package. REF-NOT-FOUND when `ref` has a range outside the file.
Result<Node> nodeOf(const Package& package, const Ref& ref, const Target& target);

} // namespace blobscope::library
