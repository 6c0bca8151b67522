#pragma once

#include "core/base/ref.h"
#include "core/xref/functions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::xref {

/// The longest signature or detail of a relation in a cell, in bytes.
inline constexpr std::size_t kCellBytes = 4'096;

/// One relation of a node to another.
struct Relation {
  std::string_view what; ///< "called by", a literal
  std::string name, detail;
  std::string_view known; ///< "by name", a literal; empty when the file has nothing with that name
  std::optional<Ref> target;
};

/// The function that a ref names, with its relations. `functions` must outlive it.
class RelatedNode {
public:
  RelatedNode(const Functions& functions, const Ref& ref)
      : m_all(functions), m_host(functions.findHost(ref)), m_kernel(functions.findKernel(ref)),
        m_caller(functions.findCaller(ref)) {}

  /// Null for kernels and for nodes that are not functions.
  const host::Signature* signature() const;
  /// The result type of a function of a virtual machine, as the texts state it; may be empty.
  std::string result() const { return m_caller ? m_all.callers[*m_caller].result : std::string(); }
  /// Returns callers first, then what the function calls or launches, then its bytes.
  std::vector<Relation> relations() const;

private:
  void addHost(std::vector<Relation>& out) const;
  void addKernel(std::vector<Relation>& out) const;
  void addCaller(std::vector<Relation>& out) const;
  Relation calledBy(uint32_t index, uint32_t host) const;

  const Functions& m_all;
  std::optional<uint32_t> m_host, m_kernel, m_caller;
};

/// Returns "(A: Tensor([n], float32), n: int32)"; "–" when the arguments are unknown.
std::string argumentsOf(const host::Signature& signature);

} // namespace blobscope::xref
