#include "core/xref/relations.h"

#include "core/base/text.h"

namespace blobscope::xref {
namespace {

constexpr std::string_view kCode = "found in its code", kName = "by name";

std::string timesText(uint64_t times) { return times == 1 ? std::string() : groupedText(times) + " times"; }

std::string kernelText(const Kernel& kernel) {
  std::string out = kernel.moduleKey + ": " + kernel.arguments;
  if (!kernel.launch.empty()) out += "; " + kernel.launch;
  if (!kernel.resources.empty()) out += "; " + kernel.resources;
  return out;
}

} // namespace

std::string argumentsOf(const host::Signature& signature) {
  if (signature.source == host::Signature::Source::None) return "–";
  return escapedWithin(signature.text().substr(signature.function.size()), kCellBytes);
}

const host::Signature* RelatedNode::signature() const {
  if (m_host) return &m_all.hosts[*m_host].signature;
  return m_caller ? &m_all.callers[*m_caller].signature : nullptr;
}

std::vector<Relation> RelatedNode::relations() const {
  std::vector<Relation> out;
  if (m_host)
    addHost(out);
  else if (m_kernel)
    addKernel(out);
  else if (m_caller)
    addCaller(out);
  return out;
}

void RelatedNode::addHost(std::vector<Relation>& out) const {
  const HostFunction& function = m_all.hosts[*m_host];
  for (const uint32_t caller : function.calledBy) out.push_back(calledBy(caller, *m_host));
  for (const Link& link : function.launches)
    out.push_back({"launches", m_all.kernels[link.index].name, kernelText(m_all.kernels[link.index]),
                   basisText(link.basis), m_all.kernels[link.index].ref});
  if (function.bytes) out.push_back({"bytes", function.bytes->shown(), "machine code", kCode, function.bytes});
}

void RelatedNode::addKernel(std::vector<Relation>& out) const {
  const Kernel& kernel = m_all.kernels[*m_kernel];
  for (const Link& link : kernel.launchedBy) {
    const HostFunction& function = m_all.hosts[link.index];
    out.push_back({"launched by", function.signature.function, argumentsOf(function.signature), basisText(link.basis),
                   function.ref});
    for (const uint32_t caller : function.calledBy) out.push_back(calledBy(caller, link.index));
  }
  if (kernel.bytes) out.push_back({"bytes", kernel.bytes->shown(), kernel.resources, kCode, kernel.bytes});
}

void RelatedNode::addCaller(std::vector<Relation>& out) const {
  const Caller& caller = m_all.callers[*m_caller];
  for (const uint32_t other : caller.calledBy)
    out.push_back({"called by", m_all.callers[other].name, std::string(m_all.callers[other].kind), kCode,
                   m_all.callers[other].ref});
  if (caller.compiledAs)
    out.push_back({"compiled as", m_all.hosts[*caller.compiledAs].signature.function, "host function", kName,
                   m_all.hosts[*caller.compiledAs].ref});
  for (const Caller::Call& call : caller.calls) {
    Relation relation{"calls", call.name, timesText(call.times), {}, {}};
    if (call.host) {
      relation.target = m_all.hosts[*call.host].ref;
      relation.known = kName;
      relation.detail += (relation.detail.empty() ? "" : ", ") + argumentsOf(m_all.hosts[*call.host].signature);
    } else if (call.caller) {
      relation.target = m_all.callers[*call.caller].ref;
      relation.known = kCode;
    } else {
      relation.detail += std::string(relation.detail.empty() ? "" : ", ") + "not in this file";
    }
    out.push_back(std::move(relation));
  }
}

Relation RelatedNode::calledBy(uint32_t index, uint32_t host) const {
  const Caller& caller = m_all.callers[index];
  uint64_t times = 0;
  for (const Caller::Call& call : caller.calls)
    if (call.host == host) times += call.times;
  const std::string count = caller.compiledAs == host ? "its code" : timesText(times);
  return {"called by", caller.name, std::string(caller.kind) + (count.empty() ? "" : ", " + count), kName, caller.ref};
}

} // namespace blobscope::xref
