#include "tests/support/contracts/codec_rows.h"
#include "tests/support/vm_builders.h"

#include <array>

namespace blobscope::test {

void addVmRows(std::vector<CodecRow>& rows) {
  const auto add = [&](std::string key, std::string layout, std::string what, std::string releases, WireContext context,
                       std::string payload, std::vector<std::string> pages, std::vector<std::string> parts) {
    rows.push_back({std::move(key),
                    std::move(layout),
                    "",
                    std::move(what),
                    std::move(releases),
                    context,
                    std::move(payload),
                    std::nullopt,
                    {},
                    {},
                    {},
                    std::move(pages),
                    std::move(parts)});
  };
  // The whole pool is tested in test_vm_executable.cpp; here every byte is changed, so the pool is small.
  const auto relax = [](RelaxTags tags) {
    RelaxBuilder builder(tags);
    builder.constants = {ByteBuilder().u32(tags.string).str("f").take(),
                         ByteBuilder().u32(tags.tensor).raw(tensorBytes({kInt8, {2}, "\1\2"})).take(),
                         ByteBuilder().u32(tags.shape).words({2}).take()};
    return builder;
  };
  const std::vector<std::string> pages = {"Functions table", "Constants table", "Bytecode text"};
  const auto relaxParts = [](const std::string& above) {
    return std::vector<std::string>{
        "function:main VM at " + above + "functions[1]", "function:tir_main VM-TIR at " + above + "functions[2]",
        "const:0 \"f\" at " + above + "constants[0]", "const:1 int8[2] at " + above + "constants[1]",
        "const:2 [2] at " + above + "constants[2]"};
  };
  for (const char* const key : {"relax.VMExecutable", "relax.Executable"}) {
    const std::string old = std::string(key) == "relax.Executable" ? "v0.16 – v0.19" : "v0.20";
    add(key, "relax_vm pool-classic", "", old, kOlder, relax(kTagsClassic).sized(), pages, relaxParts("executable."));
    add(key, "relax_vm pool-ffi-2025a", "", "v0.21", kNewer, relax(kTags2025a).sized(), pages,
        relaxParts("executable."));
    add(key, "relax_vm pool-ffi-2025b", "", "forks before v0.22", kNewer, relax(kTags2025b).sized(), pages,
        relaxParts("executable."));
    add(key, "relax_vm bare pool-ffi-2025a", "", "forks before v0.22", kNewer, relax(kTags2025a).build(), pages,
        relaxParts(""));
    add(key, "relax_vm bare pool-ffi-2025b", "", "v0.22", kNewer, relax(kTags2025b).build(), pages, relaxParts(""));
    RelaxBuilder second = relax(kTags2025b);
    second.magic = kVmMagic2;
    second.scopes = {{1, "global"}};
    add(key, "relax_vm bare pool-ffi-2025b", "second magic", "v0.23 –", kNewer, second.build(), pages, relaxParts(""));
    add(key, "relax_vm bare pool-classic", "", "a file of its own", kOlder, relax(kTagsClassic).build(), pages,
        relaxParts(""));
  }
  constexpr std::array kReleases = {"v0.6", "v0.7", "v0.8", "v0.9 – v0.13", "v0.14 – v0.19"};
  for (int generation = 4; generation >= 0; --generation) {
    std::vector<std::string> all = {"Functions table", "Constants table", "Primitives table"};
    if (generation >= 3) all.push_back("Devices table");
    all.push_back("Bytecode text");
    add("VMExecutable", "relay_vm " + std::to_string(generation), "", kReleases[static_cast<std::size_t>(generation)],
        kOlder, RelayBuilder(generation).sized(), all,
        {"function:main at executable.functions[0]", "const:0 float32[2, 3] at executable.constants[0]"});
  }
}

} // namespace blobscope::test
