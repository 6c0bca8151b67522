#include "app/runner/library.h"

#include "core/base/path_text.h"

#include "app/runner/backends/loader.h"
#include "app/runner/calls.h"
#include "app/runner/channel.h"
#include "app/runner/system.h"

#include <algorithm>
#include <csetjmp>
#include <filesystem>
#include <utility>

namespace blobscope::runner {
namespace {

/// The target of a library's context pointer; only its address matters.
int g_moduleCookie = 0;

constexpr std::string_view kShimName = "blobscope-shim";
constexpr std::string_view kMetadataShimName = "blobscope-metadata-shim";

/// Returns the loader's message without the path at its start.
std::string withoutPath(std::string text, const std::string& path) {
  if (text.starts_with(path + ": ")) text.erase(0, path.size() + 2);
  return text;
}

/// Loads a library that belongs to the runner. Error: RUN-LOAD.
Result<void*> loadOwn(std::string_view name) {
  const std::string path = pathText(ownProgram().parent_path() / loader::libraryFileName(name));
  std::string reason;
  if (void* const library = loader::load(path, loader::Scope::Global, false, reason)) return library;
  return Error(DiagnosticId::RunLoad,
               {{"reason", "'" + path + "' belongs to the runner: " + withoutPath(std::move(reason), path)}});
}

/// Source: core/formats/host-abi.md 1.2, 1.3: pointer variables that the library exports.
constexpr std::pair<const char*, const char*> kFunctionCells[] = {
    {"__TVMFuncCall", "TVMFuncCall"},
    {"__TVMAPISetLastError", "TVMAPISetLastError"},
    {"__TVMBackendGetFuncFromEnv", "TVMBackendGetFuncFromEnv"},
    {"__TVMBackendAllocWorkspace", "TVMBackendAllocWorkspace"},
    {"__TVMBackendFreeWorkspace", "TVMBackendFreeWorkspace"},
    {"__TVMBackendParallelLaunch", "TVMBackendParallelLaunch"},
    {"__TVMBackendParallelBarrier", "TVMBackendParallelBarrier"},
    {"__TVMFFIFunctionCall", "TVMFFIFunctionCall"},
    {"__TVMFFIErrorSetRaisedFromCStr", "TVMFFIErrorSetRaisedFromCStr"},
    {"__TVMFFIErrorSetRaisedFromCStrParts", "TVMFFIErrorSetRaisedFromCStrParts"},
    {"__TVMFFIEnvModLookupFromImports", "TVMFFIEnvModLookupFromImports"},
    {"__TVMFFIHandleInitOnce", "TVMFFIHandleInitOnce"},
    {"__TVMBackendSetDevice", "TVMBackendSetDevice"},
};
constexpr const char* kContexts[] = {"__tvm_module_ctx", "__tvm_ffi_library_ctx", "__tvm_ffi__library_ctx"};

/// Where a call returns when it reaches a function that is missing on this machine, and the name of that function.
thread_local std::jmp_buf* g_returnPoint = nullptr;
thread_local std::string g_missing;

/// Replaces every function of a missing runtime. The library's stack frames are dropped without cleanup.
[[noreturn]] void stopAtMissing(const char* name) {
  if (g_returnPoint) {
    g_missing = name;
    std::longjmp(*g_returnPoint, 1);
  }
  // Called from a constructor of the library or from one of its own threads: there is no call to stop.
  sendEvent(Error(DiagnosticId::RunImports, {arg("names", name)}));
  finish(kLoadFailed);
}

/// Loads the libraries that core/run/stubs.h wrote next to the library. Error: RUN-LOAD.
Result<Done> loadStubs(const std::filesystem::path& folder) {
  std::error_code failure;
  for (unsigned i = 0;; ++i) {
    const std::filesystem::path path = folder / ("stub-" + std::to_string(i) + ".so");
    if (!std::filesystem::exists(path, failure)) return Done{};
    std::string reason;
    void* const handle = loader::load(pathText(path), loader::Scope::Global, false, reason);
    void* const cell = handle ? loader::findSymbol(handle, "blobscopeMissing") : nullptr;
    if (!cell) return Error(DiagnosticId::RunLoad, {{"reason", withoutPath(std::move(reason), pathText(path))}});
    *static_cast<void (**)(const char*)>(cell) = stopAtMissing;
    if (i == 0) sendLog("calls that reach a function of a missing runtime are stopped in this dry run");
  }
}

/// Valid during one call on this thread; calls nest, since host functions call each other through the runtime.
class ReturnPoint {
public:
  explicit ReturnPoint(std::jmp_buf& point) : m_outer(std::exchange(g_returnPoint, &point)) {}
  ReturnPoint(const ReturnPoint&) = delete;
  ReturnPoint& operator=(const ReturnPoint&) = delete;
  ~ReturnPoint() { g_returnPoint = m_outer; }

private:
  std::jmp_buf* m_outer;
};

} // namespace

Result<Done> loadMetadataShim() {
  BLOBSCOPE_CHECK(loadOwn(kMetadataShimName));
  return Done{};
}

Result<Done> loadShim(const BlobscopeShimTable& table) {
  BLOBSCOPE_TRY(shim, loadOwn(kShimName));
  const auto use = reinterpret_cast<BlobscopeShimUse>(loader::findSymbol(shim, BLOBSCOPE_SHIM_USE));
  if (!use) return Error(DiagnosticId::RunLoad, {{"reason", "the runner and its shim belong to different versions"}});
  use(&table);
  return Done{};
}

Result<HostLibrary> HostLibrary::load(const std::string& path, std::string_view abi, bool lazy) {
  const bool known =
      abi == "classic" || abi == "ffi1" || abi == "ffi2" || abi == "ffi3" || abi == "ffi4" || abi == "ffi5";
  if (!known) return Error(DiagnosticId::RunAbiUnknown, {});
  HostLibrary library;
  library.m_classic = abi == "classic";
  if (abi != "classic" && abi != "ffi1") library.m_prefix = "__tvm_ffi_";
  BLOBSCOPE_CHECK(loadStubs(pathFrom(path).parent_path()));
  std::string reason;
  library.m_handle = loader::load(path, loader::Scope::Local, lazy, reason);
  if (!library.m_handle) return Error(DiagnosticId::RunLoad, {{"reason", withoutPath(std::move(reason), path)}});
  system::sendRange(library.m_handle);

  for (const auto& [cell, function] : kFunctionCells)
    if (void* const at = loader::findSymbol(library.m_handle, cell))
      *static_cast<void**>(at) = loader::findGlobalSymbol(function);
  for (const char* const context : kContexts)
    if (void* const at = loader::findSymbol(library.m_handle, context)) *static_cast<void**>(at) = &g_moduleCookie;
  return library;
}

void* HostLibrary::find(const std::string& name) const {
  return loader::findSymbol(m_handle, (m_prefix + name).c_str());
}

std::string HostLibrary::takeMissing() { return std::exchange(g_missing, {}); }

void PackedArguments::add(int code, int32_t type, TvmValue value) {
  if (m_count >= m_codes.size()) pad();
  m_values[m_count] = value;
  m_codes[m_count] = code;
  m_any[m_count] = {type, 0, value};
  m_used = std::max(m_used, ++m_count);
}

void PackedArguments::pad() {
  const bool real = m_padding != nullptr;
  const TvmValue value{.pointer = m_padding};
  const int code = real ? kClassicTensor : kClassicNull;
  const FfiAny any = real ? FfiAny{kFfiTensor, 0, value} : FfiAny{};
  if (m_codes.size() < m_count + kPadding) {
    m_values.resize(m_count + 2 * kPadding, value);
    m_codes.resize(m_count + 2 * kPadding, code);
    m_any.resize(m_count + 2 * kPadding, any);
  }
  const std::size_t end = real ? m_codes.size() : m_used;
  for (std::size_t i = m_count; i < end; ++i) {
    m_values[i] = value;
    m_codes[i] = code;
    m_any[i] = any;
  }
  m_used = m_count;
}

int HostLibrary::call(void* function, PackedArguments& arguments, FfiAny* result) const {
  arguments.pad();
  const int count = arguments.count();
  const auto code = [&] {
    TvmValue value{};
    int resultCode = kClassicNull;
    FfiAny unused;
    if (m_classic)
      return reinterpret_cast<ClassicFunction>(function)(arguments.m_values.data(), arguments.m_codes.data(), count,
                                                         &value, &resultCode, nullptr);
    return reinterpret_cast<FfiFunction>(function)(nullptr, arguments.m_any.data(), count, result ? result : &unused);
  };
  return guarded(code);
}

int HostLibrary::guarded(const std::function<int()>& code) {
  // Variables that change between the two returns of setjmp are not read after the second return.
  std::jmp_buf point;
  const ReturnPoint scope(point);
  return setjmp(point) == 0 ? code() : -1;
}

} // namespace blobscope::runner
