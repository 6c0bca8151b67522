#include "app/runner/backends/cuda/jit_link.h"

#include "app/runner/backends/cuda/fetched.h"
#include "app/runner/backends/dynamic_library.h"
#include "core/process/toolkit_library.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace blobscope::runner::cuda {
namespace {

constexpr int kPtxInput = 2;

using Handle = struct HandleTag*;

/// Our own declarations of nvJitLink's functions; results are nvJitLinkResult, 0 for success. Source:
/// core/formats/cuda-binaries.md; tests/runner/test_compile.cpp calls them where the CUDA toolkit is installed.
struct LinkApi {
  int (*create)(Handle*, uint32_t, const char**) = nullptr;
  int (*destroy)(Handle*) = nullptr;
  int (*addData)(Handle, int, const void*, std::size_t, const char*) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*cubinSize)(Handle, std::size_t*) = nullptr;
  int (*cubin)(Handle, void*) = nullptr;
  int (*errorSize)(Handle, std::size_t*) = nullptr;
  int (*error)(Handle, char*) = nullptr;
  int (*infoSize)(Handle, std::size_t*) = nullptr;
  int (*info)(Handle, char*) = nullptr;
  int (*version)(unsigned*, unsigned*) = nullptr; ///< may be missing

  explicit LinkApi(const DynamicLibrary& library) {
    find(library, "nvJitLinkCreate", create);
    find(library, "nvJitLinkDestroy", destroy);
    find(library, "nvJitLinkAddData", addData);
    find(library, "nvJitLinkComplete", complete);
    find(library, "nvJitLinkGetLinkedCubinSize", cubinSize);
    find(library, "nvJitLinkGetLinkedCubin", cubin);
    find(library, "nvJitLinkGetErrorLogSize", errorSize);
    find(library, "nvJitLinkGetErrorLog", error);
    find(library, "nvJitLinkGetInfoLogSize", infoSize);
    find(library, "nvJitLinkGetInfoLog", info);
    find(library, "nvJitLinkVersion", version);
  }
  bool isWhole() const {
    return create && destroy && addData && complete && cubinSize && cubin && errorSize && error && infoSize && info;
  }

private:
  template <class F> static void find(const DynamicLibrary& library, const char* name, F& function) {
    function = library.function<F>(name);
  }
};

/// Owns a handle and destroys it.
class Link {
public:
  explicit Link(const LinkApi& api) : m_api(api) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() {
    if (handle) m_api.destroy(&handle);
  }
  /// One of the two logs, without the zero at its end; empty when there is none.
  std::string log(int (*size)(Handle, std::size_t*), int (*get)(Handle, char*)) const {
    const std::string out = fetched(size, get, handle).value_or("");
    return out.substr(0, out.find('\0'));
  }
  Handle handle = nullptr;

private:
  const LinkApi& m_api;
};

Error refused(std::string reason) {
  return {DiagnosticId::RunBuild, {{"kind", "PTX"}, {"name", "module"}, arg("reason", std::move(reason))}};
}

Result<CompilerOutput> linkWith(const LinkApi& api, std::string_view ptx, const std::string& architecture,
                                const std::vector<std::string>& flags) {
  CompilerOutput out;
  out.compiler = "nvJitLink";
  unsigned major = 0, minor = 0;
  if (api.version && api.version(&major, &minor) == 0)
    out.compiler += ' ' + std::to_string(major) + '.' + std::to_string(minor);
  std::vector<std::string> options = {"-arch=" + architecture};
  options.insert(options.end(), flags.begin(), flags.end());
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  Link link(api);
  if (const int status = api.create(&link.handle, static_cast<uint32_t>(pointers.size()), pointers.data());
      status != 0) {
    std::string all;
    for (const std::string& option : options) all += (all.empty() ? "" : " ") + option;
    return refused("nvJitLink does not accept the options " + all + " (result " + std::to_string(status) + ")");
  }
  // The text with the zero at its end.
  const std::string text(ptx.substr(0, ptx.find('\0')));
  int status = api.addData(link.handle, kPtxInput, text.c_str(), text.size() + 1, "kernel.ptx");
  if (status == 0) status = api.complete(link.handle);
  out.log = link.log(api.errorSize, api.error) + link.log(api.infoSize, api.info);
  if (status != 0) {
    if (out.log.empty()) out.log = "error " + std::to_string(status) + " without a log";
    return out;
  }
  const auto image = fetched(api.cubinSize, api.cubin, link.handle);
  if (!image || image->empty()) return refused("nvJitLink returned no image");
  out.image = Bytes::copyOf(*image);
  return out;
}

} // namespace

Result<CompilerOutput> linkPtx(const NvrtcSearch& search, std::string_view ptx, const std::string& architecture,
                               const std::vector<std::string>& flags) {
  std::string places;
  for (const std::string& file : process::toolkitLibraryFiles("nvJitLink", search)) {
    std::string reason;
    const auto library = DynamicLibrary::open(file, reason);
    places += (places.empty() ? "" : ", ") + file;
    if (!library) continue;
    const LinkApi api(*library);
    if (api.isWhole()) return linkWith(api, ptx, architecture, flags);
  }
  return Error(DiagnosticId::ToolMissing,
               {{"tool", "nvJitLink, which compiles PTX,"}, {"source", "the CUDA toolkit"}, arg("places", places)});
}

} // namespace blobscope::runner::cuda
