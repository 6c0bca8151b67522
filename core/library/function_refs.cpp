#include "core/library/function_refs.h"

namespace blobscope::library {

FunctionRefs functionRefs(const PackagePtr& package) {
  FunctionRefs refs;
  forEachPackage(package, [&](const PackagePtr& inner) {
    for (const auto& blob : inner->blobs)
      for (const ModulePtr& module : blob->modules)
        for (const modules::PartGroup& group : module->body->parts())
          if (group.kind == PartKind::Function)
            for (const modules::Part& part : group.parts)
              refs.try_emplace(part.name, blob->moduleRef(module->index).part(PartKind::Function, part.name));
  });
  forEachPackage(package, [&](const PackagePtr& inner) {
    for (const host::Function& function : inner->host.functions) {
      const Ref ref = inner->ref(Ref::named(Ref::Kind::Host, function.name));
      refs.try_emplace(std::string(function.name), ref);
      refs.try_emplace(std::string(inner->image.symbols[function.symbol].name), ref);
    }
  });
  forEachPackage(package, [&](const PackagePtr& inner) {
    for (const auto& blob : inner->blobs)
      for (const ModulePtr& module : blob->modules)
        for (const modules::Kernel& kernel : module->body->kernels())
          refs.try_emplace(std::string(kernel.name.view()),
                           blob->moduleRef(module->index).part(PartKind::Kernel, std::string(kernel.name.view())));
  });
  return refs;
}

} // namespace blobscope::library
