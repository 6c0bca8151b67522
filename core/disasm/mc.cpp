#include "core/disasm/mc.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <new>

// Only what decoding needs; llvm/Support/TargetSelect.h would refer to targets that this program does not link.
#define BLOBSCOPE_LLVM_TARGET(name)                                                                                    \
  extern "C" void LLVMInitialize##name##TargetInfo();                                                                  \
  extern "C" void LLVMInitialize##name##TargetMC();                                                                    \
  extern "C" void LLVMInitialize##name##Disassembler();
#include "core/disasm/targets.inc"
#undef BLOBSCOPE_LLVM_TARGET

namespace blobscope::disasm {
namespace {

using syntax::AddressLoad;
using syntax::DisassemblyOptions;
using syntax::Instruction;
using syntax::Operation;

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    // Without one, LLVM ends the process when malloc() fails. Source: llvm/Support/ErrorHandling.h.
    llvm::remove_bad_alloc_error_handler();
    llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { throw std::bad_alloc(); });
#define BLOBSCOPE_LLVM_TARGET(name)                                                                                    \
  LLVMInitialize##name##TargetInfo();                                                                                  \
  LLVMInitialize##name##TargetMC();                                                                                    \
  LLVMInitialize##name##Disassembler();
#include "core/disasm/targets.inc"
#undef BLOBSCOPE_LLVM_TARGET
  });
}

/// The features with which an architecture decodes the instructions of all its later processors: files do not say for
/// which processor they were made.
struct Architecture {
  std::string_view name; ///< container::Image::arch
  const char* triple;
  const char* processor;
  const char* features;
  uint32_t step; ///< bytes to skip when no instruction can be decoded
};
constexpr const char* kArm = "+neon,+fp-armv8,+fullfp16,+dotprod,+bf16,+i8mm,+crypto,+crc,+hwdiv,+hwdiv-arm,+mp,+dsp,"
                             "+trustzone,+virtualization";
constexpr const char* kRiscv = "+m,+a,+f,+d,+c,+v,+zfh,+zvfh,+zba,+zbb,+zbc,+zbs,+zicsr,+zifencei";
constexpr std::array<Architecture, 9> kArchitectures = {{
    {"x86_64", "x86_64-unknown-unknown", "", "", 1},
    {"i386", "i386-unknown-unknown", "", "", 1},
    {"aarch64", "aarch64-unknown-unknown", "", "+all", 4},
    {"aarch64_be", "aarch64_be-unknown-unknown", "", "+all", 4},
    {"arm", "armv8a-unknown-unknown", "", kArm, 4},
    {"thumb", "thumbv8a-unknown-unknown", "", kArm, 2},
    {"riscv32", "riscv32-unknown-unknown", "", kRiscv, 2},
    {"riscv64", "riscv64-unknown-unknown", "", kRiscv, 2},
    {"hexagon", "hexagon-unknown-unknown", "hexagonv73", "+hvxv73,+hvx-length128b", 4},
}};

/// Makes one line: several lines of a printer (the packets of Hexagon) are separated by semicolons, and blanks are
/// single.
std::string oneLine(std::string_view text) {
  std::string line;
  bool blank = false, newLine = false;
  for (const char c : text) {
    if (c == '\n' || c == '\t' || c == ' ') {
      blank = true;
      newLine = newLine || c == '\n';
      continue;
    }
    if (!line.empty() && newLine && line.back() != '{' && c != '}') line += " ;";
    if (!line.empty() && blank) line += ' ';
    blank = newLine = false;
    line += c;
  }
  return line;
}

std::string byteText(std::string_view bytes) {
  std::string text = ".byte";
  for (std::size_t i = 0; i < bytes.size(); ++i) text += (i == 0 ? " 0x" : ", 0x") + hexDigits(bytes.substr(i, 1));
  return text;
}

class McDisassembler final : public syntax::Disassembler {
public:
  static std::unique_ptr<McDisassembler> make(const Architecture& architecture) {
    std::unique_ptr<McDisassembler> made(new McDisassembler(architecture));
    return made->create() ? std::move(made) : nullptr;
  }

  Result<std::vector<Instruction>> disassemble(const Bytes& code, uint64_t address, const DisassemblyOptions& options,
                                               Monitor& monitor) override {
    std::vector<Instruction> out;
    const auto visit = [&](const llvm::MCInst* inst, std::string_view bytes, uint64_t at) {
      out.push_back(inst ? described(*inst, bytes, at)
                         : Instruction{at, static_cast<uint32_t>(bytes.size()), byteText(bytes), {}, {}, false});
    };
    BLOBSCOPE_CHECK(decode(code, address, options, monitor, visit));
    return out;
  }

  Operation decode(std::string_view code, uint64_t address) override {
    llvm::MCInst inst;
    const uint64_t size = decodeOne(code.substr(0, kWindow), address, inst);
    Operation out;
    if (size == 0) return out;
    out.size = static_cast<uint32_t>(size);
    addPlaces(inst, code.substr(0, size), address, out);
    if (m_numbers.empty()) return out;
    const llvm::MCInstrDesc& description = m_instructions->get(inst.getOpcode());
    const auto write = [&](llvm::MCRegister changed) {
      if (const int number = m_numbers[changed.id()]; number >= 0) out.written |= uint32_t{1} << number;
    };
    for (unsigned i = 0; i < description.getNumDefs() && i < inst.getNumOperands(); ++i)
      if (inst.getOperand(i).isReg()) write(inst.getOperand(i).getReg());
    for (const llvm::MCPhysReg changed : description.implicit_defs()) write(changed);
    return out;
  }

  Result<std::vector<AddressLoad>> addressLoads(const Bytes& code, uint64_t address, const DisassemblyOptions& options,
                                                Monitor& monitor) override {
    std::vector<AddressLoad> out;
    std::array<std::optional<uint64_t>, 32> pages; // the values of registers that adrp has set
    const auto visit = [&](const llvm::MCInst* inst, std::string_view bytes, uint64_t at) {
      if (!inst) return;
      if (m_architecture.name == "x86_64") x86Load(bytes, at, out);
      if (m_architecture.name == "aarch64") aarch64Load(*inst, bytes, at, pages, out);
    };
    BLOBSCOPE_CHECK(decode(code, address, options, monitor, visit));
    return out;
  }

private:
  explicit McDisassembler(const Architecture& architecture)
      : m_architecture(architecture), m_triple(architecture.triple) {}

  bool create() {
    initializeTargets();
    std::string reason;
    const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(m_architecture.triple, reason);
    if (!target) return false;
    m_registers.reset(target->createMCRegInfo(m_architecture.triple));
    if (!m_registers) return false;
    m_asmInfo.reset(target->createMCAsmInfo(*m_registers, m_architecture.triple, m_targetOptions));
    m_instructions.reset(target->createMCInstrInfo());
    m_subtarget.reset(
        target->createMCSubtargetInfo(m_architecture.triple, m_architecture.processor, m_architecture.features));
    if (!m_asmInfo || !m_instructions || !m_subtarget) return false;
    m_context = std::make_unique<llvm::MCContext>(m_triple, m_asmInfo.get(), m_registers.get(), m_subtarget.get());
    m_disassembler.reset(target->createMCDisassembler(*m_subtarget, *m_context));
    m_analysis.reset(target->createMCInstrAnalysis(m_instructions.get()));
    const unsigned variant = m_triple.isX86() ? 1 : m_asmInfo->getAssemblerDialect(); // 1: Intel syntax
    m_printer.reset(target->createMCInstPrinter(m_triple, variant, *m_asmInfo, *m_instructions, *m_registers));
    if (!m_disassembler || !m_printer) return false;
    numberRegisters();
    m_printer->setPrintImmHex(true);
    m_printer->setPrintBranchImmAsAddress(true);
    return true;
  }

  /// No instruction or packet is longer; a window keeps the target's own arithmetic within small bounds.
  static constexpr std::size_t kWindow = 64;

  /// The size of the first instruction, 0 when there is none.
  uint64_t decodeOne(std::string_view window, uint64_t address, llvm::MCInst& inst) const {
    const llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t*>(window.data()), window.size());
    uint64_t size = 0;
    const auto status = m_disassembler->getInstruction(inst, size, bytes, address, llvm::nulls());
    return status != llvm::MCDisassembler::Fail && size <= window.size() ? size : 0;
  }

  /// Gives each general register, and the registers that are parts of it, its number in the encoding.
  void numberRegisters() {
    constexpr std::array<std::string_view, 16> kX86 = {"RAX", "RCX", "RDX", "RBX", "RSP", "RBP", "RSI", "RDI",
                                                       "R8",  "R9",  "R10", "R11", "R12", "R13", "R14", "R15"};
    std::map<std::string, int8_t, std::less<>> numbers;
    if (m_architecture.name == "x86_64") {
      for (std::size_t i = 0; i < kX86.size(); ++i) numbers.emplace(kX86[i], static_cast<int8_t>(i));
    } else if (m_architecture.name == "aarch64") {
      for (int8_t i = 0; i < 29; ++i) numbers.emplace("X" + std::to_string(i), i);
      numbers.emplace("FP", int8_t{29});
      numbers.emplace("LR", int8_t{30});
    } else {
      return;
    }
    m_numbers.assign(m_registers->getNumRegs(), -1);
    for (unsigned id = 1; id < m_registers->getNumRegs(); ++id)
      if (const auto found = numbers.find(std::string_view(m_registers->getName(id))); found != numbers.end())
        for (const llvm::MCPhysReg part : m_registers->subregs_inclusive(id)) m_numbers[part] = found->second;
  }

  /// Calls `visit(instruction or null, its bytes, its address)` for everything that `options` allow.
  template <class Visit>
  Result<Done> decode(const Bytes& code, uint64_t address, const DisassemblyOptions& options, Monitor& monitor,
                      Visit&& visit) {
    longWork("disasm::decode");
    const std::string_view all = code.view();
    uint64_t count = 0;
    for (uint64_t at = 0; at < all.size() && count < options.maxInstructions; ++count) {
      if (count % 4096 == 0) {
        if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
        monitor.progress("disassembling", at, all.size());
      }
      const std::string_view window = all.substr(at, kWindow);
      llvm::MCInst inst;
      uint64_t size = decodeOne(window, address + at, inst);
      const bool known = size != 0;
      if (!known) size = std::min<uint64_t>(m_architecture.step, window.size());
      visit(known ? &inst : nullptr, window.substr(0, size), address + at);
      at += size;
    }
    return Done{};
  }

  Instruction described(const llvm::MCInst& inst, std::string_view bytes, uint64_t at) {
    Instruction out{at, static_cast<uint32_t>(bytes.size()), {}, {}, {}, true};
    std::string text;
    llvm::raw_string_ostream stream(text);
    // The x86 printer counts from the end of the instruction, the others from its start.
    m_printer->printInst(&inst, m_triple.isX86() ? at + bytes.size() : at, "", *m_subtarget, stream);
    out.text = oneLine(text);
    // A packet: flags, then its instructions.
    if (m_architecture.name == "hexagon") out.text = "{ " + out.text + " }";
    addPlaces(inst, bytes, at, out);
    return out;
  }

  /// Sets `target` and `memory` of an Instruction or an Operation.
  template <class Out> void addPlaces(const llvm::MCInst& inst, std::string_view bytes, uint64_t at, Out& out) const {
    if (!m_analysis) return;
    uint64_t place = 0;
    if (m_architecture.name == "hexagon") {
      for (const llvm::MCOperand& part : inst)
        if (part.isInst() && m_analysis->evaluateBranch(*part.getInst(), at, bytes.size(), place))
          out.target = masked(place);
    } else if (m_analysis->evaluateBranch(inst, at, bytes.size(), place)) {
      // AArch64 also returns a target for adr, adrp and literal loads.
      (m_analysis->isBranch(inst) || m_analysis->isCall(inst) ? out.target : out.memory) = masked(place);
    } else if (const auto memory =
                   m_analysis->evaluateMemoryOperandAddress(inst, m_subtarget.get(), at, bytes.size())) {
      out.memory = masked(*memory);
    } else {
      out.memory = x86Address(bytes, at);
    }
  }

  uint64_t masked(uint64_t address) const { return m_triple.isArch64Bit() ? address : address & UINT32_MAX; }

  /// lea reg64, [rip + x]: REX.W, 8d, ModRM with mod 0 and rm 5. Source: Intel SDM 2A, 2.2.1.6.
  std::optional<uint64_t> x86Address(std::string_view bytes, uint64_t at) const {
    const auto byte = [&](std::size_t i) { return static_cast<uint8_t>(bytes[i]); };
    if (m_architecture.name != "x86_64" || bytes.size() != 7) return std::nullopt;
    if ((byte(0) & 0xf8) != 0x48 || byte(1) != 0x8d || (byte(2) & 0xc7) != 0x05) return std::nullopt;
    uint32_t offset = 0;
    for (std::size_t i = 7; i-- > 3;) offset = offset << 8 | byte(i);
    return at + 7 + static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(offset)));
  }

  void x86Load(std::string_view bytes, uint64_t at, std::vector<AddressLoad>& out) const {
    if (const auto address = x86Address(bytes, at)) out.push_back({at, *address});
  }

  /// Source: Arm ARM DDI 0487, C6.2: ADR, ADRP, ADD (immediate).
  void aarch64Load(const llvm::MCInst& inst, std::string_view bytes, uint64_t at,
                   std::array<std::optional<uint64_t>, 32>& pages, std::vector<AddressLoad>& out) const {
    uint32_t word = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) word = word << 8 | static_cast<uint8_t>(bytes[i]);
    const uint32_t target = word & 31, source = word >> 5 & 31;
    if ((word & 0x1f000000) == 0x10000000) {
      const uint64_t raw = (word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3);
      const uint64_t offset = raw & 0x100000 ? raw | ~uint64_t{0x1fffff} : raw;
      const bool page = word >> 31 != 0;
      pages[target].reset();
      if (page)
        pages[target] = (at & ~uint64_t{0xfff}) + (offset << 12);
      else
        out.push_back({at, at + offset});
      return;
    }
    if ((word & 0xff800000) == 0x91000000 && pages[source]) {
      const uint64_t offset = (word >> 10 & 0xfff) << (word & 0x400000 ? 12 : 0);
      out.push_back({at, *pages[source] + offset});
      if (target == source) pages[target].reset();
      return;
    }
    // A call preserves only x19 – x28; any other instruction may write the register that it names first.
    const llvm::MCInstrDesc& description = m_instructions->get(inst.getOpcode());
    if (description.isCall())
      for (std::size_t i = 0; i < 19; ++i) pages[i].reset();
    else if (description.getNumDefs() > 0)
      pages[target].reset();
  }

  const Architecture& m_architecture;
  llvm::Triple m_triple;
  std::vector<int8_t> m_numbers; ///< of general registers, by LLVM's number; -1 for others; may be empty
  llvm::MCTargetOptions m_targetOptions;
  std::unique_ptr<const llvm::MCRegisterInfo> m_registers;
  std::unique_ptr<const llvm::MCAsmInfo> m_asmInfo;
  std::unique_ptr<const llvm::MCInstrInfo> m_instructions;
  std::unique_ptr<const llvm::MCSubtargetInfo> m_subtarget;
  std::unique_ptr<llvm::MCContext> m_context;
  std::unique_ptr<const llvm::MCDisassembler> m_disassembler;
  std::unique_ptr<const llvm::MCInstrAnalysis> m_analysis;
  std::unique_ptr<llvm::MCInstPrinter> m_printer;
};

} // namespace

std::unique_ptr<syntax::Disassembler> makeDisassembler(std::string_view arch, unsigned) {
  for (const Architecture& known : kArchitectures)
    if (known.name == arch) return McDisassembler::make(known);
  return nullptr;
}

} // namespace blobscope::disasm
