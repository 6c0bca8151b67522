#include "core/diff/kernel_listing.h"

#include "core/syntax/disassembler.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace blobscope::diff {
namespace {

/// Limits for all cubins of a comparison: a disassembler takes about 0.1 s for a cubin and 1 s for a megabyte.
constexpr uint64_t kCubinBytes = uint64_t{4} << 20, kCubinCalls = 32;

/// Cuts a listing into the sections ".text.NAME".
std::map<std::string, Bytes, std::less<>> cutListing(const Bytes& listing) {
  std::map<std::string, Bytes, std::less<>> out;
  const std::string_view text = listing.view();
  std::string name;
  std::size_t from = 0;
  const auto end = [&](std::size_t at) {
    if (!name.empty()) out.try_emplace(name, listing.slice(from, at - from));
    name.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find('\n', at), text.size() - 1) + 1;
    std::string_view line = text.substr(at, next - at);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with("//-----")) {
      end(at);
    } else if (line.starts_with(".section")) {
      end(at);
      line.remove_prefix(std::string_view(".section").size());
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      line = line.substr(0, line.find_first_of(",\n"));
      if (line.starts_with(".text.")) {
        name = line.substr(6);
        from = at;
      }
    }
    at = next;
  }
  end(text.size());
  return out;
}

} // namespace

Result<std::optional<Bytes>> KernelListings::sassOf(const Bytes& cubin, const std::string& kernel, Monitor& monitor) {
  BLOBSCOPE_TRY(kernels, kernelsOf(cubin, monitor));
  if (!kernels) return std::optional<Bytes>();
  const auto found = kernels->find(kernel);
  return found == kernels->end() ? std::optional<Bytes>() : std::optional(found->second);
}

Result<std::shared_ptr<const KernelListings::Kernels>> KernelListings::kernelsOf(const Bytes& cubin, Monitor& monitor) {
  using Listed = std::shared_ptr<const Kernels>;
  const std::pair<const void*, uint64_t> key(cubin.data(), cubin.size());
  if (const auto known = m_cubins.find(key); known != m_cubins.end()) return known->second;
  const syntax::SassDisassembler disassemble = syntax::sassDisassembler();
  if (!disassemble || m_missing) return Listed();
  if (m_calls >= kCubinCalls || m_bytes + cubin.size() > kCubinBytes) {
    m_note = "the machine code of some kernels was only compared byte by byte, because there is too much of it";
    return Listed();
  }
  ++m_calls;
  m_bytes += cubin.size();
  auto text = disassemble(cubin, {}, monitor);
  Listed& out = m_cubins[key];
  if (text) {
    out = std::make_shared<const Kernels>(cutListing(Bytes::copyOf(*text)));
    return out;
  }
  if (text.error().code() == ErrorCode::Cancelled) return text.takeError();
  m_missing = text.error().id() == DiagnosticId::ToolMissing;
  m_note = m_missing ? "the machine code of kernels was only compared byte by byte, because nvdisasm was not found"
                     : "the machine code of some kernels was only compared byte by byte: " + text.error().message();
  return out;
}

std::string KernelListings::takeNote() { return std::exchange(m_note, {}); }

} // namespace blobscope::diff
