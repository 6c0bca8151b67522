#include "core/syntax/disassembler.h"

#include <atomic>

namespace blobscope::syntax {
namespace {

// Set by a program once; everything else is passed as a value.
std::atomic<DisassemblerFactory> g_factory = nullptr;
std::atomic<SassDisassembler> g_sass = nullptr;

} // namespace

void setDisassemblerFactory(DisassemblerFactory factory) { g_factory = factory; }

bool hasDisassemblerFactory() { return g_factory.load() != nullptr; }

std::unique_ptr<Disassembler> makeDisassembler(std::string_view arch, unsigned bits) {
  const DisassemblerFactory factory = g_factory;
  return factory ? factory(arch, bits) : nullptr;
}

void setSassDisassembler(SassDisassembler disassembler) { g_sass = disassembler; }

SassDisassembler sassDisassembler() { return g_sass; }

std::optional<uint64_t> firstReadOnlyLoad(Disassembler& disassembler, const Bytes& code, uint64_t address,
                                          const std::function<bool(uint64_t)>& isReadOnly, Monitor& monitor) {
  const auto loads = disassembler.addressLoads(code, address, {}, monitor);
  if (!loads) return std::nullopt;
  for (const AddressLoad& load : *loads)
    if (isReadOnly(load.address)) return load.address;
  return std::nullopt;
}

} // namespace blobscope::syntax
