#pragma once

#include "tests/support/builders.h"
#include "tests/support/tensor_builders.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Executables of the two virtual machines, made only from core/formats/vm-executables.md.
namespace blobscope::test {

constexpr uint64_t kVmMagic1 = 0xD225DE2F4214151D, kVmMagic2 = 0xD225DE2F4214151E;

/// Tag numbers of Relax constants.
struct RelaxTags {
  uint32_t tensor, dtype, shape, string, integer, number;
};
constexpr RelaxTags kTagsClassic = {0, 1, 2, 3, 4, 5}, kTags2025a = {72, 5, 71, 65, 1, 3},
                    kTags2025b = {70, 5, 69, 65, 1, 3};

struct RelaxFunction {
  uint32_t kind;
  std::string name;
  int64_t start, end, arguments, registers;
  std::vector<std::string> parameters;
};

/// The parts of an executable; every one can be changed before build().
struct RelaxBuilder {
  explicit RelaxBuilder(RelaxTags numbers) : tags(numbers) {
    constants = {
        ByteBuilder()
            .u32(tags.string)
            .str("ErrorContext(fn=main, loc=param[0], param=x, annotation=R.Tensor((2, 3), dtype=\"float32\")) ")
            .take(),
        ByteBuilder()
            .u32(tags.string)
            .str("ErrorContext(fn=main, loc=return, annotation=R.Tensor((2, 3), dtype=\"float32\")) ")
            .take(),
        ByteBuilder()
            .u32(tags.string)
            .str("{\"model_type\": \"tiny\", \"quantization\": \"q4f16_1\", \"context_window_size\": 4096, "
                 "\"sliding_window_size\": -1, "
                 "\"memory_usage\": {\"main\": 2048}, \"params\": [{\"name\": \"w\", \"shape\": [2, 3], \"dtype\": "
                 "\"float16\"}]}")
            .take(),
        ByteBuilder().u32(tags.tensor).raw(tensorBytes({kFloat32, {2, 3}, std::string(24, '\1')})).take(),
        ByteBuilder().u32(tags.dtype).u32(0x00012002).take(),
        ByteBuilder().u32(tags.shape).words({2, 3}).take(),
        ByteBuilder().u32(tags.integer).u64(static_cast<uint64_t>(-7)).take(),
        ByteBuilder().u32(tags.number).u64(0x3ff8000000000000).take(), // 1.5
    };
    // call f(vm, const 4) → %2; if %2 else +2; goto +2; ret %0; call tir → void; ret %2
    code = {{1, 2, 0, 2, kVm, constant(4)},
            {4, 2, 2},
            {3, 2},
            {2, 0},
            {1, kVoid, 2, 2, immediate(-5), function(0)},
            {2, 2}};
    functions = {{0, "vm.builtin.alloc_storage", 0, 0, -2, 0, {}},
                 {1, "main", 0, 6, 2, 3, {"x", "w"}},
                 {2, "tir_main", 0, 0, 1, 0, {"p"}}};
  }

  static constexpr int64_t kVoid = int64_t{1} << 54, kVm = kVoid + 1;
  static constexpr int64_t argument(uint64_t kind, int64_t value) {
    return static_cast<int64_t>(kind << 56 | (static_cast<uint64_t>(value) & 0x00ffffffffffffff));
  }
  static constexpr int64_t immediate(int64_t value) { return argument(1, value); }
  static constexpr int64_t constant(int64_t value) { return argument(2, value); }
  static constexpr int64_t function(int64_t value) { return argument(3, value); }

  RelaxTags tags;
  uint64_t magic = kVmMagic1;
  std::string version = "0.14";
  std::vector<RelaxFunction> functions;
  std::vector<std::pair<int64_t, std::string>> scopes; ///< stored with the second magic only
  std::vector<std::string> constants;                  ///< tag and value, encoded
  std::vector<std::vector<int64_t>> code;              ///< one per instruction

  /// Without the length word of the classic stream.
  std::string build() const {
    ByteBuilder out;
    out.u64(magic).str(version).u64(functions.size());
    for (const RelaxFunction& function : functions) {
      out.u32(function.kind).str(function.name);
      for (const int64_t number : {function.start, function.end, function.arguments, function.registers})
        out.u64(static_cast<uint64_t>(number));
      out.u64(function.parameters.size());
      for (const std::string& name : function.parameters) out.str(name);
    }
    if (magic == kVmMagic2) {
      out.u64(scopes.size());
      for (const auto& [number, scope] : scopes) out.u64(static_cast<uint64_t>(number)).str(scope);
    }
    out.u64(constants.size());
    for (const std::string& constant : constants) out.raw(constant);
    std::vector<uint64_t> offsets, words;
    for (const auto& instruction : code) {
      offsets.push_back(words.size());
      for (const int64_t word : instruction) words.push_back(static_cast<uint64_t>(word));
    }
    return out.words(offsets).words(words).take();
  }
  std::string sized() const { return ByteBuilder().str(build()).take(); }
};

/// An instruction of the Relay machine, after its check word.
inline std::vector<uint64_t> relayInstruction(uint64_t opcode, std::vector<uint64_t> fields) {
  uint64_t key = opcode;
  for (const uint64_t field : fields) key ^= field + 0x9e3779b9 + (key << 6) + (key >> 2);
  fields.insert(fields.begin(), {key, opcode});
  return fields;
}

/// The parts of a Relay executable of one generation; every one can be changed before sized().
struct RelayBuilder {
  explicit RelayBuilder(int number) : generation(number) {
    const bool later = generation >= 1;
    code.push_back(
        relayInstruction(11, generation >= 4 ? std::vector<uint64_t>{0, 0, 1} : std::vector<uint64_t>{0, 1}));
    code.push_back(generation >= 4 ? relayInstruction(16, {2, 64, 2, 32, 1, 0, 1, 3, 24})
                   : later         ? relayInstruction(16, {2, 64, 2, 32, 1, 1, 3})
                                   : relayInstruction(16, {2, 64, 2, 32, 1, 3}));
    code.push_back(later ? relayInstruction(5, {3, 0, 2, 32, 1, 2, 4, 2, 3})
                         : relayInstruction(5, {3, 2, 32, 1, 2, 4, 2, 3}));
    code.push_back(relayInstruction(4, {0, 3, 1, 0, 1, 4}));
    code.push_back(relayInstruction(10, {4, 1, 1, 2}));
    code.push_back(relayInstruction(2, {0, 1, 5, 4}));
    code.push_back(relayInstruction(1, {5}));
  }

  int generation;
  uint64_t magic = kVmMagic1;
  std::string version = "0.17.0";
  std::string registers = "6";
  std::vector<std::vector<uint64_t>> code;
  bool lateConstant = false; ///< a second constant, bound later; generations 3 and 4

  std::string build() const {
    ByteBuilder out;
    out.u64(magic).str(version);
    if (generation >= 3) {
      out.u64(1).u32(1).u32(0);
      if (generation >= 4) out.str("global");
      out.u32(0);
    }
    out.u64(1).str("main");
    out.u64(lateConstant ? 2 : 1);
    if (generation >= 3) out.u32(0);
    out.raw(tensorBytes({kFloat32, {2, 3}, std::string(24, '\2')}));
    if (lateConstant) out.u32(1).str("weight_0");
    if (generation >= 1) out.words(lateConstant ? std::vector<uint64_t>{0, 0} : std::vector<uint64_t>{0});
    out.u64(1).str("fused_add");
    if (generation >= 2) out.u64(1).u64(0).u64(1).str("relay_attrs").str("{}");
    out.u64(1).u64(3).str("main").str(registers).str(std::to_string(code.size()));
    out.u64(2).str("x").str("y");
    if (generation >= 1) out.words({0, 0});
    for (const auto& instruction : code) out.words(instruction);
    return out.take();
  }
  std::string sized() const { return ByteBuilder().str(build()).take(); }
};

} // namespace blobscope::test
