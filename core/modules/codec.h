#pragma once

#include "core/base/field_tree.h"
#include "core/base/monitor.h"
#include "core/base/ref.h"
#include "core/base/result.h"
#include "core/base/wire.h"
#include "core/base/writer.h"
#include "core/modules/kernel_image.h"
#include "core/view/page.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace blobscope::payloads {
struct Tensor;
}

namespace blobscope::modules {

/// Type key of the record that represents the library itself. Source: apache/tvm src/target/codegen.cc.
inline constexpr std::string_view kLibraryKey = "_lib";

/// A device function of a module.
struct Kernel {
  Bytes name;                ///< as other modules call it
  std::optional<Bytes> code; ///< its own code; nothing when all kernels share one image
  uint32_t fieldRow = 0;     ///< the row of Body::describe() with its FunctionInfo
};

/// A part of a module that a ref names by kind and name: `function:NAME`, `entry:N`, `const:N`, `param:NAME`. Kernels
/// and fields are not parts in this sense.
struct Part {
  std::string name;                 ///< as in the ref, decoded; when names are equal, the ref means the first one
  std::string detail;               ///< a few words shown after the name: "float16 [64, 64]", "cubin sm_89"
  std::optional<uint64_t> size;     ///< in bytes, when it has any
  std::optional<uint32_t> fieldRow; ///< the row of Body::describe() with it
};
/// All parts of one kind.
struct PartGroup {
  PartKind kind = PartKind::Function;
  std::string_view title;  ///< "Constants", a literal
  std::string_view page;   ///< the page of the module that lists them, a literal
  std::vector<Part> parts; ///< in stored order
};
/// What a format records about each kernel: one row per kernel, in the order of Body::kernels(); column 0 is the name.
struct KernelTable {
  std::shared_ptr<const view::TableSource> source;
  std::size_t arguments = 1, launch = 2; ///< columns of the FunctionInfo; the others describe the code
};
/// Rows of a field tree that belong to one kernel or function.
struct NamedRows {
  std::vector<uint32_t> items;      ///< list items to remove with it; the first one lists it
  std::vector<uint32_t> names;      ///< leaves whose value is its name
  std::string_view whyNotRemovable; ///< a sentence; empty when it can be removed
};
/// A new kernel's code as the module's list of codes stores it.
struct EncodedCode {
  Bytes bytes;
  std::string whyNot; ///< a sentence, when the module cannot store it
};
/// New names of kernels, by their present names.
using KernelRenames = std::map<std::string, std::string, std::less<>>;
/// A place in the code of a module that contains the name of a kernel.
struct NameInCode {
  Bytes place; ///< a slice of the payload
  std::string newName;
};
/// The content of a part.
struct PartContent {
  std::optional<Bytes> bytes;                     ///< what `extract` writes
  std::string whyNoBytes;                         ///< a sentence, when there are no bytes
  std::shared_ptr<const payloads::Tensor> tensor; ///< set when the part is a tensor; `bytes` are its elements
  view::PageList pages;                           ///< the caller adds Fields and Hex
};

/// The decoded payload of one module record. Immutable. Values keep their stored order and every byte that they were
/// read from, so encode() of an unedited body returns exactly the bytes that it was decoded from.
class Body {
public:
  virtual ~Body() = default;
  /// The name of the layout that fits, as in core/formats/module-kinds.md: "code3", "vulkan2". "opaque" for bytes
  /// without one.
  virtual std::string_view layout() const = 0;
  /// False only for bytes that no layout explains.
  virtual bool decoded() const { return true; }
  virtual void encode(Writer& writer) const = 0;
  /// Adds the rows of the field tree; they tile what encode() writes.
  virtual void describe(FieldTreeBuilder& builder) const = 0;
  /// The kernels in stored order.
  virtual std::vector<Kernel> kernels() const { return {}; }
  /// The groups of parts, in the order in which they are shown.
  virtual std::vector<PartGroup> parts() const { return {}; }
  /// Returns the part of parts() with that kind and number. Fails when its bytes cannot be read (a damaged compressed
  /// image).
  virtual Result<PartContent> part(PartKind kind, std::size_t index, Monitor& monitor) const {
    (void)kind, (void)index, (void)monitor;
    return PartContent{};
  }
  /// Nothing for kinds without kernels.
  virtual std::optional<KernelTable> kernelTable() const { return std::nullopt; }
  /// Returns what images of machine code and PTX record about the kernels; empty for code of other kinds. Images that
  /// cannot be unpacked are omitted; a stopped monitor ends the list.
  virtual std::vector<KernelImage> kernelImages(Monitor&) const { return {}; }
  /// Returns the rows of `tree`, the body's field tree, that list a kernel or function and contain its name; nothing
  /// when there are none.
  virtual std::optional<NamedRows> entryFor(const FieldTree& tree, const Ref::Part& part) const;
  /// Returns an entry for the list of codes, for layouts where each kernel has separate code.
  virtual EncodedCode encodeEntry(std::string_view name, const Bytes& code) const {
    (void)name, (void)code;
    return {{}, "kernels of the layout '" + std::string(layout()) + "' cannot be added"};
  }
  /// Returns `text` as the section of a kernel in a text that all kernels share; nothing where kernels are not sections
  /// of a text.
  virtual std::optional<Bytes> sectionOf(std::string_view name, const Bytes& text) const {
    (void)name, (void)text;
    return std::nullopt;
  }
  /// Returns the places in the code that all kernels share that change when kernels are renamed: none for kernels whose
  /// name cannot be replaced safely, and for kinds where the name is not in shared code.
  virtual std::vector<NameInCode> namesInCode(const KernelRenames& renames) const {
    (void)renames;
    return {};
  }
  /// Returns the names of the listed kernels that the code defines. Nothing when that is not known: the code cannot be
  /// read, or it is not split by kernel.
  virtual std::optional<std::set<std::string, std::less<>>> kernelsInCode(Monitor& monitor) const;
  /// The language of source code that cannot be recognized from the text: "opencl", "metal", "wgsl".
  virtual std::string_view language() const { return {}; }
  /// Adds pages with what is known about a kernel besides its FunctionInfo and its code.
  virtual void kernelPages(const Kernel& kernel, view::PageList& list) const { (void)kernel, (void)list; }
  /// The number of kernels that the bytes declare, when it differs from kernels().size() because the module is damaged.
  virtual std::optional<uint64_t> declaredKernels() const { return std::nullopt; }
  /// The format that the module declares for its code ("ptx"); nothing when the layout has no such field.
  virtual std::optional<Bytes> format() const { return std::nullopt; }
  /// What the code is according to its bytes: "fatbin", "ptx". One entry per distinct content.
  virtual std::vector<std::string> content() const { return {}; }
  /// Further rows for the overview of the module: label and value, both safe to show.
  virtual std::vector<std::pair<std::string, std::string>> facts() const { return {}; }
  /// Bytes after the last field that this version knows, written by a newer exporter; empty in most modules. encode()
  /// writes them and describe() adds a row for them.
  virtual Bytes unknownTail() const { return {}; }
  /// Adds the pages of this kind; the caller adds Fields and Hex for every module.
  virtual void pages(view::PageList& list) const = 0;

protected:
  Body() = default;
  Body(const Body&) = default;
  Body& operator=(const Body&) = default;
};
using BodyPtr = std::shared_ptr<const Body>;

/// One byte layout of a kind. decode() leaves the reader after the last byte that it used; null means that the bytes do
/// not fit, and the reader says why.
struct Layout {
  std::string_view name;
  BodyPtr (*decode)(Reader& reader, const WireContext& context);
  /// For bytes that do not fit: the fields before the byte where decoding fails; null for layouts without fields.
  FieldTree (*describePrefix)(const Bytes& bytes, const WireContext& context) = nullptr;
  /// Like decode(), but the bytes after the last field become Body::unknownTail(); null for layouts that cannot keep
  /// them.
  BodyPtr (*decodeWithTail)(Reader& reader, const WireContext& context) = nullptr;
};

/// One kind of module: its type keys and all layouts in which TVM has stored it, the most likely first.
struct ModuleCodec {
  std::span<const std::string_view> keys;
  std::span<const Layout> layouts;
};

/// A body whose bytes form one structure with a wire() function.
template <class T> class WireBody : public Body {
public:
  T value;
  Bytes tail; ///< Body::unknownTail()

  Bytes unknownTail() const final { return tail; }
  void encode(Writer& writer) const final {
    WriteArchive archive(writer);
    wire(archive, value);
    if (!tail.empty()) writer.raw(tail);
  }
  void describe(FieldTreeBuilder& builder) const final {
    DescribeArchive archive(builder);
    wire(archive, value);
    if (!tail.empty()) builder.leaf("not known", FieldType::Unknown, FieldRole::Unknown, tail.size(), tail.size());
  }
};

/// Layout::decode of a WireBody.
template <class B> BodyPtr decodeWire(Reader& reader, const WireContext& context) {
  auto body = std::make_shared<B>();
  ReadArchive archive(reader, context);
  wire(archive, body->value);
  return reader.ok() ? body : nullptr;
}

/// Layout::decodeWithTail of a WireBody.
template <class B> BodyPtr decodeWireWithTail(Reader& reader, const WireContext& context) {
  auto body = std::make_shared<B>();
  ReadArchive archive(reader, context);
  wire(archive, body->value);
  if (!reader.ok()) return nullptr;
  body->tail = reader.raw("not known", reader.left());
  return body;
}

/// Returns the rows of a tree whose values were read up to `end`, where reading failed: rows after `end` are omitted,
/// rows across it end there, lists keep the number of items that they declare, and one last row contains the bytes that
/// were not read.
FieldTree cutPrefix(FieldTree tree, uint64_t end);

/// Layout::describePrefix of a WireBody.
template <class B> FieldTree describeWirePrefix(const Bytes& bytes, const WireContext& context) {
  Reader reader(bytes);
  ReadArchive archive(reader, context);
  B body;
  wire(archive, body.value);
  FieldTreeBuilder builder;
  body.describe(builder);
  return cutPrefix(builder.take(bytes),
                   reader.ok() ? reader.position() : reader.failedAt() - bytes.offset().value_or(0));
}

/// Layout of a WireBody.
template <class B> constexpr Layout wireLayout(std::string_view name) {
  return {name, decodeWire<B>, describeWirePrefix<B>, decodeWireWithTail<B>};
}

/// Returns the stored form of a value with a wire() function.
template <class T> Bytes encodeWire(const T& value) {
  Writer writer;
  WriteArchive archive(writer);
  wire(archive, value);
  return joined(writer.takePieces());
}

/// Returns the field tree of a body; `bytes` are its encoded bytes.
FieldTree describeBody(const Body& body, Bytes bytes);

} // namespace blobscope::modules
