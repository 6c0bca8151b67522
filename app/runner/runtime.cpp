#include "app/runner/runtime.h"

#include "app/runner/channel.h"
#include "app/runner/parallel.h"
#include "core/base/source.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <utility>

namespace blobscope::runner {
namespace {

/// Longest name and longest text that are accepted from a library.
constexpr std::size_t kNameBytes = 4'096;
constexpr std::size_t kTextBytes = 64'000;
/// Maximum number of parts of one raised text, and of values of one call.
constexpr int kParts = 10'000;
constexpr int kValues = 100'000;
/// Maximum number of symbols that constructors may register.
constexpr std::size_t kSymbols = 1'000'000;

/// The functions of the table have no other access to it.
Runtime* g_installed = nullptr;

/// The codes of values that compiled functions of a virtual machine use, in both conventions.
constexpr std::pair<int, int32_t> kCodes[] = {
    {kClassicInt, kFfiInt},       {kClassicUInt, kFfiInt},     {kClassicInt, kFfiBool},
    {kClassicFloat, kFfiFloat},   {kClassicNull, kFfiNone},    {kClassicType, kFfiDataType},
    {kClassicTensor, kFfiTensor}, {kClassicArray, kFfiTensor}, {kClassicText, kFfiRawString},
};

FfiAny ffiOf(const TvmValue& value, int code) {
  const auto found = std::ranges::find(kCodes, code, &std::pair<int, int32_t>::first);
  if (code == kClassicNull) return {};
  return {found != std::end(kCodes) ? found->second : int32_t{kFfiPointer}, 0, value};
}

void setClassic(const FfiAny& from, TvmValue* value, int* code) {
  const auto found = std::ranges::find(kCodes, from.type, &std::pair<int, int32_t>::second);
  if (value) *value = from.value;
  if (code) *code = found != std::end(kCodes) ? found->first : int{kClassicHandle};
}

std::string textOf(const char* text, std::size_t limit) {
  return text ? std::string(text, strnlen(text, limit)) : std::string();
}

} // namespace

/// The functions of the shim's table. No exception leaves them: the callers are C.
struct ShimAnswers {
  static int callClassic(void* function, void* values, int* codes, int count, void* result, int* resultCode) noexcept {
    auto* const handle = static_cast<FunctionHandle*>(function);
    if (resultCode) *resultCode = kClassicNull;
    if (!handle || count < 0 || count > kValues) return -1;
    auto* const given = static_cast<TvmValue*>(values);
    if (handle->kind == FunctionHandle::Kind::Host)
      return reinterpret_cast<ClassicFunction>(handle->host)(given, codes, count, static_cast<TvmValue*>(result),
                                                             resultCode, nullptr);
    if (handle->kind == FunctionHandle::Kind::Program) {
      std::vector<PlacedValue> placed;
      for (int i = 0; i < count; ++i) placed.push_back({given + i, ffiOf(given[i], codes[i])});
      auto value = g_installed->m_program->call(handle->builtin, placed, result);
      if (!value) return g_installed->refuse(value.takeError());
      setClassic(*value, static_cast<TvmValue*>(result), resultCode);
      return 0;
    }
    std::vector<PackedValue> packed;
    for (int i = 0; i < count; ++i) packed.push_back(packedOf(given[i], codes[i]));
    return answer(*handle, packed);
  }

  static int callFfi(void* function, void* arguments, int32_t count, void* result) noexcept {
    return safeCall(function, static_cast<const FfiAny*>(arguments), count, static_cast<FfiAny*>(result));
  }

  static int safeCall(void* self, const FfiAny* arguments, int32_t count, FfiAny* result) noexcept {
    auto* const handle = static_cast<FunctionHandle*>(self);
    if (!handle || count < 0 || count > kValues) return -1;
    if (handle->kind == FunctionHandle::Kind::Host)
      return reinterpret_cast<FfiFunction>(handle->host)(nullptr, arguments, count, result);
    if (handle->kind == FunctionHandle::Kind::Program) {
      std::vector<PlacedValue> placed;
      for (int32_t i = 0; i < count; ++i) placed.push_back({arguments + i, arguments[i]});
      auto value = g_installed->m_program->call(handle->builtin, placed, result);
      if (!value) return g_installed->refuse(value.takeError());
      if (result) *result = *value;
      return 0;
    }
    if (result) *result = FfiAny{};
    std::vector<PackedValue> packed;
    for (int32_t i = 0; i < count; ++i) packed.push_back(packedOf(arguments[i]));
    return answer(*handle, packed);
  }

  static int answer(FunctionHandle& handle, std::span<const PackedValue> values) noexcept {
    using Kind = FunctionHandle::Kind;
    switch (handle.kind) {
    case Kind::Kernel: return g_installed->launch(handle, values);
    case Kind::SetDevice: return values.size() == 2 ? g_installed->setDevice(static_cast<int>(values[0].bits)) : 0;
    case Kind::GlobalBarrier: sendLog("the global barrier of '" + handle.name + "' is prepared"); return 0;
    default: return 0;
    }
  }

  static int lookUp(void*, const char* name, void** out) noexcept {
    if (!out) return -1;
    *out = g_installed->lookUp(textOf(name, kNameBytes));
    return *out ? 0 : -1;
  }

  static int once(void** cell, int (*initialise)(void**)) noexcept {
    const std::lock_guard lock(g_installed->m_lock);
    if (!cell || !initialise) return -1;
    if (*cell) return 0;
    void* made = nullptr;
    if (const int code = initialise(&made); code != 0) return code;
    if (!made) {
      g_installed->raise("the initialiser of a handle returned nothing");
      return -1;
    }
    *cell = made;
    return 0;
  }

  static void raise(const char* kind, const char* message) noexcept {
    const std::string before = kind ? textOf(kind, kNameBytes) + ": " : std::string();
    g_installed->raise(before + textOf(message, kTextBytes));
  }

  static void raiseParts(const char* kind, const char** parts, int32_t count) noexcept {
    std::string text = kind ? textOf(kind, kNameBytes) + ": " : std::string();
    for (int32_t i = 0; i < std::min(count, kParts) && parts && text.size() < kTextBytes; ++i)
      text += textOf(parts[i], kTextBytes);
    g_installed->raise(std::move(text));
  }

  static int setDevice(int deviceType, int) noexcept { return g_installed->setDevice(deviceType); }

  static int registerSymbol(const char* name, void* address) noexcept {
    const std::lock_guard lock(g_installed->m_lock);
    if (!name || g_installed->m_registered.size() >= kSymbols) return -1;
    g_installed->m_registered[textOf(name, kNameBytes)] = address;
    return 0;
  }

  static void* allocateWorkspace(int deviceType, int, uint64_t bytes, int, int) noexcept {
    return g_installed->m_memory ? g_installed->m_memory->takeWorkspace(deviceType, bytes) : nullptr;
  }

  static int freeWorkspace(int, int, void* pointer) noexcept {
    return g_installed->m_memory && g_installed->m_memory->releaseWorkspace(pointer) ? 0 : -1;
  }

  /// The value at an offset in arrays of the library.
  struct Place {
    TvmValue* classic = nullptr;
    int* code = nullptr;
    FfiAny* any = nullptr;
    const void* address() const { return any ? static_cast<const void*>(any) : classic; }
    FfiAny value() const { return any ? *any : ffiOf(*classic, *code); }
    void set(const FfiAny& value) const {
      if (any)
        *any = value;
      else
        setClassic(value, classic, code);
    }
  };
  /// Without a program there is nothing to answer. Error: RUN-UNRESOLVED.
  static Result<Place> placeOf(const char* name, void* values, void* codes, int offset) {
    if (!g_installed->m_program) return Error(DiagnosticId::RunUnresolved, {{"name", name}});
    // The upper half of a register that has an int is undefined.
    if (!g_installed->m_library->isClassic())
      return Place{nullptr, nullptr,
                   static_cast<FfiAny*>(values) + static_cast<int32_t>(reinterpret_cast<intptr_t>(codes))};
    return Place{static_cast<TvmValue*>(values) + offset, static_cast<int*>(codes) + offset, nullptr};
  }

  static int getListItem(void* list, int index, void* values, void* codes, int offset) noexcept {
    const auto get = [&]() -> Result<Done> {
      BLOBSCOPE_TRY(place, placeOf("TVMBackendAnyListSetPackedArg", values, codes, offset));
      BLOBSCOPE_TRY(value, g_installed->m_program->get(list, index, place.address()));
      place.set(value);
      return Done{};
    };
    return codeOf(get());
  }

  static int setListItem(void* list, int index, void* values, void* codes, int offset) noexcept {
    const auto set = [&]() -> Result<Done> {
      BLOBSCOPE_TRY(place, placeOf("TVMBackendAnyListMoveFromPackedReturn", values, codes, offset));
      BLOBSCOPE_CHECK(g_installed->m_program->set(list, index, {place.address(), place.value()}));
      place.set({});
      return Done{};
    };
    return codeOf(set());
  }

  static int resetListItem(void* list, int index) noexcept {
    if (!g_installed->m_program)
      return g_installed->refuse(Error(DiagnosticId::RunUnresolved, {{"name", "TVMBackendAnyListResetItem"}}));
    return codeOf(g_installed->m_program->reset(list, index));
  }

  static int codeOf(Result<Done> done) noexcept { return done ? 0 : g_installed->refuse(done.takeError()); }

  static constexpr BlobscopeShimTable kTable = {
      callClassic,    callFfi,           lookUp,        once,           raise,           raiseParts,  setDevice,
      registerSymbol, allocateWorkspace, freeWorkspace, parallelLaunch, parallelBarrier, getListItem, setListItem,
      resetListItem};
};

Runtime::Runtime(const protocol::Job& job, std::filesystem::path folder) : m_job(job), m_folder(std::move(folder)) {
  // The first module that defines a name is used, as in a search through imports.
  for (const protocol::JobModule& module : job.modules)
    for (const protocol::JobKernel& kernel : module.kernels) {
      if (m_byName.contains(kernel.name)) continue;
      FunctionHandle& handle = add(FunctionHandle::Kind::Kernel, kernel.name);
      handle.module = &module;
      handle.kernel = &kernel;
    }
}

Result<Done> Runtime::install() {
  g_installed = this;
  return loadShim(ShimAnswers::kTable);
}

void Runtime::begin(Memory& memory, bool reportsLaunches, bool timing) {
  const std::lock_guard lock(m_lock);
  m_memory = &memory;
  m_reportsLaunches = reportsLaunches;
  m_timing = timing;
  m_launches = 0;
  m_launched.clear();
  m_problem.reset();
  m_raised.clear();
  m_hasTrouble = false;
}

void Runtime::end() {
  const std::lock_guard lock(m_lock);
  m_memory = nullptr;
}

std::optional<Error> Runtime::takeProblem() {
  const std::lock_guard lock(m_lock);
  m_hasTrouble = !m_raised.empty();
  return std::exchange(m_problem, std::nullopt);
}

std::string Runtime::takeRaised() {
  const std::lock_guard lock(m_lock);
  m_hasTrouble = m_problem.has_value();
  return std::exchange(m_raised, {});
}

void* Runtime::registered(const std::string& name) const {
  const std::lock_guard lock(m_lock);
  for (const char* const prefix : {"", "__tvm_ffi_"})
    if (const auto found = m_registered.find(prefix + name); found != m_registered.end()) return found->second;
  return nullptr;
}

FunctionHandle& Runtime::add(FunctionHandle::Kind kind, const std::string& name) {
  FunctionHandle& handle = m_handles.emplace_back();
  handle.safeCall = ShimAnswers::safeCall;
  handle.kind = kind;
  handle.name = name;
  m_byName[name] = &handle;
  return handle;
}

FunctionHandle* Runtime::kernel(const std::string& name) {
  const auto found = m_byName.find(name);
  return found != m_byName.end() && found->second->kernel ? found->second : nullptr;
}

FunctionHandle* Runtime::lookUp(const std::string& name) {
  using Kind = FunctionHandle::Kind;
  const std::lock_guard lock(m_lock);
  if (const auto found = m_byName.find(name); found != m_byName.end()) return found->second;
  if (name == "__tvm_set_device") return &add(Kind::SetDevice, name);
  if (name == "__tvm_prepare_global_barrier") return &add(Kind::GlobalBarrier, name);
  void* host = m_library ? m_library->find(name) : nullptr;
  if (!host) host = registered(name);
  if (host) {
    FunctionHandle& handle = add(Kind::Host, name);
    handle.host = host;
    return &handle;
  }
  if (const void* const builtin = m_program ? m_program->findBuiltin(name) : nullptr) {
    FunctionHandle& handle = add(Kind::Program, name);
    handle.builtin = builtin;
    return &handle;
  }
  if (m_job.mode == protocol::Mode::Dry && m_job.options.continueUnknown) {
    sendLog("the unknown global function '" + name + "' does nothing");
    return &add(Kind::Ignored, name);
  }
  if (m_program)
    refuse(Error(DiagnosticId::RunProgram,
                 {{"reason", "the function '" + escapedWithin(name, 200) +
                                 "', which it calls, is neither in the library nor in Blobscope"}}));
  else
    refuse(Error(DiagnosticId::RunUnresolved, {arg("name", name)}));
  return nullptr;
}

int Runtime::refuse(Error error) {
  const std::lock_guard lock(m_lock);
  // The first problem explains the later ones.
  if (!m_problem) m_problem = std::move(error);
  m_hasTrouble = true;
  return -1;
}

void Runtime::raise(std::string text) {
  const std::lock_guard lock(m_lock);
  m_raised = std::move(text);
  m_hasTrouble = true;
}

int Runtime::setDevice(int deviceType) {
  if (m_backend && deviceType != m_backend->deviceType())
    sendLog("the library selects a device with DLPack type " + std::to_string(deviceType) +
            ", but the chosen device has type " + std::to_string(m_backend->deviceType()));
  return 0;
}

int Runtime::launch(FunctionHandle& handle, std::span<const PackedValue> values) {
  const std::lock_guard lock(m_lock);
  auto done = launchNow(handle, values);
  return done ? 0 : refuse(done.takeError());
}

Result<Done> Runtime::launchNow(FunctionHandle& handle, std::span<const PackedValue> values) {
  const protocol::JobKernel& kernel = *handle.kernel;
  BLOBSCOPE_TRY(decoded, decodeLaunch(kernel, values));
  const Launch& launch = decoded.launch;
  if (m_reportsLaunches && m_launches < m_job.limits.launches) {
    for (const std::string& axis : decoded.zeroExtents)
      sendEvent(Error(DiagnosticId::RunExtent, {arg("kernel", kernel.name), arg("axis", axis)}));
    protocol::LaunchEvent seen;
    seen.call = currentCall().value_or(0);
    seen.kernel = kernel.name;
    seen.extents = {launch.grid, launch.block, launch.cluster, launch.dynamicShared};
    seen.programmatic = launch.programmatic;
    seen.cooperative = launch.cooperative;
    for (std::size_t i = 0; i < launch.arguments.size() && i < protocol::kEventItems; ++i) {
      protocol::LaunchArgument argument;
      if (kernel.arguments[i].code == 3 && m_memory)
        argument = m_memory->placeOf(launch.arguments[i]);
      else
        argument = {std::nullopt, launch.arguments[i], kernel.arguments[i]};
      seen.arguments.push_back(std::move(argument));
    }
    sendEvent(seen);
  }
  ++m_launches;
  if (!m_backend) {
    if (m_job.mode == protocol::Mode::Dry || m_job.mode == protocol::Mode::Probe) return Done{};
    return Error(DiagnosticId::RunNoDevice,
                 {arg("kind", handle.module->kind),
                  {"reason", "none was chosen, but kernel '" + kernel.name + "' is launched"}});
  }
  BLOBSCOPE_TRY(ready, this->ready(handle));
  enterQuietly(protocol::Stage::Launch, m_job.limits.runMs);
  BLOBSCOPE_TRY(index, m_backend->launch(*ready, launch, m_timing));
  (void)index;
  if (m_timing) m_launched.push_back(kernel.name);
  enterQuietly(protocol::Stage::HostCall, m_job.limits.runMs);
  return Done{};
}

Result<Kernel*> Runtime::ready(FunctionHandle& handle) {
  if (handle.loaded) return handle.loaded.get();
  enter(protocol::Stage::Module, m_job.limits.buildMs);
  const protocol::JobModule& module = *handle.module;
  KernelSource source;
  source.name = handle.kernel->name;
  source.format = module.format;
  source.uniformScalars = handle.kernel->uniformScalars;
  source.widenHalf = m_job.options.widenHalf;
  source.parameters = parametersOf(*handle.kernel);
  const std::string& path = handle.kernel->image.empty() ? module.data : handle.kernel->image;
  Bytes& data = m_files[path];
  if (data.empty()) {
    BLOBSCOPE_TRY(file, ByteSource::openFile(m_folder / path));
    data = ByteSource::all(file);
  }
  source.image = data;
  BLOBSCOPE_TRY(loaded, m_backend->load(source));
  for (const auto& [label, value] : loaded->facts()) {
    // The log of a compiler has several lines.
    std::istringstream lines(value);
    for (std::string line; std::getline(lines, line);)
      if (!line.empty()) sendLog(source.name + ": " + label + " " + line);
  }
  handle.loaded = std::move(loaded);
  enter(protocol::Stage::HostCall, m_job.limits.runMs);
  return handle.loaded.get();
}

} // namespace blobscope::runner
