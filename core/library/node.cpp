#include "core/library/node.h"

#include "core/base/text.h"
#include "core/base/thread_rule.h"
#include "core/library/device_images.h"
#include "core/library/resolve.h"
#include "core/library/target.h"
#include "core/modules/common/host_parts.h"
#include "core/modules/module_fields.h"
#include "core/payloads/params/params.h"
#include "core/payloads/tensor/npy.h"

namespace blobscope::library {
namespace {

Error notFound(const Ref& ref, std::string_view reason) {
  return Error(DiagnosticId::RefNotFound, {arg("ref", ref.toString()), {"reason", std::string(reason)}}, ref);
}

/// Finds a tensor of a params file: the first one with that name.
Result<Target> findParam(const Package& package, const Ref& ref, Target target) {
  if (package.kind() != "params") return notFound(ref, "the file is not a parameter file");
  BLOBSCOPE_TRY(params, payloads::readParams(package.bytes));
  for (std::size_t i = 0; i < params->names.size(); ++i) {
    if (params->names[i].view() != ref.name) continue;
    target.part = modules::tensorContent(params->tensors[i]);
    const auto tree = std::make_shared<const FieldTree>(payloads::describeParams(*params, package.bytes));
    target.fieldRow = payloads::paramRow(*tree, i);
    target.moduleTree = tree;
    return target;
  }
  return notFound(ref, "the file has no tensor with that name");
}

/// " 99; it has 0 to 12" if all names are numbers from 0 on, else " with that name; did you mean 'x'?".
std::string missingText(const std::vector<modules::Part>& parts, const std::string& name) {
  std::vector<std::string> names;
  bool numbered = !parts.empty() && parseNumber(name).has_value();
  for (const modules::Part& part : parts) {
    numbered = numbered && part.name == std::to_string(names.size());
    names.push_back(part.name);
  }
  if (numbered) return " " + name + "; it has 0" + (parts.size() == 1 ? "" : " to " + std::to_string(parts.size() - 1));
  return " with that name" + proposalText(name, names);
}

Result<Target> findInModule(const Ref& ref, Target target, Monitor& monitor) {
  if (ref.parts.size() > 1) return notFound(ref, "a part of a module has no parts itself");
  const Ref::Part& part = ref.parts.front();
  target.moduleTree = treeOf(*target.module);
  if (part.kind == PartKind::Kernel) {
    for (modules::Kernel& kernel : target.module->body->kernels()) {
      if (kernel.name.view() != part.name) continue;
      target.kernel = std::move(kernel);
      target.fieldRow = target.kernel->fieldRow;
      return target;
    }
    std::vector<std::string> names;
    for (const modules::Kernel& kernel : target.module->body->kernels()) names.emplace_back(kernel.name.view());
    return notFound(ref, "the module has no kernel with that name" + proposalText(part.name, names));
  }
  if (part.kind == PartKind::Field) {
    target.fieldRow = target.moduleTree->find(part.name);
    if (target.fieldRow) return target;
    return notFound(ref, "the module has no field with that path; its page 'Fields' lists them");
  }
  for (const modules::PartGroup& group : target.module->body->parts()) {
    if (group.kind != part.kind) continue;
    for (std::size_t i = 0; i < group.parts.size(); ++i) {
      if (group.parts[i].name != part.name) continue;
      BLOBSCOPE_TRY(content, target.module->body->part(group.kind, i, monitor));
      target.part = std::move(content);
      target.fieldRow = group.parts[i].fieldRow;
      return target;
    }
    return notFound(ref, "the module has no " + std::string(partText(part.kind)) + missingText(group.parts, part.name));
  }
  return notFound(ref, "a module of kind '" + escaped(target.module->key.view()) + "' has no parts of the kind '" +
                           std::string(partWord(part.kind)) + "'");
}

} // namespace

Result<Target> findTarget(const Package& outer, const Ref& ref, Monitor& monitor) {
  BLOBSCOPE_TRY(found, resolve(outer, ref));
  const Package& package = *found.package;
  Target target;
  target.package = found.package;
  switch (ref.kind) {
  case Ref::Kind::File: return target;
  case Ref::Kind::Blob:
  case Ref::Kind::Imports:
  case Ref::Kind::Module:
    target.blob = found.blob;
    target.module = found.module;
    if (!target.module) return target;
    if (ref.parts.empty()) return target;
    return findInModule(ref, std::move(target), monitor);
  case Ref::Kind::Host:
    for (const host::Function& function : package.host.functions)
      if (function.name == ref.name) target.symbol = &package.image.symbols[function.symbol];
    if (target.symbol) return target;
    return notFound(ref, "the library has no host function with that name");
  case Ref::Kind::Symbol:
    for (const container::Symbol& symbol : package.image.symbols)
      if (!target.symbol && symbol.name == ref.name) target.symbol = &symbol;
    if (target.symbol) return target;
    return notFound(ref, "no symbol has that name");
  case Ref::Kind::Section:
    for (const container::Section& section : package.image.sections)
      if (!target.section && section.name == ref.name) target.section = &section;
    if (target.section) return target;
    return notFound(ref, "no section has that name");
  case Ref::Kind::Param: return findParam(package, ref, std::move(target));
  case Ref::Kind::Image: {
    BLOBSCOPE_TRY(images, computeDeviceImages(package, monitor));
    if (ref.module >= images.size() || !images[ref.module].placed())
      return notFound(ref, "the file has " + countText(images.size(), "device image") + ", counted from 0");
    const Extent extent = images[ref.module].extent;
    return notFound(ref, "images have no page of their own; this one is '" +
                             package.ref(Ref::bytesAt(extent.offset, extent.size)).toString() + "'");
  }
  case Ref::Kind::Member:
    target.member = package.findMember(ref.name);
    if (target.member) return target;
    break;
  }
  return notFound(ref, package.members.empty() ? "the file is not an archive and has no members"
                                               : "no member is called '" + escaped(ref.name) + "'");
}

std::shared_ptr<const FieldTree> treeOf(const Module& module) {
  return std::make_shared<const FieldTree>(modules::describeBody(*module.body, module.payload));
}

std::optional<uint64_t> placeIn(const Package& package, const Bytes& bytes) {
  const std::less<> before;
  const std::byte *const begin = package.bytes.data(), *const at = bytes.data();
  if (before(at, begin) || !before(at, begin + package.bytes.size())) return std::nullopt;
  return static_cast<uint64_t>(at - begin);
}

namespace {
/// Returns the member's bytes as a slice of the file when the file contains them unchanged.
Bytes memberBytes(const Package& package, const Bytes& stored) {
  const auto place = placeIn(package, stored);
  return place ? package.bytes.slice(*place, stored.size()) : stored;
}

void fillMember(const Package& package, const PackageMember& member, Node& node) {
  node.title = "member '" + escaped(member.name) + "'";
  if (!member.stored->bytes.empty())
    node.bytes = memberBytes(package, member.stored->bytes);
  else
    node.whyNoBytes = member.stored->note.empty() ? "it is empty" : member.stored->note;
}

void fillSymbol(const Package& package, const container::Symbol& symbol, Node& node) {
  node.title = "symbol '" + escaped(symbol.name) + "'";
  const auto bytes = package.image.findBytesOf(symbol);
  if (!bytes)
    node.whyNoBytes = symbol.defined ? "the file contains no bytes for it" : "it is undefined here";
  else if (symbol.size == 0)
    node.whyNoBytes = "the symbol table gives it no size; name a range as @OFFSET+SIZE";
  else
    node.bytes = bytes->slice(0, symbol.size);
}

void fillSection(const Package& package, const container::Section& section, Node& node) {
  node.title = "section '" + escaped(section.name) + "'";
  if (section.file.size > 0)
    node.bytes = package.bytes.slice(section.file.offset, section.file.size);
  else
    node.whyNoBytes = "it occupies no bytes of the file";
}

void fillImports(const Blob& blob, Node& node) {
  node.title = "import tree";
  for (const Record& record : blob.cut.records)
    if (record.kind == Record::Kind::Tree)
      node.bytes = blob.bytes.slice(record.payloadStart, record.end - record.payloadStart);
  if (blob.cut.stream == Stream::Ffi && blob.cut.tree) {
    const ImportTree& tree = *blob.cut.tree;
    node.bytes = blob.bytes.slice(8, 16 + 8 * (tree.indptr.size() + tree.child.size()));
  }
  node.whyNoBytes = "the stream has none";
}
} // namespace

Result<Node> nodeOf(const Package& package, const Ref& ref, const Target& target) {
  Node node;
  node.ref = ref;
  if (target.member) {
    fillMember(package, *target.member, node);
  } else if (target.symbol) {
    fillSymbol(package, *target.symbol, node);
  } else if (target.section) {
    fillSection(package, *target.section, node);
  } else if (target.kernel) {
    node.title = "kernel '" + escaped(target.kernel->name.view()) + "'";
    node.bytes = target.kernel->code;
    node.whyNoBytes = modules::findKernelFields(*target.moduleTree).image
                          ? "all kernels of the module share its field 'data'"
                          : "the module has no code with that name";
  } else if (target.part) {
    node.title = ref.kind == Ref::Kind::Param
                     ? "tensor '" + escaped(ref.name) + "'"
                     : std::string(partWord(ref.parts.front().kind)) + " '" + escaped(ref.parts.front().name) + "'";
    node.bytes = target.part->bytes;
    node.tensor = target.part->tensor;
    node.whyNoBytes = target.part->whyNoBytes.empty() ? "it has no separate bytes" : target.part->whyNoBytes;
  } else if (target.fieldRow) {
    node.title = "field '" + target.moduleTree->path(*target.fieldRow) + "'";
    node.bytes = target.moduleTree->content(*target.fieldRow);
  } else if (target.module) {
    node.title = "module " + std::to_string(target.module->index) + " '" + escaped(target.module->key.view()) + "'";
    if (target.module->isLibrary())
      node.whyNoBytes = "it represents the library";
    else
      node.bytes = target.module->payload;
  } else if (ref.kind == Ref::Kind::Imports) {
    fillImports(*target.blob, node);
  } else if (target.blob) {
    node.title = "blob at '" + escaped(target.blob->carrier.symbol) + "'";
    node.bytes = target.blob->bytes;
  } else {
    node.title = (package.memberPath.empty() ? "file '" : "member '") + escaped(package.path) + "'";
    node.bytes = package.bytes;
  }
  if (ref.at) {
    const uint64_t size = package.bytes.size();
    if (*ref.at >= size || (ref.size && *ref.size > size - *ref.at))
      return notFound(ref, "the file ends at " + hexText(size));
    node.title = "bytes at " + hexText(*ref.at);
    node.bytes = package.bytes.slice(*ref.at, ref.size.value_or(UINT64_MAX));
  }
  if (node.bytes) node.whyNoBytes.clear();
  return node;
}

Result<NpyFile> toNpy(const Node& node) {
  longWork("library::toNpy");
  if (!node.tensor)
    return Error(DiagnosticId::NodeNoTensor, {arg("ref", node.ref.toString()), {"reason", "it is not a tensor"}},
                 node.ref);
  const auto header = payloads::npyHeader(*node.tensor);
  if (!header)
    return Error(DiagnosticId::NodeNoTensor,
                 {arg("ref", node.ref.toString()), {"reason", "its bytes do not fit its shape and type"}}, node.ref);
  return NpyFile{Bytes::copyOf(header->bytes + std::string(payloads::npyData(*node.tensor).view())), header->note};
}

Result<Node> findNode(const Package& package, const Ref& ref, Monitor& monitor) {
  longWork("library::findNode");
  BLOBSCOPE_TRY(target, findTarget(package, ref, monitor));
  return nodeOf(*target.package, ref, target);
}

Result<Node> findNode(const Package& package, const Ref& ref) {
  NullMonitor monitor;
  return findNode(package, ref, monitor);
}

} // namespace blobscope::library
