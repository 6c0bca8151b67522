#pragma once

#include "core/syntax/disassembler.h"

/// The disassemblers of LLVM: blobscope::disasm, a separate optional library.
namespace blobscope::disasm {

/// A syntax::DisassemblerFactory: x86_64, i386, aarch64, aarch64_be, arm, thumb, riscv32, riscv64, hexagon; x86 in
/// Intel syntax. Null for every other name, and for those that this build's LLVM lacks. Any thread.
std::unique_ptr<syntax::Disassembler> makeDisassembler(std::string_view arch, unsigned bits);

} // namespace blobscope::disasm
