#include "app/runner/machine/own_calls.h"

#include "app/runner/system.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace blobscope::runner::machine {
namespace {

/// Maximum number of functions; calls of others are not seen. Each has a function here that tells which one it is.
constexpr std::size_t kFunctions = 512;

struct Redirected {
  std::string name;
  FfiFunction function = nullptr;
};

std::array<Redirected, kFunctions> g_redirected;
std::function<int(const OwnCall&)> g_seen;

int seen(const Redirected& redirected, void* self, const FfiAny* arguments, int32_t count, FfiAny* result) {
  std::vector<const DlTensor*> tensors;
  for (int32_t i = 0; i < count; ++i)
    if (arguments[i].type == kFfiTensor) tensors.push_back(static_cast<const DlTensor*>(arguments[i].value.pointer));
  const std::function<int()> run = [&] {
    return HostLibrary::guarded([&] { return redirected.function(self, arguments, count, result); });
  };
  return g_seen({redirected.name, tensors, run});
}

template <std::size_t Index> int stub(void* self, const FfiAny* arguments, int32_t count, FfiAny* result) noexcept {
  return seen(g_redirected[Index], self, arguments, count, result);
}

template <std::size_t... Index> constexpr std::array<FfiFunction, kFunctions> stubs(std::index_sequence<Index...>) {
  return {stub<Index>...};
}

} // namespace

std::size_t redirectOwnCalls(const HostLibrary& library, std::function<int(const OwnCall&)> seen) {
  static constexpr std::array<FfiFunction, kFunctions> kStubs = stubs(std::make_index_sequence<kFunctions>());
  const std::string_view prefix = library.prefix();
  if (library.isClassic() || prefix.empty()) return 0;
  g_seen = std::move(seen);
  std::size_t count = 0;
  system::redirectCalls(library.handle(), [&](std::string_view symbol) -> void* {
    if (count == kFunctions || !symbol.starts_with(prefix)) return nullptr;
    const std::string name(symbol.substr(prefix.size()));
    if (name.starts_with('_')) return nullptr; // other functions of the virtual machine: __vmtir__NAME
    void* const function = library.find(name);
    if (!function) return nullptr;
    g_redirected[count] = {name, reinterpret_cast<FfiFunction>(function)};
    return reinterpret_cast<void*>(kStubs[count++]);
  });
  return count;
}

} // namespace blobscope::runner::machine
