#include "core/modules/vm_executable/model_facts.h"
#include "core/modules/vm_executable/relax.h"
#include "core/modules/vm_executable/relax_graph.h"
#include "core/modules/vm_executable/vm_executable.h"

#include "core/base/text.h"
#include "core/modules/common/host_parts.h"
#include "core/view/page_id.h"

#include <mutex>

namespace blobscope::modules {
namespace {

using namespace relax;

class RelaxBody;
using RelaxPtr = std::shared_ptr<const RelaxBody>;

/// What all layouts show. Pages keep the body alive.
class RelaxBody : public Body, public std::enable_shared_from_this<RelaxBody> {
public:
  virtual const Executable& executable() const = 0;
  std::vector<PartGroup> parts() const final;
  Result<PartContent> part(PartKind kind, std::size_t index, Monitor& monitor) const final;
  void pages(view::PageList& list) const final;
  /// A page that keeps the body alive.
  view::Page listingPage(view::Listing listing) const {
    return view::listingPage("Bytecode", std::move(listing), {shared_from_this(), &m_constants});
  }

  /// What each function needs to know of all others; made once, since a caller may ask for thousands of functions.
  struct FunctionIndex {
    std::vector<Signature> signatures; ///< by the number of the function
    std::vector<std::size_t> defined;  ///< numbers of the functions that are not packed
  };
  const FunctionIndex& functionIndex() const {
    std::call_once(m_functionsMade, [this] {
      m_functions.signatures = signaturesOf(executable());
      const auto& functions = executable().functions;
      for (std::size_t i = 0; i < functions.size(); ++i)
        if (functions[i].kind != Function::kPacked) m_functions.defined.push_back(i);
    });
    return m_functions;
  }

private:
  Result<view::Page> bytecode(Monitor& monitor) const;
  const ScopeNames& scopes() const {
    std::call_once(m_scopesMade, [this] { m_scopes.emplace(executable()); });
    return *m_scopes;
  }

  mutable std::once_flag m_scopesMade, m_functionsMade;
  mutable FunctionIndex m_functions;
  mutable std::optional<ScopeNames> m_scopes;
  const view::ListingConstants m_constants{
      [this](int64_t number, Monitor& monitor) { return constantIdentity(executable(), scopes(), number, monitor); }};
};

class FunctionTable final : public view::TableSource {
public:
  explicit FunctionTable(RelaxPtr body) : m_body(std::move(body)) {}
  std::vector<view::Column> columns() const override {
    return {{"name"}, {"number", true}, {"kind"}, {"instructions", true, true}, {"registers", true}, {"signature"}};
  }
  uint64_t rowCount() const override { return m_body->executable().functions.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    const Function& function = m_body->executable().functions[row];
    const bool vm = function.kind == Function::kVm;
    switch (column) {
    case 0: return escaped(function.name.view());
    case 1: return std::to_string(row);
    case 2: return std::string(function.kindText());
    case 3:
      return vm ? std::to_string(static_cast<uint64_t>(function.end) - static_cast<uint64_t>(function.start)) : "–";
    case 4: return function.kind == Function::kPacked ? "–" : std::to_string(function.registers);
    default: return function.kind == Function::kPacked ? "" : m_body->functionIndex().signatures[row].text();
    }
  }
  std::optional<Ref> target(uint64_t row, const Ref& node) const override {
    const Function& function = m_body->executable().functions[row];
    // A packed function is only named here; its code is elsewhere.
    if (function.kind == Function::kPacked) return std::nullopt;
    return node.part(PartKind::Function, function.name.view());
  }

private:
  RelaxPtr m_body;
};

class ConstantTable final : public view::TableSource {
public:
  explicit ConstantTable(RelaxPtr body) : m_body(std::move(body)), m_scopes(m_body->executable()) {}
  std::vector<view::Column> columns() const override {
    std::vector<view::Column> columns = {{"number", true}, {"kind"}, {"value"}, {"bytes", true, true}};
    if (!m_scopes.empty()) columns.push_back({"memory scope"});
    return columns;
  }
  uint64_t rowCount() const override { return m_body->executable().constants.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    const Constant& constant = m_body->executable().constants[row];
    switch (column) {
    case 0: return std::to_string(row);
    case 1: return std::string(constant.kindText());
    case 2: return constant.valueText(400);
    case 3: return std::to_string(sizeOf(constant));
    default: return std::string(m_scopes.of(static_cast<int64_t>(row)));
    }
  }
  std::optional<Ref> target(uint64_t row, const Ref& node) const override {
    return node.part(PartKind::Const, std::to_string(row));
  }

  static uint64_t sizeOf(const Constant& constant) {
    switch (constant.kind) {
    case ConstantKind::Tensor: return constant.tensor->data.size();
    case ConstantKind::DataType: return 4;
    case ConstantKind::Integer:
    case ConstantKind::Float: return 8;
    default: return constant.content.size();
    }
  }

private:
  RelaxPtr m_body;
  ScopeNames m_scopes;
};

std::vector<PartGroup> RelaxBody::parts() const {
  const Executable& vm = executable();
  const FieldTree tree = describeBody(*this, {});
  const auto rowsBelow = [&](std::string_view name) {
    // The list is below the length word of the classic stream, or at the top level.
    auto list = tree.find("executable." + std::string(name));
    return list ? list : tree.find(name);
  };
  PartGroup functions{PartKind::Function, "VM functions", "Functions", {}};
  auto row = rowsBelow("functions");
  uint32_t at = row.value_or(0) + 1;
  for (const Function& function : vm.functions) {
    if (function.kind != Function::kPacked)
      functions.parts.push_back(
          {std::string(function.name.view()), std::string(function.kindText()), std::nullopt, at});
    at = at < tree.rows.size() ? tree.rows[at].after : at;
  }
  PartGroup constants{PartKind::Const, "Constants", "Constants", {}};
  row = rowsBelow("constants");
  at = row.value_or(0) + 1;
  for (std::size_t i = 0; i < vm.constants.size(); ++i) {
    const Constant& constant = vm.constants[i];
    constants.parts.push_back({std::to_string(i), constant.valueText(60), ConstantTable::sizeOf(constant), at});
    at = at < tree.rows.size() ? tree.rows[at].after : at;
  }
  std::vector<PartGroup> groups;
  for (PartGroup* group : {&functions, &constants})
    if (!group->parts.empty()) groups.push_back(std::move(*group));
  return groups;
}

Result<PartContent> RelaxBody::part(PartKind kind, std::size_t index, Monitor&) const {
  const Executable& vm = executable();
  PartContent out;
  if (kind == PartKind::Const) {
    const Constant& constant = vm.constants[index];
    switch (constant.kind) {
    case ConstantKind::Tensor: return tensorContent(*constant.tensor);
    case ConstantKind::String:
      out.bytes = constant.content;
      out.pages.push_back(
          {"Text",
           view::TextPage{constant.content, std::string(constant.content.view().starts_with('{') ? "json" : "")}});
      break;
    case ConstantKind::Shape: out.bytes = constant.content; [[fallthrough]];
    default:
      out.pages.push_back(
          view::factsPage("Value", {{"kind", std::string(constant.kindText())}, {"value", constant.valueText(4096)}}));
      if (!out.bytes) out.whyNoBytes = "the value is a number; the fields show it";
    }
    return out;
  }
  const FunctionIndex& all = functionIndex();
  if (index >= all.defined.size()) return out;
  const std::size_t number = all.defined[index];
  const Function& function = vm.functions[number];
  const Signature& signature = all.signatures[number];
  std::vector<std::vector<std::string>> rows = {
      {"kind", std::string(function.kindText()) + " function"},
      {"registers", std::to_string(function.registers)},
      {"instructions", std::to_string(function.start) + " to " + std::to_string(function.end)}};
  for (const std::string& parameter : signature.parameters) rows.push_back({"parameter", parameter});
  if (!signature.result.empty()) rows.push_back({"result", signature.result});
  const auto list = [body = shared_from_this(), number](Monitor& monitor) -> Result<view::Page> {
    BLOBSCOPE_TRY(text, listing(body->executable(), body->executable().functions[number], monitor));
    return body->listingPage(std::move(text));
  };
  out.pages.push_back({"Bytecode", view::DeferredPage{"text", list}});
  if (function.kind == Function::kVm)
    out.pages.push_back(
        {view::page_id::kGraph,
         view::DeferredPage{"graph", [body = shared_from_this(), number](Monitor& made) -> Result<view::Page> {
                              const Executable& whole = body->executable();
                              BLOBSCOPE_TRY(graph, dataFlowOf(whole, whole.functions[number], made));
                              return view::Page{view::page_id::kGraph, std::move(graph)};
                            }}});
  out.pages.push_back(view::factsPage("Signature", std::move(rows)));
  out.whyNoBytes = "its instructions are part of those of the executable";
  return out;
}

void RelaxBody::pages(view::PageList& list) const {
  const Executable& vm = executable();
  std::vector<Bytes> texts;
  for (const Constant& constant : vm.constants)
    if (constant.kind == ConstantKind::String) texts.push_back(constant.content);
  addModelPages(texts, list);
  const RelaxPtr self = shared_from_this();
  list.push_back({"Functions", view::TablePage{std::make_shared<FunctionTable>(self)}});
  list.push_back({"Constants", view::TablePage{std::make_shared<ConstantTable>(self)}});
  list.push_back(
      {"Bytecode", view::DeferredPage{"text", [self](Monitor& monitor) { return self->bytecode(monitor); }}});
}

Result<view::Page> RelaxBody::bytecode(Monitor& monitor) const {
  const Executable& vm = executable();
  view::Listing all;
  uint64_t left = vm.instructionCount() + kSharedInstructions, omitted = 0;
  for (std::size_t i = 0; i < vm.functions.size(); ++i) {
    if (monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
    monitor.progress("listing functions", i, vm.functions.size());
    if (vm.functions[i].kind == Function::kPacked) continue;
    const uint64_t size = listedInstructions(vm, vm.functions[i]);
    if (size > left) {
      ++omitted;
      continue;
    }
    left -= size;
    BLOBSCOPE_TRY(text, listing(vm, vm.functions[i], monitor));
    all += all.text.empty() ? "" : "\n";
    all.append(std::move(text));
  }
  if (omitted > 0)
    all += "\n// " + countText(omitted, "more function") + (omitted == 1 ? " shares" : " share") +
           " instructions with these\n";
  return listingPage(std::move(all));
}

/// A payload. `Sized`: the length word of the classic stream precedes it.
template <Pool pool, bool Sized> struct Payload {
  Executable executable;
  Payload() { executable.pool = pool; }
};
template <class A, Pool pool, bool Sized> void wirePayload(A& ar, wire_ref<A, Payload<pool, Sized>> v) {
  if constexpr (Sized)
    ar.sized("executable", [&](A& inner) { wire(inner, v.executable); });
  else
    wire(ar, v.executable);
}

template <Pool pool, bool Sized> class PayloadBody final : public RelaxBody {
public:
  Payload<pool, Sized> value;
  std::string_view layout() const override { return layoutName(); }
  const Executable& executable() const override { return value.executable; }
  void encode(Writer& writer) const override {
    WriteArchive archive(writer);
    wirePayload<WriteArchive, pool, Sized>(archive, value);
  }
  void describe(FieldTreeBuilder& builder) const override {
    DescribeArchive archive(builder);
    wirePayload<DescribeArchive, pool, Sized>(archive, value);
  }
  void read(Reader& reader, const WireContext& context) {
    ReadArchive archive(reader, context);
    wirePayload<ReadArchive, pool, Sized>(archive, value);
  }
  static constexpr std::string_view layoutName() {
    constexpr std::array<std::string_view, 3> kSized = {"relax_vm pool-classic", "relax_vm pool-ffi-2025a",
                                                        "relax_vm pool-ffi-2025b"};
    constexpr std::array<std::string_view, 3> kBare = {"relax_vm bare pool-classic", "relax_vm bare pool-ffi-2025a",
                                                       "relax_vm bare pool-ffi-2025b"};
    return (Sized ? kSized : kBare)[static_cast<std::size_t>(pool)];
  }
};

/// Whether a tag shows which numbering the constants use. A pool without tensors, shapes and strings may fit two; then
/// the generation of the blob decides.
bool showsTable(const Executable& vm) {
  return std::any_of(vm.constants.begin(), vm.constants.end(),
                     [](const Constant& constant) { return constant.tag > 5; });
}

template <Pool pool, bool Sized> BodyPtr decodeRelax(Reader& reader, const WireContext& context) {
  auto body = std::make_shared<PayloadBody<pool, Sized>>();
  body->read(reader, context);
  if (!reader.ok()) return nullptr;
  const Executable& vm = body->executable();
  const uint64_t wordsStart = reader.position() - vm.words.size();
  if (pool != Pool::Classic && !context.dlpack && !showsTable(vm)) {
    reader.failValue("constants", wordsStart, vm.constants.size(), "constants with tags of v0.21 and later");
    return nullptr;
  }
  if (const auto fault = checkInstructions(vm)) {
    const uint64_t start = fault->inOffsets ? wordsStart - 8 - vm.offsets.size() : wordsStart;
    reader.failValue(fault->inOffsets ? "instruction_offsets" : "instruction_words", start + 8 * fault->index,
                     static_cast<uint64_t>(fault->word), fault->expected);
    return nullptr;
  }
  return body;
}

template <Pool pool, bool Sized> FieldTree describeRelaxPrefix(const Bytes& bytes, const WireContext& context) {
  Reader reader(bytes);
  PayloadBody<pool, Sized> body;
  body.read(reader, context);
  FieldTreeBuilder builder;
  body.describe(builder);
  return cutPrefix(builder.take(bytes),
                   reader.ok() ? reader.position() : reader.failedAt() - bytes.offset().value_or(0));
}

template <Pool pool, bool Sized> constexpr Layout relaxLayout() {
  return {PayloadBody<pool, Sized>::layoutName(), decodeRelax<pool, Sized>, describeRelaxPrefix<pool, Sized>};
}

constexpr std::string_view kRelaxKeys[] = {"relax.VMExecutable", "relax.Executable"};
constexpr Layout kRelaxLayouts[] = {
    relaxLayout<Pool::Ffi2025b, false>(), relaxLayout<Pool::Ffi2025a, false>(), relaxLayout<Pool::Ffi2025b, true>(),
    relaxLayout<Pool::Ffi2025a, true>(),  relaxLayout<Pool::Classic, true>(),   relaxLayout<Pool::Classic, false>(),
};

} // namespace

const ModuleCodec kRelaxExecutableCodec = {kRelaxKeys, kRelaxLayouts};

const relax::Executable* relaxExecutableOf(const Body& body) {
  const auto* const own = dynamic_cast<const RelaxBody*>(&body);
  return own ? &own->executable() : nullptr;
}

} // namespace blobscope::modules
