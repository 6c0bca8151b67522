#include "core/safety/wasm_code.h"

#include "core/base/text.h"
#include "core/container/wasm/wasm_module.h"
#include "core/safety/import_groups.h"

#include <algorithm>
#include <deque>
#include <set>

namespace blobscope::safety {
namespace {

namespace wasm = container::wasm;

constexpr std::size_t kWasmFunctions = 4'096;

/// The calls of one function's body.
class BodyReader {
public:
  BodyReader(std::string_view text, Extent body) : m_cursor(text, body) {}

  /// False when an instruction is not known, or there are more than `limit`; the calls before it are there.
  bool read(uint64_t limit) {
    const uint64_t groups = m_cursor.number();
    for (uint64_t i = 0; i < groups && m_cursor.ok(); ++i) {
      (void)m_cursor.number();
      (void)m_cursor.byte();
    }
    while (!m_cursor.atEnd()) {
      if (++instructions > limit) return false;
      if (!step(m_cursor.byte())) return false;
    }
    return m_cursor.ok();
  }

  std::vector<uint32_t> calls;
  bool indirect = false;
  uint64_t instructions = 0;

private:
  void skip(unsigned numbers) {
    for (unsigned i = 0; i < numbers; ++i) (void)m_cursor.number(64);
  }
  bool step(uint8_t code) {
    if (code == 0x10 || code == 0x12) { // call, return_call
      calls.push_back(static_cast<uint32_t>(m_cursor.number()));
    } else if (code == 0x11 || code == 0x13) { // call_indirect, return_call_indirect
      indirect = true;
      skip(2);
    } else if (code == 0x14 || code == 0x15) { // call_ref
      indirect = true;
      skip(1);
    } else if (code >= 0x02 && code <= 0x04) { // block, loop, if
      (void)m_cursor.signedNumber(64);
    } else if (code == 0x0e) { // br_table
      const uint64_t count = m_cursor.number();
      for (uint64_t i = 0; i <= count && m_cursor.ok(); ++i) skip(1);
    } else if (code == 0x1c) { // select with types
      const uint64_t count = m_cursor.number();
      for (uint64_t i = 0; i < count && m_cursor.ok(); ++i) skip(1);
    } else if (code == 0x41 || code == 0x42) { // i32.const, i64.const
      (void)m_cursor.signedNumber(64);
    } else if (code == 0x43 || code == 0x44) { // f32.const, f64.const
      (void)m_cursor.take(code == 0x43 ? 4 : 8);
    } else if (code >= 0x28 && code <= 0x3e) { // loads and stores
      skip(2);
    } else if (code == 0x0c || code == 0x0d || (code >= 0x20 && code <= 0x26) || code == 0x3f || code == 0x40 ||
               code == 0xd0 || code == 0xd2 || code == 0x07 || code == 0x08 || code == 0x09 || code == 0x18) {
      skip(1); // br, local.get, memory.size, ref.func, exceptions
    } else if (code == 0xfc) {
      return prefixed(m_cursor.number());
    } else if (code == 0xfd) {
      return vectors(m_cursor.number());
    } else if (code == 0xfe) { // atomics
      const uint64_t operation = m_cursor.number();
      skip(operation == 3 ? 1 : 2);
    } else {
      return code <= 0x1b || (code >= 0x45 && code <= 0xc4) || code == 0xd1;
    }
    return m_cursor.ok();
  }
  bool prefixed(uint64_t operation) {
    if (operation > 17) return false;
    constexpr unsigned kNumbers[] = {0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1};
    skip(kNumbers[operation]);
    return m_cursor.ok();
  }
  bool vectors(uint64_t operation) {
    if (operation <= 11 || operation == 92 || operation == 93) { // loads and stores
      skip(2);
    } else if (operation == 12 || operation == 13) { // v128.const, shuffle
      (void)m_cursor.take(16);
    } else if (operation >= 21 && operation <= 34) { // lanes
      (void)m_cursor.byte();
    } else if (operation >= 84 && operation <= 91) { // loads and stores of lanes
      skip(2);
      (void)m_cursor.byte();
    }
    return m_cursor.ok();
  }

  wasm::Cursor m_cursor;
};

} // namespace

Result<Done> followWasm(const wasm::Module& module, const EntryPoint& entry, Piece& piece, uint64_t& left,
                        Monitor& monitor) {
  std::vector<std::string_view> imports;
  for (const wasm::ImportEntry& one : module.imports)
    if (one.kind == wasm::Entity::Function) imports.push_back(one.field.substr(0, 4'096));
  std::set<std::string_view> names;
  const auto reach = [&](std::string_view name, uint64_t at) {
    if (names.insert(name).second)
      piece.reaches.push_back({std::string(name), groupOf(name), at, {}, {}, {}, false, false});
  };
  if (!entry.import.empty()) reach(entry.import, 0);
  if (!entry.unreadable.empty()) piece.incomplete.push_back(entry.unreadable);
  struct Step {
    uint32_t function = 0;
    uint64_t depth = 1;
  };
  std::deque<Step> work;
  std::set<uint32_t> seen;
  for (std::size_t i = 0; i < module.bodies.size() && entry.address != 0; ++i)
    if (module.bodies[i].offset == entry.address) {
      work.push_back({static_cast<uint32_t>(imports.size() + i)});
      piece.size = module.bodies[i].size;
    }
  for (const Step& step : work) seen.insert(step.function);
  bool indirect = false;
  while (!work.empty()) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    const auto [index, depth] = work.front();
    work.pop_front();
    if (index < imports.size() || index - imports.size() >= module.bodies.size()) continue;
    const Extent body = module.bodies[index - imports.size()];
    BodyReader reader(module.text(), body);
    const bool whole = reader.read(left);
    left -= std::min(left, reader.instructions);
    if (!whole) {
      indirect = true;
      if (piece.incomplete.size() < 64)
        piece.incomplete.push_back("the function at " + hexText(body.offset) + " cannot be read");
    }
    piece.functions.push_back({body.offset, {}, {}});
    piece.instructions += reader.instructions;
    piece.depth = depth;
    if (reader.indirect) {
      indirect = true;
      if (piece.indirect.size() < 64) piece.indirect.push_back(body.offset);
    }
    for (const uint32_t called : reader.calls) {
      ++piece.calls;
      if (called < imports.size())
        reach(imports[called], body.offset);
      else if (seen.insert(called).second)
        work.push_back({called, depth + 1});
    }
    if (piece.functions.size() >= kWasmFunctions || left == 0) {
      if (!work.empty()) piece.incomplete.push_back("it reaches more code than is read");
      indirect = indirect || !work.empty();
      break;
    }
  }
  if (indirect) // any function of the module, and so any import, may be called
    for (const std::string_view name : imports) reach(name, 0);
  const bool acts = std::ranges::any_of(piece.reaches, [](const Reached& one) {
    return actsOn(one.group) && !isOfRuntime(one.name, container::Format::Wasm);
  });
  piece.verdict = acts ? Verdict::Acts : Verdict::Contained;
  return Done{};
}

} // namespace blobscope::safety
