#pragma once

#include "core/base/ref.h"
#include "core/xref/functions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::xref {

/// Bytes of one signature or of a relation's detail in a cell.
inline constexpr std::size_t kCellBytes = 4'096;

/// One relation of a node to another.
struct Relation {
  std::string_view what; ///< "called by", a literal
  std::string name, detail;
  std::string_view known; ///< "by name", a literal; empty when nothing of that name is in the file
  std::optional<Ref> target;
};

/// What a ref stands for among the functions, and what it is related to. `functions` has to outlive it.
class RelatedNode {
public:
  RelatedNode(const Functions& functions, const Ref& ref)
      : m_all(functions), m_host(functions.findHost(ref)), m_kernel(functions.findKernel(ref)),
        m_caller(functions.findCaller(ref)) {}

  /// Null for kernels and for what is no function.
  const host::Signature* signature() const;
  /// What a function of a virtual machine gives back, as the texts write it; may be empty.
  std::string result() const { return m_caller ? m_all.callers[*m_caller].result : std::string(); }
  /// Callers first, then what it calls or launches, then its bytes.
  std::vector<Relation> relations() const;

private:
  void addHost(std::vector<Relation>& out) const;
  void addKernel(std::vector<Relation>& out) const;
  void addCaller(std::vector<Relation>& out) const;
  Relation calledBy(uint32_t index, uint32_t host) const;

  const Functions& m_all;
  std::optional<uint32_t> m_host, m_kernel, m_caller;
};

/// "(A: Tensor([n], float32), n: int32)"; "–" when nothing tells it.
std::string argumentsOf(const host::Signature& signature);

} // namespace blobscope::xref
