#include "core/edit/copy_edits.h"

#include "core/edit/module_draft.h"
#include "core/library/node.h"
#include "core/library/resolve.h"
#include "core/modules/module_fields.h"

#include <algorithm>
#include <type_traits>

namespace blobscope::edit {
namespace {

bool isKernel(const Ref& ref) {
  return ref.kind == Ref::Kind::Module && ref.parts.size() == 1 && ref.parts[0].kind == PartKind::Kernel;
}
bool isModule(const Ref& ref) { return ref.kind == Ref::Kind::Module && ref.parts.empty(); }

/// Returns the name of a node: the name of a kernel, the type key of a module.
Result<std::string> nameOf(const library::Package& package, const Ref& ref) {
  if (!isModule(ref)) return ref.parts.empty() ? std::string() : ref.parts.back().name;
  BLOBSCOPE_TRY(found, library::resolve(package, ref));
  return std::string(found.module->key.view());
}

/// Returns a FunctionInfo in the form that edits use.
json::Value infoOf(const modules::KernelInfo& info) {
  const auto list = [](const auto& items) {
    json::Value::Array out;
    for (const auto& item : items) {
      if constexpr (std::is_same_v<std::decay_t<decltype(item)>, std::string>)
        out.push_back({item});
      else
        out.push_back({static_cast<uint64_t>(static_cast<uint32_t>(item))});
    }
    return json::Value{std::move(out)};
  };
  json::Value::Object out;
  if (!info.name.empty()) out.emplace_back("name", json::Value{info.name});
  out.emplace_back("arg_types", list(info.argTypes));
  out.emplace_back("launch_param_tags", list(info.launchTags));
  if (!info.extraTags.empty()) out.emplace_back("arg_extra_tags", list(info.extraTags));
  return {std::move(out)};
}

Result<std::vector<Edit>> addKernel(const Copying& copying) {
  const Ref& there = *copying.there;
  Ref owner = there;
  owner.parts.clear();
  const std::optional<Ref> module = copying.partner(owner);
  if (!module) return cannotEdit(there, "its module has no counterpart here; copy the module");
  BLOBSCOPE_TRY(found, library::resolve(*copying.from, owner));
  for (const modules::Kernel& kernel : found.module->body->kernels()) {
    if (kernel.name.view() != there.parts[0].name) continue;
    AddFunction add;
    BLOBSCOPE_TRY(target, copying.target(*module));
    add.target = std::move(target);
    add.target.ref.parts.push_back(there.parts[0]);
    if (kernel.code) add.content = Content{{}, *kernel.code};
    add.info = infoOf(modules::kernelInfo(*library::treeOf(*found.module), kernel.fieldRow));
    return std::vector<Edit>{std::move(add)};
  }
  return cannotEdit(there, "the module has no kernel with that name");
}

/// Returns the module of `to` that corresponds to a module of `from`. `_lib` represents the library itself, so
/// comparisons do not list it.
std::optional<Ref> counterpart(const Copying& copying, const library::Resolved& found) {
  const Ref there = found.blob->moduleRef(found.module->index);
  if (auto here = copying.partner(there)) return here;
  if (!found.module->isLibrary()) return std::nullopt;
  const auto blob = library::resolveBlob(*copying.to, there);
  if (!blob) return std::nullopt;
  for (const auto& module : blob->blob->modules)
    if (module->isLibrary()) return blob->blob->moduleRef(module->index);
  return std::nullopt;
}

Result<std::vector<Edit>> addModule(const Copying& copying, Monitor& monitor) {
  const Ref& there = *copying.there;
  BLOBSCOPE_TRY(found, library::resolve(*copying.from, there));
  BLOBSCOPE_TRY(node, library::findNode(*copying.from, there, monitor));
  if (!node.bytes) return cannotEdit(there, node.whyNoBytes);
  AddModule add{copying.newId, std::string(found.module->key.view()), {{}, *node.bytes}, {}, {}};
  for (const auto& parent : found.blob->modules) {
    if (std::find(parent->imports.begin(), parent->imports.end(), there.module) == parent->imports.end()) continue;
    const std::optional<Ref> here =
        counterpart(copying, {found.package, found.blob, found.blobIndex, parent.get(), {}});
    if (!here) continue;
    BLOBSCOPE_TRY(target, copying.target(*here));
    add.parents.push_back(target.toString());
  }
  if (add.parents.empty() && found.blob->cut.tree)
    return cannotEdit(there, "none of the modules that import it has a counterpart here");
  if (add.parents.empty()) add.parents.push_back("blob");
  return std::vector<Edit>{std::move(add)};
}

} // namespace

Result<std::vector<Edit>> copyEdits(const Copying& copying, Monitor& monitor) {
  if (!copying.there) {
    BLOBSCOPE_TRY(target, copying.target(*copying.here));
    return std::vector<Edit>{Remove{std::move(target)}};
  }
  if (!copying.here) {
    if (isKernel(*copying.there)) return addKernel(copying);
    if (isModule(*copying.there)) return addModule(copying, monitor);
    return cannotEdit(*copying.there, "only modules and kernels can be added by a copy");
  }
  BLOBSCOPE_TRY(node, library::findNode(*copying.from, *copying.there, monitor));
  if (!node.bytes)
    return Error(DiagnosticId::RefNoBytes, {arg("ref", copying.there->toString()), {"reason", node.whyNoBytes}},
                 *copying.there);
  BLOBSCOPE_TRY(present, library::findNode(*copying.to, *copying.here, monitor));
  BLOBSCOPE_TRY(target, copying.target(*copying.here));
  std::vector<Edit> edits;
  if (!present.bytes || present.bytes->view() != node.bytes->view())
    edits.push_back(Replace{target, {{}, *node.bytes}});
  if ((isKernel(*copying.here) && isKernel(*copying.there)) || (isModule(*copying.here) && isModule(*copying.there))) {
    BLOBSCOPE_TRY(name, nameOf(*copying.from, *copying.there));
    BLOBSCOPE_TRY(old, nameOf(*copying.to, *copying.here));
    if (name != old) edits.push_back(Rename{std::move(target), std::move(name)});
  }
  return edits;
}

} // namespace blobscope::edit
