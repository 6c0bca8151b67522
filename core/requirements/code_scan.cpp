#include "core/requirements/code_scan.h"

#include "core/container/number_at.h"

#include <array>
#include <optional>

namespace blobscope::requirements {
namespace {

using Kind = CodeReference::Kind;
using Visit = std::function<void(const CodeReference&)>;

constexpr uint64_t kStep = uint64_t{1} << 20;

bool mustStop(Monitor& monitor, uint64_t done, uint64_t total) {
  if (done % kStep != 0) return false;
  monitor.progress("reading host code", done, total);
  return monitor.stopRequested();
}

uint64_t plus(uint64_t base, int64_t offset) { return base + static_cast<uint64_t>(offset); }

/// The first bytes of the x86-64 instructions that scanX86() reads, after REX.
constexpr std::array<bool, 256> kOpcodes = [] {
  std::array<bool, 256> out{};
  for (const unsigned first : {0x89, 0x8b, 0x8d, 0xe8, 0xe9, 0xff}) out[first] = true;
  for (unsigned first = 0xb8; first <= 0xbf; ++first) out[first] = true;
  return out;
}();

Result<Done> scanX86(bool windows, std::string_view code, uint64_t address, const Visit& visit, Monitor& monitor) {
  const unsigned second = windows ? 2 : 6; // rdx, rsi
  const unsigned argument = 0xc0 | second; // ModRM of a move to it
  struct Loaded {
    uint64_t at = 0, target = 0;
  };
  std::array<Loaded, 16> loaded;  // by register
  constexpr uint64_t kMoved = 32; // bytes of code between computing the address and moving it
  const auto byte = [&](uint64_t at) { return static_cast<uint8_t>(code[at]); };
  const auto relative = [&](uint64_t at) { // the four bytes at `at` end the instruction
    const auto offset = container::numberAt<int32_t>(code, at);
    return plus(address + at + 4, offset);
  };
  for (uint64_t i = 0; i < code.size(); ++i) {
    if (mustStop(monitor, i, code.size())) return Error(DiagnosticId::Cancelled, {});
    const uint8_t first = byte(i);
    if (!kOpcodes[first]) continue; // nearly all bytes
    const uint64_t left = code.size() - i;
    if ((first == 0xe8 || first == 0xe9) && left >= 5) {
      visit({first == 0xe8 ? Kind::Call : Kind::Jump, address + i, relative(i + 1)});
    } else if (first == 0xff && left >= 2) {
      const unsigned operation = byte(i + 1) >> 3 & 7; // 2: call, 4: jmp
      if (operation != 2 && operation != 4) continue;
      if ((byte(i + 1) & 0xc7) == 5 && left >= 6) visit({Kind::Read, address + i, relative(i + 2)});
      visit({Kind::Indirect, address + i, 0});
    } else if ((first == 0x8b || first == 0x8d) && left >= 6 && (byte(i + 1) & 0xc7) == 5) {
      const bool wide = i > 0 && (byte(i - 1) & 0xf8) == 0x48; // REX.W
      if (!wide) continue;
      const unsigned target = (byte(i + 1) >> 3 & 7) | (byte(i - 1) & 4) << 1;
      const Kind computed = target == second ? Kind::Name : Kind::Address;
      if (first == 0x8d) loaded[target] = {address + i, relative(i + 2)};
      visit({first == 0x8b ? Kind::Read : computed, address + i - 1, relative(i + 2)});
    } else if (first >= 0xb8 && first <= 0xbf) {
      const bool wide = left >= 9 && i > 0 && (byte(i - 1) & 0xfe) == 0x48; // REX.W
      if (wide) visit({Kind::Constant, address + i - 1, container::numberAt<uint64_t>(code, i + 1)});
    } else if (first == 0x89 && left >= 2 && i > 0 && (byte(i - 1) & 0xfb) == 0x48 &&
               (byte(i + 1) & 0xc7) == argument) {
      // mov rsi, reg: compilers without optimisation compute the address in another register.
      const Loaded& from = loaded[(byte(i + 1) >> 3 & 7) | (byte(i - 1) & 4) << 1];
      if (from.at != 0 && address + i - from.at <= kMoved) visit({Kind::Name, address + i - 1, from.target});
    }
  }
  return Done{};
}

class Aarch64 {
public:
  Aarch64(std::string_view code, uint64_t address, const Visit& visit)
      : m_code(code), m_address(address), m_visit(visit) {}

  Result<Done> scan(Monitor& monitor) {
    for (uint64_t i = 0; i + 4 <= m_code.size(); i += 4) {
      if (mustStop(monitor, i, m_code.size())) return Error(DiagnosticId::Cancelled, {});
      step(m_address + i, container::numberAt<uint32_t>(m_code, i));
    }
    return Done{};
  }

private:
  static int64_t extended(uint64_t value, unsigned bits) {
    return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
  }

  void step(uint64_t at, uint32_t word) {
    const uint32_t target = word & 31, source = word >> 5 & 31;
    const auto computed = [&](uint64_t value) { m_visit({target == 1 ? Kind::Name : Kind::Address, at, value}); };
    if ((word & 0x1f000000) == 0x10000000) { // ADR, ADRP
      const int64_t offset = extended((word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3), 21);
      const bool page = word >> 31 != 0;
      const uint64_t value = page ? plus(at & ~uint64_t{0xfff}, offset * 4096) : plus(at, offset);
      m_values[target] = value;
      if (!page) computed(value);
    } else if ((word & 0xff800000) == 0x91000000) { // ADD (immediate)
      const auto page = m_values[source];
      m_values[target].reset();
      if (page) {
        m_values[target] = *page + ((word >> 10 & 0xfff) << (word & 0x400000 ? 12 : 0));
        computed(*m_values[target]);
      }
    } else if ((word & 0xffc00000) == 0xf9400000) { // LDR (immediate), 64 bits
      if (const auto page = m_values[source]) m_visit({Kind::Read, at, *page + (word >> 10 & 0xfff) * 8});
      m_values[target].reset();
    } else if ((word & 0xff000000) == 0x58000000) { // LDR (literal), 64 bits
      m_visit({Kind::Read, at, plus(at, extended(word >> 5 & 0x7ffff, 19) * 4)});
      m_values[target].reset();
    } else if ((word & 0x7c000000) == 0x14000000) { // B, BL
      const bool call = word >> 31 != 0;
      m_visit({call ? Kind::Call : Kind::Jump, at, plus(at, extended(word & 0x3ffffff, 26) * 4)});
      if (call) forget();
    } else if ((word & 0xffdffc1f) == 0xd61f0000 || (word & 0xfffffc1f) == 0xd63f0000) { // BR, BLR
      m_visit({Kind::Indirect, at, 0});
      forget();
    } else if ((word & 0xffe0ffff) == 0xaa0003e1) { // MOV to X1
      const auto value = m_values[word >> 16 & 31];
      if (value) m_visit({Kind::Name, at, *value});
      m_values[target] = value;
    } else if ((word >> 26 & 7) == 4 || (word >> 25 & 7) == 5 ||
               ((word >> 27 & 1) && !(word >> 25 & 1) && (word >> 22 & 1))) {
      m_values[target].reset(); // arithmetic and loads write the register that they name first
    }
  }

  /// A call preserves only x19 – x28.
  void forget() {
    for (std::size_t i = 0; i < 19; ++i) m_values[i].reset();
  }

  std::string_view m_code;
  uint64_t m_address;
  const Visit& m_visit;
  std::array<std::optional<uint64_t>, 32>
      m_values; ///< values of registers that were computed from the address of the code
};

} // namespace

bool canScan(std::string_view arch) { return arch == "x86_64" || arch == "aarch64"; }

Result<Done> scanCode(std::string_view arch, bool windows, const Bytes& code, uint64_t address, const Visit& visit,
                      Monitor& monitor) {
  if (arch == "x86_64") return scanX86(windows, code.view(), address, visit, monitor);
  if (arch == "aarch64") return Aarch64(code.view(), address, visit).scan(monitor);
  return Done{};
}

} // namespace blobscope::requirements
