#include "core/safety/pieces.h"

#include "core/base/text.h"
#include "core/safety/import_groups.h"
#include "core/safety/known_code.h"
#include "core/safety/wasm_code.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

namespace blobscope::safety {
namespace {

constexpr std::size_t kReached = 256;     // maximum of different imports of a piece that are kept
constexpr uint64_t kAllCalls = 1'000'000; // that are followed for all pieces together; each follows shared code anew
constexpr std::size_t kKept = 64;         // maximum of reasons, indirect calls, system calls

/// Names of imports that run a table of functions: _initterm(first, last).
bool runsTable(std::string_view name) { return name == "_initterm" || name == "_initterm_e"; }
/// Functions that load code by a name, and the argument that is the name.
std::optional<unsigned> nameArgument(std::string_view name) {
  if (name == "dlopen" || name == "dlmopen" || name.starts_with("LoadLibrary")) return name == "dlmopen" ? 1 : 0;
  if (name == "dlsym" || name == "dlvsym" || name == "GetProcAddress") return 1;
  return std::nullopt;
}

/// Follows one piece of code.
class Walk {
public:
  /// `left`: how many calls may be followed.
  Walk(const AddressSpace& space, CodeReader& reader, Piece& piece, std::vector<EntryPoint>& more, uint64_t& left,
       Monitor& monitor)
      : m_space(space), m_reader(reader), m_piece(piece), m_more(more), m_left(left), m_monitor(monitor) {}

  Result<Done> follow(const EntryPoint& entry) {
    if (!entry.unreadable.empty()) incomplete(entry.unreadable);
    if (!entry.import.empty()) {
      CodeCall call;
      call.import = entry.import;
      call.kind = CodeCall::Kind::Import;
      reach(call, {}, false);
      return finish();
    }
    if (entry.address != 0) m_work.push_back({entry.address, {entry.address}});
    m_seen.insert(entry.address);
    while (!m_work.empty()) {
      const Step step = std::move(m_work.front());
      m_work.pop_front();
      if (m_piece.functions.size() >= kFunctions) {
        incomplete("it reaches more than " + std::to_string(kFunctions) + " functions");
        break;
      }
      if (m_left == 0) {
        incomplete("the file has more than " + groupedText(kAllCalls) + " calls to follow");
        break;
      }
      if (m_monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      BLOBSCOPE_CHECK(readOne(step));
    }
    return finish();
  }

private:
  struct Step {
    uint64_t address = 0;
    std::vector<uint64_t> path;
    bool fromKnown = true; ///< all functions that lead here are known
  };

  Result<Done> readOne(const Step& step) {
    BLOBSCOPE_TRY(code, m_reader.read(step.address, m_monitor));
    ReachedFunction function{step.address, {}, {}};
    if (!code) {
      incomplete(m_reader.canRead() ? "there is no code at " + hexText(step.address) : whyNotRead());
      m_piece.functions.push_back(std::move(function));
      return Done{};
    }
    const KnownCode* const known = code->incomplete.empty() ? findKnownCode(code->digest) : nullptr;
    function.digest = code->digest;
    if (known) function.known = known->name;
    if (m_piece.functions.empty()) {
      m_piece.size = code->end - code->start;
      if (known) m_piece.known = std::string(known->name) + " of " + std::string(known->origin);
    }
    m_piece.functions.push_back(std::move(function));
    m_piece.instructions += code->instructions;
    m_piece.depth = std::max<uint64_t>(m_piece.depth, step.path.size());
    if (!code->incomplete.empty()) incomplete("at " + hexText(step.address) + " " + code->incomplete);
    for (const uint64_t at : code->systemCalls)
      if (m_piece.systemCalls.size() < kKept) m_piece.systemCalls.push_back(at);
    Step from = step;
    from.fromKnown = step.fromKnown && known;
    for (const CodeCall& call : code->calls) follow(call, from, known != nullptr);
    m_left -= std::min<uint64_t>(m_left, code->calls.size() + 1);
    return Done{};
  }
  std::string whyNotRead() const {
    return syntax::hasDisassemblerFactory()
               ? "code for " + (m_space.image().arch.empty() ? "this machine" : m_space.image().arch) + " is not read"
               : "this program has no disassembler";
  }

  void follow(const CodeCall& call, const Step& from, bool known) {
    switch (call.kind) {
    case CodeCall::Kind::Import:
      ++m_piece.calls;
      reach(call, from.path, known);
      break;
    case CodeCall::Kind::Indirect:
      ++m_piece.calls;
      // The run-time of compilers calls through the lists of functions, which are pieces of their own; other code may
      // use a part of it to call anything.
      if (!from.fromKnown && m_piece.indirect.size() < kKept) m_piece.indirect.push_back(call.at);
      break;
    case CodeCall::Kind::Function:
    case CodeCall::Kind::Address:
      if (call.kind == CodeCall::Kind::Function) ++m_piece.calls;
      if (!m_seen.insert(call.target).second) return;
      if (from.path.size() >= kDepth) {
        incomplete("its calls are nested deeper than " + std::to_string(kDepth));
        return;
      }
      // In data between functions there is no code.
      if (call.kind == CodeCall::Kind::Address && (!m_space.isStart(call.target) || isList(call.target))) return;
      m_work.push_back({call.target, from.path, from.fromKnown});
      m_work.back().path.push_back(call.target);
      break;
    }
  }

  /// Whether a list of constructors of mingw-w64 is there: it begins with -1, which is no instruction.
  bool isList(uint64_t address) const {
    const auto bytes = m_space.bytesAt(address);
    return bytes && bytes->view().starts_with("\xff\xff\xff\xff");
  }

  void reach(const CodeCall& call, const std::vector<uint64_t>& path, bool known) {
    if (runsTable(call.import)) {
      if (call.first && call.second && *call.first <= *call.second)
        for (EntryPoint& one :
             entriesInTable(m_space, Trigger::GlobalInitializer, call.import, *call.first, *call.second))
          m_more.push_back(std::move(one));
      else
        incomplete("the table that it passes to " + call.import + " is not a constant");
    }
    const auto number = nameArgument(call.import);
    const std::string_view caller = known ? "k" : "u";
    if (!number && m_names.contains(std::string(caller) + call.import)) return;
    Reached reached;
    reached.byKnown = known;
    reached.name = call.import;
    reached.group = groupOf(call.import);
    reached.at = call.at;
    reached.path = path;
    if (number) {
      const auto& name = *number == 0 ? call.first : call.second;
      if (name) reached.text = m_space.textAt(*name);
      reached.textAt = name;
      reached.computed = reached.text.empty();
    } else {
      for (const auto& argument : {call.first, call.second})
        if (argument && reached.text.empty() && !m_space.isCode(*argument)) {
          reached.text = m_space.textAt(*argument);
          if (!reached.text.empty()) reached.textAt = argument;
        }
    }
    // One per name, but a computed name is not hidden by a constant one, nor a call by other code by that of known
    // code.
    const bool isNew = m_names.insert(std::string(caller) + reached.name + (reached.computed ? "*" : "")).second;
    if (isNew && m_piece.reaches.size() < kReached) m_piece.reaches.push_back(std::move(reached));
  }

  void incomplete(std::string why) {
    if (m_piece.incomplete.size() < kKept && std::ranges::find(m_piece.incomplete, why) == m_piece.incomplete.end())
      m_piece.incomplete.push_back(std::move(why));
  }

  Done finish() {
    const bool all = !m_piece.functions.empty() && m_piece.incomplete.empty() &&
                     std::ranges::all_of(m_piece.functions, [](const auto& one) { return !one.known.empty(); });
    const bool acts = !m_piece.systemCalls.empty() || std::ranges::any_of(m_piece.reaches, [](const Reached& one) {
      return actsOn(one.group) && !one.byKnown;
    });
    if (!all) m_piece.known.clear();
    m_piece.verdict = all                                                      ? Verdict::Known
                      : acts                                                   ? Verdict::Acts
                      : m_piece.incomplete.empty() && m_piece.indirect.empty() ? Verdict::Contained
                                                                               : Verdict::Unknown;
    return {};
  }

  const AddressSpace& m_space;
  CodeReader& m_reader;
  Piece& m_piece;
  std::vector<EntryPoint>& m_more;
  uint64_t& m_left;
  Monitor& m_monitor;
  std::deque<Step> m_work;
  std::set<uint64_t> m_seen;
  std::set<std::string> m_names;
};

Ref refOf(const library::Package& package, const AddressSpace& space, const EntryPoint& entry, const Piece& piece) {
  if (!entry.import.empty()) return package.ref(Ref::named(Ref::Kind::Symbol, entry.import));
  if (package.image.format == container::Format::Wasm) return package.ref(Ref::bytesAt(entry.address));
  const auto offset = space.offsetOf(entry.address);
  return offset ? package.ref(Ref::bytesAt(*offset, piece.size)) : package.ref(Ref::file());
}

} // namespace

Result<Done> addPieces(const library::Package& package, const AddressSpace& space, CodeReader& reader, Report& report,
                       Monitor& monitor) {
  BLOBSCOPE_TRY(entries, entryPointsOf(space, monitor));
  std::set<std::pair<Trigger, uint64_t>> seen;
  const std::size_t before = report.pieces.size();
  uint64_t left = kAllCalls, leftOfWasm = kWasmInstructions;
  std::optional<container::wasm::Module> wasm;
  if (package.image.format == container::Format::Wasm) {
    auto module = container::wasm::readModule(package.image.file, monitor);
    if (!module) return module.error().code() == ErrorCode::Cancelled ? Result<Done>(module.takeError()) : Done{};
    wasm = std::move(*module);
  }
  for (std::size_t i = 0; i < entries.size() && report.pieces.size() - before < kEntryPoints; ++i) {
    const EntryPoint entry = entries[i];
    if (entry.import.empty() && entry.unreadable.empty() && !seen.insert({entry.trigger, entry.address}).second)
      continue;
    monitor.progress("following code that runs when the file is loaded", i, entries.size());
    Piece piece;
    piece.trigger = entry.trigger;
    piece.slot = entry.slot;
    piece.address = entry.address;
    piece.symbol = entry.import.empty() ? space.symbolAt(entry.address) : entry.import;
    std::vector<EntryPoint> more;
    if (wasm) {
      BLOBSCOPE_CHECK(followWasm(*wasm, entry, piece, leftOfWasm, monitor));
    } else {
      BLOBSCOPE_CHECK(Walk(space, reader, piece, more, left, monitor).follow(entry));
    }
    piece.ref = refOf(package, space, entry, piece);
    report.pieces.push_back(std::move(piece));
    for (EntryPoint& one : more)
      if (entries.size() < kEntryPoints) entries.push_back(std::move(one));
  }
  return Done{};
}

} // namespace blobscope::safety
