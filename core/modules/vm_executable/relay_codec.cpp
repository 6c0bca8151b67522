#include "core/modules/vm_executable/relay.h"
#include "core/modules/vm_executable/vm_executable.h"

#include "core/base/text.h"
#include "core/modules/common/host_parts.h"

#include <array>

namespace blobscope::modules {
namespace {

using namespace relay;

class RelayBody;
using RelayPtr = std::shared_ptr<const RelayBody>;

/// What all generations show. Pages keep the body alive. One str length word precedes the whole executable, functions
/// included.
class RelayBody : public Body, public std::enable_shared_from_this<RelayBody> {
public:
  Executable value;

  explicit RelayBody(int generation) { value.generation = generation; }
  std::string_view layout() const final { return layoutName(value.generation); }
  void encode(Writer& writer) const final {
    WriteArchive archive(writer);
    archive.sized("executable", [&](WriteArchive& inner) { wire(inner, value); });
  }
  void describe(FieldTreeBuilder& builder) const final {
    DescribeArchive archive(builder);
    archive.sized("executable", [&](DescribeArchive& inner) { wire(inner, value); });
  }
  void read(Reader& reader, const WireContext& context) {
    ReadArchive archive(reader, context);
    archive.sized("executable", [&](ReadArchive& inner) { wire(inner, value); });
  }
  std::vector<PartGroup> parts() const final;
  Result<PartContent> part(PartKind kind, std::size_t index, Monitor& monitor) const final;
  std::optional<NamedRows> entryFor(const FieldTree& tree, const Ref::Part& part) const final;
  void pages(view::PageList& list) const final;
  /// A page that keeps the body alive.
  view::Page listingPage(view::Listing listing) const {
    return view::listingPage("Bytecode", std::move(listing), {shared_from_this(), &m_constants});
  }

  static constexpr std::string_view layoutName(int generation) {
    constexpr std::array<std::string_view, 5> kNames = {"relay_vm 0", "relay_vm 1", "relay_vm 2", "relay_vm 3",
                                                        "relay_vm 4"};
    return kNames[static_cast<std::size_t>(generation)];
  }

private:
  const view::ListingConstants m_constants{
      [this](int64_t number, Monitor& monitor) { return constantIdentity(value, number, monitor); }};
};

class FunctionTable final : public view::TableSource {
public:
  explicit FunctionTable(RelayPtr body) : m_body(std::move(body)) {}
  std::vector<view::Column> columns() const override {
    return {{"name"}, {"parameters"}, {"registers", true}, {"instructions", true, true}};
  }
  uint64_t rowCount() const override { return m_body->value.functions.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    const Function& function = m_body->value.functions[row];
    switch (column) {
    case 0: return escaped(function.name().view());
    case 1: {
      std::string out;
      for (const Bytes& parameter : function.parameters) out += (out.empty() ? "" : ", ") + escaped(parameter.view());
      return out;
    }
    case 2: return std::to_string(function.headNumber(1));
    default: return std::to_string(function.instructions.size());
    }
  }
  std::optional<Ref> target(uint64_t row, const Ref& node) const override {
    return node.part(PartKind::Function, m_body->value.functions[row].name().view());
  }

private:
  RelayPtr m_body;
};

class ConstantTable final : public view::TableSource {
public:
  explicit ConstantTable(RelayPtr body) : m_body(std::move(body)) {}
  std::vector<view::Column> columns() const override {
    return {{"number", true}, {"dtype"}, {"shape"}, {"bytes", true, true}, {"device", true}};
  }
  uint64_t rowCount() const override { return m_body->value.constants.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    const Constant& constant = m_body->value.constants[row];
    switch (column) {
    case 0: return std::to_string(row);
    case 1: return constant.late == 1 ? constantText(constant) : constant.tensor.typeText();
    case 2: return constant.late == 1 ? "" : constant.tensor.shapeText();
    case 3: return std::to_string(constant.tensor.data.size());
    default: {
      Reader devices(m_body->value.constantDevices);
      devices.seek(8 * row);
      return devices.left() < 8 ? "" : std::to_string(devices.number<int64_t>("device"));
    }
    }
  }
  std::optional<Ref> target(uint64_t row, const Ref& node) const override {
    return node.part(PartKind::Const, std::to_string(row));
  }

private:
  RelayPtr m_body;
};

class PrimitiveTable final : public view::TableSource {
public:
  explicit PrimitiveTable(RelayPtr body) : m_body(std::move(body)) {
    const Executable& vm = m_body->value;
    m_attributes.resize(vm.primitives.size());
    for (const Attributes& entry : vm.attributes) {
      if (entry.primitive >= m_attributes.size()) continue;
      for (const Attributes::Item& item : entry.items) {
        std::string& text = m_attributes[entry.primitive];
        text += (text.empty() ? "" : ", ") + escaped(item.name.view()) + " = " + escapedWithin(item.value.view(), 200);
      }
    }
  }
  std::vector<view::Column> columns() const override { return {{"number", true}, {"name"}, {"attributes"}}; }
  uint64_t rowCount() const override { return m_attributes.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    if (column == 0) return std::to_string(row);
    return column == 1 ? escaped(m_body->value.primitives[row].view()) : m_attributes[row];
  }

private:
  RelayPtr m_body;
  std::vector<std::string> m_attributes;
};

std::vector<PartGroup> RelayBody::parts() const {
  const FieldTree tree = describeBody(*this, {});
  const auto collect = [&](PartGroup group, std::size_t count, auto make) {
    uint32_t row =
        tree.find("executable." + std::string(group.page == "Functions" ? "functions" : "constants")).value_or(0) + 1;
    for (std::size_t i = 0; i < count; ++i) {
      Part part = make(i);
      part.fieldRow = row;
      group.parts.push_back(std::move(part));
      row = row < tree.rows.size() ? tree.rows[row].after : row;
    }
    return group;
  };
  std::vector<PartGroup> groups;
  groups.push_back(
      collect({PartKind::Function, "VM functions", "Functions", {}}, value.functions.size(), [&](std::size_t i) {
        return Part{std::string(value.functions[i].name().view()), "", std::nullopt, {}};
      }));
  groups.push_back(collect({PartKind::Const, "Constants", "Constants", {}}, value.constants.size(), [&](std::size_t i) {
    return Part{std::to_string(i), constantText(value.constants[i]), value.constants[i].tensor.data.size(), {}};
  }));
  std::erase_if(groups, [](const PartGroup& group) { return group.parts.empty(); });
  return groups;
}

Result<PartContent> RelayBody::part(PartKind kind, std::size_t index, Monitor&) const {
  PartContent out;
  if (kind == PartKind::Const) {
    const Constant& constant = value.constants[index];
    if (constant.late == 1) {
      out.whyNoBytes = "it is bound when the library is loaded";
      out.pages.push_back(view::factsPage("Value", {{"bound later by name", escaped(constant.name.view())}}));
      return out;
    }
    return tensorContent(constant.tensor);
  }
  out.pages.push_back(
      {"Bytecode", view::DeferredPage{"text", [self = shared_from_this(), index](Monitor&) -> Result<view::Page> {
                                        return self->listingPage(listing(self->value, self->value.functions[index]));
                                      }}});
  out.whyNoBytes = "its instructions are fields of the executable";
  return out;
}

std::optional<NamedRows> RelayBody::entryFor(const FieldTree& tree, const Ref::Part& part) const {
  auto out = Body::entryFor(tree, part);
  if (!out) return out;
  // A function's name is the first of its three head texts, and once more in the list of globals.
  // Source: core/formats/vm-executables.md 2.3.
  const std::string entry = tree.path(out->items.front());
  if (const auto head = tree.find(entry + ".head[0]"); head && tree.content(*head).view() == part.name)
    out->names.push_back(*head);
  if (const auto globals = tree.find("executable.globals"))
    for (uint32_t row = *globals + 1; row < tree.rows[*globals].after; row = tree.rows[row].after)
      if (tree.content(row).view() == part.name) out->names.push_back(row);
  return out;
}

void RelayBody::pages(view::PageList& list) const {
  const RelayPtr self = shared_from_this();
  list.push_back({"Functions", view::TablePage{std::make_shared<FunctionTable>(self)}});
  list.push_back({"Constants", view::TablePage{std::make_shared<ConstantTable>(self)}});
  list.push_back({"Primitives", view::TablePage{std::make_shared<PrimitiveTable>(self)}});
  if (!value.devices.empty()) {
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < value.devices.size(); ++i)
      rows.push_back({std::to_string(i), std::to_string(value.devices[i].type), std::to_string(value.devices[i].id),
                      escaped(value.devices[i].memoryScope.view()),
                      static_cast<int64_t>(i) == value.hostDevice ? "host" : ""});
    list.push_back(view::tablePage(
        "Devices", {{"number", true}, {"device type", true}, {"device id", true}, {"memory scope"}, {"role"}},
        std::move(rows)));
  }
  list.push_back({"Bytecode", view::DeferredPage{"text", [self](Monitor& monitor) -> Result<view::Page> {
                                                   view::Listing all;
                                                   const auto& functions = self->value.functions;
                                                   for (std::size_t i = 0; i < functions.size(); ++i) {
                                                     if (monitor.stopRequested())
                                                       return Error(DiagnosticId::Cancelled, {});
                                                     monitor.progress("listing functions", i, functions.size());
                                                     all += i > 0 ? "\n" : "";
                                                     all.append(listing(self->value, functions[i]));
                                                   }
                                                   return self->listingPage(std::move(all));
                                                 }}});
}

template <int generation> BodyPtr decodeRelay(Reader& reader, const WireContext& context) {
  auto body = std::make_shared<RelayBody>(generation);
  body->read(reader, context);
  if (!reader.ok()) return nullptr;
  if (const auto fault = checkInstructions(body->value)) {
    const Bytes& words = body->value.functions[fault->function].instructions[fault->instruction];
    // The offset of the words in the reader's bytes; both are in the same blob.
    const auto start = static_cast<uint64_t>(words.data() - reader.bytes().data());
    reader.failValue("instructions", start + 8 * fault->word, static_cast<uint64_t>(fault->value), fault->expected);
    return nullptr;
  }
  return body;
}

template <int generation> FieldTree describeRelayPrefix(const Bytes& bytes, const WireContext& context) {
  Reader reader(bytes);
  RelayBody body(generation);
  body.read(reader, context);
  FieldTreeBuilder builder;
  body.describe(builder);
  return cutPrefix(builder.take(bytes),
                   reader.ok() ? reader.position() : reader.failedAt() - bytes.offset().value_or(0));
}

template <int generation> constexpr Layout relayLayout() {
  return {RelayBody::layoutName(generation), decodeRelay<generation>, describeRelayPrefix<generation>};
}

constexpr std::string_view kRelayKeys[] = {"VMExecutable"};
constexpr Layout kRelayLayouts[] = {relayLayout<4>(), relayLayout<3>(), relayLayout<2>(), relayLayout<1>(),
                                    relayLayout<0>()};

} // namespace

const ModuleCodec kRelayExecutableCodec = {kRelayKeys, kRelayLayouts};

const relay::Executable* relayExecutableOf(const Body& body) {
  const auto* const own = dynamic_cast<const RelayBody*>(&body);
  return own ? &own->value : nullptr;
}

} // namespace blobscope::modules
