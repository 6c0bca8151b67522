#include "core/edit/preview.h"
#include "core/library/node.h"
#include "core/library/open.h"
#include "tests/fuzz/step_limit.h"
#include "tests/support/builders.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/tensor_builders.h"
#include "tests/support/test_support.h"
#include "tests/support/vm_builders.h"

#include <algorithm>
#include <array>

namespace {

using namespace blobscope;
using namespace blobscope::test;

const std::vector<Function> kTwo = {{"add"}, {"mul"}};

std::string codes() {
  return ByteBuilder().u64(2).str("mul").str("kernel void m() {}").str("add").str("kernel void a() {}").take();
}

std::vector<library::PackagePtr> makeLibraries() {
  std::vector<std::string> files;
  const auto classic = [&](const std::vector<Record>& records,
                           const std::optional<std::vector<std::vector<uint64_t>>>& imports) {
    files.push_back(elfWith("__tvm_dev_mblob", classicBlob(records, imports)));
  };
  const auto ffi = [&](const std::vector<Record>& records, const std::vector<std::vector<uint64_t>>& imports) {
    files.push_back(elfWith("__tvm_ffi__library_bin", ffiBlob(records, imports)));
  };
  const Record lib{"_lib", ""};
  const std::string fatbin =
      cuda::fatbin({{.payload = cuda::CubinFile{}.build()}, {.kind = 1, .sm = 80, .payload = ptxText(kTwo)}});
  const std::vector<TensorText> tensors = {{kFloat32, {2}, floats({1, 2})}, {kInt8, {}, "\x07"}};
  ffi({lib,
       {"cuda", code3("cubin", kTwo, fatbin, Info::Four)},
       {"opencl", code3("cl", kTwo, openclText(kTwo), Info::Four)}},
      {{1, 2}, {}, {}});
  ffi({lib,
       {"metal", ByteBuilder().str("metal").raw(functionMap(kTwo, Info::Four)).raw(codes()).take()},
       {"vulkan", vulkan(kTwo, Info::Four, true)},
       {"vendor", "bytes"}},
      {{1, 2}, {3}, {3}, {}});
  ffi({{"relax.VMExecutable", RelaxBuilder(kTags2025b).build()},
       lib,
       {"const_loader", constants({"p0", "p1"}, tensors, {"f"}, {{"p1"}})}},
      {{1}, {2}, {}});
  ffi({lib, {"cuda", cudaModuleV1("ptx", kTwo, ptxText(kTwo))}, {"webgpu", functionMap(kTwo, Info::Four) + codes()}},
      {{1, 2}, {}, {}});
  classic({lib, {"cuda", code3("ptx", kTwo, ptxText(kTwo), Info::Three)}, {"vulkan", vulkan(kTwo, Info::Three, false)}},
          {{{1}, {2}, {}}});
  classic({{"metal", ByteBuilder().str("0.1.0").raw(codes()).raw(functionMap(kTwo, Info::Three)).str("metal").take()},
           {"opencl", openclSpirv(kTwo, Info::Three)}},
          std::nullopt);
  classic({{"VMExecutable", RelayBuilder(4).sized()},
           lib,
           {"GraphExecutorFactory",
            ByteBuilder().str(executorGraph()).raw(aotFactory({"p0", "p1"}, tensors, "default")).take()}},
          {{{1}, {2}, {}}});
  files.push_back(
      ElfBuilder()
          .data("left___tvm_ffi__library_bin",
                ffiBlob({lib, {"cuda", code3("ptx", kTwo, "// l", Info::Four)}}, {{1}, {}}))
          .data("right___tvm_ffi__library_bin",
                ffiBlob({lib,
                         {"c",
                          ByteBuilder().str("int a;").str("c").raw(nameList({"add", "mul"})).raw(nameList({})).take()}},
                        {{1}, {}}))
          .build());
  std::vector<library::PackagePtr> libraries;
  for (const std::string& file : files) {
    auto package = openBytes(file);
    if (!package || (*package)->blobs.empty()) __builtin_trap();
    libraries.push_back(*package);
  }
  return libraries;
}

/// The input as a sequence of choices; zeros follow its end.
class Choices {
public:
  Choices(const uint8_t* data, std::size_t size) : m_data(data), m_size(size) {}
  bool left() const { return m_at < m_size; }
  uint8_t byte() { return m_at < m_size ? m_data[m_at++] : uint8_t{0}; }
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : (byte() | std::size_t{byte()} << 8) % limit; }
  std::string text(std::size_t longest) {
    std::string out(below(longest + 1), '\0');
    for (char& c : out) c = static_cast<char>(byte());
    return out;
  }

private:
  const uint8_t* m_data;
  std::size_t m_size, m_at = 0;
};

class Maker {
public:
  Maker(const library::PackagePtr& package, Choices& choices) : m_package(package), m_choices(choices) {}

  edit::Edit make() {
    const library::Blob& blob = *m_package->blobs[m_choices.below(m_package->blobs.size())];
    switch (m_choices.below(11)) {
    case 0: return edit::Replace{part(blob), content()};
    case 1: return edit::Replace{part(blob), ownContent()};
    case 2: return edit::AddModule{"new" + std::to_string(m_choices.below(3)), key(), ownContent(), {name(blob)}, {}};
    case 3:
      return edit::AddFunction{
          {module(blob).part(m_choices.below(4) == 0 ? PartKind::Entry : PartKind::Kernel, kernel()), {}},
          m_choices.below(2) == 0 ? std::optional(content()) : std::nullopt,
          {}};
    case 4: return edit::Remove{part(blob)};
    case 5: return edit::Rename{part(blob), m_choices.below(2) == 0 ? kernel() : key()};
    case 6: {
      std::vector<std::string> imports;
      for (std::size_t count = m_choices.below(4); count > 0; --count) imports.push_back(name(blob));
      return edit::Relink{target(blob), std::move(imports)};
    }
    case 7: {
      constexpr std::array kNumbers = {"1", "-0.5", "nan", "1e300", "true", "x", ""};
      std::vector<uint64_t> index;
      for (std::size_t count = m_choices.below(4); count > 0; --count) index.push_back(m_choices.below(3));
      return edit::SetValue{part(blob), std::move(index), kNumbers[m_choices.below(kNumbers.size())]};
    }
    default: {
      edit::Target at = field(blob);
      return edit::SetField{std::move(at), value()};
    }
    }
  }

private:
  Ref module(const library::Blob& blob) {
    return blob.moduleRef(static_cast<uint32_t>(m_choices.below(16) == 15 ? 9 : m_choices.below(blob.modules.size())));
  }
  edit::Target target(const library::Blob& blob) {
    if (m_choices.below(10) == 9) return {Ref::moduleAt({}, 0), "new" + std::to_string(m_choices.below(3))};
    return {module(blob), {}};
  }
  std::string name(const library::Blob& blob) {
    return m_choices.below(8) == 0 ? blob.ref().toString() : target(blob).toString();
  }
  std::string kernel() {
    const auto names = std::to_array<std::string>({"add", "mul", "neu", "0", "1", "main", "", "p0"});
    const std::size_t which = m_choices.below(names.size() + 4);
    return which < names.size() ? names[which] : m_choices.text(12);
  }
  std::string key() {
    const auto keys = std::to_array<std::string>(
        {"cuda", "opencl", "metal", "vendor", "_lib", "_import_tree", "vulkan", "relax.VMExecutable"});
    return keys[m_choices.below(keys.size())];
  }
  /// A part that exists, most of the time.
  edit::Target part(const library::Blob& blob) {
    edit::Target out = target(blob);
    const auto kinds =
        std::to_array({PartKind::Kernel, PartKind::Function, PartKind::Entry, PartKind::Const, PartKind::Param});
    const std::size_t way = m_choices.below(8);
    if (way == 0) out.ref = out.ref.part(kinds[m_choices.below(kinds.size())], kernel());
    if (way == 1) return field(blob);
    if (way < 3 || out.ref.module >= blob.modules.size()) return out;
    const modules::Body& body = *blob.modules[out.ref.module]->body;
    std::vector<Ref::Part> all;
    for (const modules::Kernel& one : body.kernels()) all.push_back({PartKind::Kernel, std::string(one.name.view())});
    for (const modules::PartGroup& group : body.parts())
      for (const modules::Part& one : group.parts) all.push_back({group.kind, one.name});
    if (!all.empty()) out.ref.parts = {all[m_choices.below(all.size())]};
    return out;
  }
  /// A field that exists, most of the time.
  edit::Target field(const library::Blob& blob) {
    const uint32_t number = static_cast<uint32_t>(m_choices.below(blob.modules.size()));
    const auto tree = library::treeOf(*blob.modules[number]);
    const std::size_t row = m_choices.below(tree->rows.size() + 1);
    m_list = row < tree->rows.size() && tree->rows[row].type == FieldType::List;
    m_text = row < tree->rows.size() &&
             (tree->rows[row].type == FieldType::String || tree->rows[row].type == FieldType::Data);
    return {blob.moduleRef(number).part(
                PartKind::Field, row < tree->rows.size() ? tree->path(static_cast<uint32_t>(row)) : m_choices.text(8)),
            {}};
  }
  edit::Content content() { return {{}, Bytes::copyOf(m_choices.text(80))}; }
  /// A payload of another module.
  edit::Content ownContent() {
    const library::Blob& blob = *m_package->blobs.front();
    return {{}, blob.modules[m_choices.below(blob.modules.size())]->payload};
  }
  json::Value value() {
    json::Value out;
    const std::size_t kind = m_choices.below(6);
    switch (kind > 0 && m_text ? 2 : kind > 0 && m_list ? 5 : kind) {
    case 0: out.data = uint64_t{m_choices.byte()}; break;
    case 1: out.data = -int64_t{m_choices.byte()}; break;
    case 2: out.data = m_choices.text(30); break;
    case 3: out.data = std::string("float16x4"); break;
    case 4: out.data = UINT64_MAX >> m_choices.below(64); break;
    default: {
      json::Value::Array items;
      for (std::size_t count = m_choices.below(4); count > 0; --count)
        items.push_back(m_choices.below(2) == 0 ? json::Value{std::string("int8")}
                                                : json::Value{uint64_t{m_choices.byte()}});
      out.data = std::move(items);
    }
    }
    return out;
  }

  const library::PackagePtr& m_package;
  Choices& m_choices;
  bool m_list = false, m_text = false; ///< the field that was chosen last
};

void check(bool holds) {
  if (!holds) __builtin_trap();
}

} // namespace

/// The first byte selects a library and whether refusals are overridden; the rest is up to five edits. The result opens
/// as announced, and refs into it map back.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static const std::vector<library::PackagePtr> kLibraries = makeLibraries();
  Choices choices(data, size);
  const uint8_t first = choices.byte();
  const library::PackagePtr& package = kLibraries[(first & 0x7f) % kLibraries.size()];
  const bool force = (first & 0x80) != 0;
  StepLimit monitor(package->bytes.size() + size);
  edit::ApplyOptions options;
  options.force = force;
  // Refused edits are skipped, so that long lists are reached as well.
  std::vector<edit::Edit> edits;
  for (int made = 0; choices.left() && made < 5; ++made) {
    edits.push_back(Maker(package, choices).make());
    if (const auto refused = edit::apply(package, edits, options, monitor); !refused) {
      check(!refused.error().message().empty());
      edits.pop_back();
    }
  }
  const auto applied = edit::apply(package, edits, options, monitor);
  check(applied.hasValue());
  const auto shown = edit::preview(package, *applied, monitor);
  check(shown.hasValue());
  for (const edit::EditedBlob& blob : applied->blobs) {
    uint64_t total = 0;
    for (const Bytes& piece : blob.pieces) total += piece.size();
    check(total == blob.size);
    const library::Blob& now = *(*shown)->blobs[blob.index];
    check(now.bytes == joined(std::vector<Bytes>(blob.pieces)));
    Writer writer;
    library::encodeBlob(now, writer);
    check(joined(writer.takePieces()) == now.bytes);
    if (blob.modules.empty() || force) continue;
    check(now.modules.size() == blob.modules.size());
    for (std::size_t i = 0; i < blob.modules.size(); ++i) {
      const library::Module& module = *now.modules[i];
      check(module.key == blob.modules[i].key && module.payload == blob.modules[i].payload &&
            module.imports == blob.modules[i].imports);
      // Every field maps back to one that existed, or was added.
      const auto tree = library::treeOf(module);
      for (uint32_t row = 0; row < std::min<std::size_t>(tree->rows.size(), 40); ++row) {
        const auto target = edit::toOpenedTarget(
            *shown, *applied, edits, now.moduleRef(static_cast<uint32_t>(i)).part(PartKind::Field, tree->path(row)));
        check(target || target.error().id() == DiagnosticId::EditTarget);
      }
    }
  }
  return 0;
}
