#include "ui/pages/kind_look.h"

#include "ui/text/plain_text.h"

#include <QObject>

#include <array>

namespace blobscope::ui {

QString kindText(library::RowKind kind) {
  using enum library::RowKind;
  switch (kind) {
  case Library: return QObject::tr("file");
  case Blob: return QObject::tr("blob");
  case Module: return QObject::tr("module");
  case Kernel: return QObject::tr("kernel");
  case Function: return QObject::tr("function");
  case Constant: return QObject::tr("constant");
  case Image: return QObject::tr("image");
  case HostFunction: return QObject::tr("host function");
  case Section: return QObject::tr("section");
  case Folder: return QObject::tr("folder");
  case Member: return QObject::tr("member");
  default: return {};
  }
}

KindLook kindLook(library::RowKind kind, const QString& moduleKey) {
  using enum library::RowKind;
  switch (kind) {
  case Library: return {QStringLiteral("kind-library"), Role::KindContainer};
  case Kernels:
  case Kernel: return {QStringLiteral("kind-kernel"), Role::KindDevice};
  case Functions:
  case Function: return {QStringLiteral("kind-function"), Role::KindVm};
  case Constants:
  case Constant: return {QStringLiteral("kind-constants"), Role::KindData};
  case Images:
  case Image: return {QStringLiteral("kind-section"), Role::KindDevice};
  case HostCode: return {QStringLiteral("kind-host-code"), Role::KindHost};
  case HostFunction: return {QStringLiteral("kind-function"), Role::KindHost};
  case Symbols: return {QStringLiteral("kind-symbol"), Role::KindHost};
  case More: return {QStringLiteral("forward"), Role::Secondary};
  case Folder: return {QStringLiteral("kind-archive"), Role::KindContainer};
  case Member:
    if (moduleKey == QLatin1String("params")) return {QStringLiteral("kind-constants"), Role::KindData};
    if (moduleKey == QLatin1String("graph")) return {QStringLiteral("kind-graph"), Role::KindVm};
    if (moduleKey == QLatin1String("source") || moduleKey == QLatin1String("object") ||
        moduleKey == QLatin1String("header") || moduleKey == QLatin1String("library"))
      return {QStringLiteral("kind-host-code"), Role::KindHost};
    return {QStringLiteral("kind-member"), Role::KindContainer};
  case Blob:
  case Sections:
  case Section: return {QStringLiteral("kind-section"), Role::KindContainer};
  case Module: break;
  default: return {QStringLiteral("kind-unknown"), Role::KindUnknown};
  }
  struct Known {
    const char* key;
    const char* icon;
    Role role;
  };
  constexpr std::array<Known, 15> kKnown = {{{"_lib", "kind-host-code", Role::KindHost},
                                             {"cuda", "kind-cuda", Role::KindDevice},
                                             {"opencl", "kind-opencl", Role::KindDevice},
                                             {"vulkan", "kind-vulkan", Role::KindDevice},
                                             {"metal", "kind-metal", Role::KindDevice},
                                             {"webgpu", "kind-webgpu", Role::KindDevice},
                                             {"hip", "kind-rocm", Role::KindDevice},
                                             {"hsaco", "kind-rocm", Role::KindDevice},
                                             {"hexagon", "kind-hexagon", Role::KindDevice},
                                             {"relax.Executable", "kind-vm", Role::KindVm},
                                             {"relax.VMExecutable", "kind-vm", Role::KindVm},
                                             {"VMExecutable", "kind-vm", Role::KindVm},
                                             {"GraphExecutorFactory", "kind-graph", Role::KindVm},
                                             {"GraphRuntimeFactory", "kind-graph", Role::KindVm},
                                             {"const_loader", "kind-constants", Role::KindData}}};
  for (const Known& known : kKnown)
    if (moduleKey == QLatin1String(known.key)) return {QLatin1String(known.icon), known.role};
  return {QStringLiteral("kind-module"), Role::KindUnknown};
}

std::optional<Role> spanRole(const view::Span& span) {
  using enum library::RowKind;
  const auto roleOf = [&](library::RowKind kind) { return kindLook(kind, toQt(span.moduleKey)).role; };
  switch (span.owner) {
  case view::Span::Owner::Module: return roleOf(Module);
  case view::Span::Owner::Blob: return roleOf(Blob);
  case view::Span::Owner::HostCode: return roleOf(HostCode);
  case view::Span::Owner::Data: return roleOf(Section);
  case view::Span::Owner::Tables: return roleOf(Symbols);
  case view::Span::Owner::Field: break;
  }
  return std::nullopt;
}

QString kindTopic(library::RowKind kind, const QString& moduleKey) {
  using enum library::RowKind;
  switch (kind) {
  case Library: return QStringLiteral("container");
  case Blob: return QStringLiteral("blob");
  case Kernels:
  case Kernel: return QStringLiteral("kernel");
  case Constants:
  case Constant: return QStringLiteral("constants");
  case HostCode:
  case HostFunction: return QStringLiteral("packed-function");
  case Module: break;
  default: return {};
  }
  struct Known {
    const char *key, *topic;
  };
  constexpr std::array<Known, 8> kKnown = {{{"_lib", "lib-module"},
                                            {"cuda", "cuda-module"},
                                            {"opencl", "opencl-module"},
                                            {"vulkan", "vulkan-module"},
                                            {"relax.Executable", "relax-executable"},
                                            {"relax.VMExecutable", "relax-executable"},
                                            {"const_loader", "constants"},
                                            {"metadata", "constants"}}};
  for (const Known& known : kKnown)
    if (moduleKey == QLatin1String(known.key)) return QLatin1String(known.topic);
  return kindLook(kind, moduleKey).role == Role::KindDevice ? QStringLiteral("device-module") : QString();
}

} // namespace blobscope::ui
