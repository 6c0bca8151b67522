#pragma once

#include "core/payloads/tensor/tensor.h"
#include "core/view/listing.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The executable of the Relay virtual machine, v0.6 – v0.19. Five generations share one magic; the right one is the
/// one that uses exactly all bytes. Source: core/formats/vm-executables.md 2; apache/tvm src/runtime/vm/executable.cc,
/// serialize_util.h, include/tvm/runtime/vm/bytecode.h v0.6.1, v0.7.0, v0.8.0, v0.9.0, v0.14.0, v0.18.0.
namespace blobscope::modules::relay {

inline constexpr uint64_t kMagic = 0xD225DE2F4214151D;

struct Device {
  int32_t type = 0, id = 0;
  Bytes memoryScope; ///< generation 4
};

struct Constant {
  uint32_t late = 0; ///< generations 3 and 4; 1: bound later, by `name`
  Bytes name;
  payloads::Tensor tensor;
};

/// Names and values of the attributes of one primitive.
struct Attributes {
  struct Item {
    Bytes name, value;
  };
  uint64_t primitive = 0;
  std::vector<Item> items;
};

struct Function {
  std::vector<Bytes> head; ///< three texts: name, number of registers, number of instructions
  std::vector<Bytes> parameters;
  Bytes parameterDevices;          ///< i64 each; from generation 1 on
  std::vector<Bytes> instructions; ///< i64 words each: hash, opcode, fields

  Bytes name() const { return head.empty() ? Bytes() : head.front(); }
  /// Returns a number of the head; 0 when the text is not a number.
  uint64_t headNumber(std::size_t index) const {
    uint64_t number = 0;
    if (index < head.size()) {
      const std::string_view text = head[index].view();
      const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (failure != std::errc{} || end != text.data() + text.size()) return 0;
    }
    return number;
  }
};

struct Executable {
  int generation = 4;
  uint64_t magic = kMagic;
  Bytes version;
  std::vector<Device> devices; ///< generations 3 and 4
  int32_t hostDevice = 0;      ///< generations 3 and 4: an index into `devices`
  std::vector<Bytes> globals;  ///< names of functions; the index is the function's number
  std::vector<Constant> constants;
  Bytes constantDevices;              ///< i64 each; from generation 1 on
  std::vector<Bytes> primitives;      ///< names of packed functions
  std::vector<Attributes> attributes; ///< from generation 2 on, in stored order
  std::vector<Function> functions;
};

template <class A> void wire(A& ar, wire_ref<A, Function> v, int generation) {
  ar.list("head", v.head, 8, [](A& a, auto& text) { a.string("", text); });
  if constexpr (A::kReads)
    if (ar.ok() && v.head.size() != 3)
      ar.reader().failValue("head", ar.reader().position(), v.head.size(), "three texts");
  ar.list("param_names", v.parameters, 8, [](A& a, auto& name) { a.string("", name); });
  if (generation >= 1) ar.words64("param_devices", v.parameterDevices);
  ar.items("instructions", v.instructions, v.headNumber(2), 24, [](A& a, auto& words) { a.words64("", words); });
}

template <class A> void wire(A& ar, wire_ref<A, Executable> v) {
  const int generation = v.generation;
  ar.number("magic", v.magic, FieldRole::TypeCode);
  if constexpr (A::kReads)
    if (ar.ok() && v.magic != kMagic)
      ar.reader().failValue("magic", ar.reader().position() - 8, v.magic, "0xd225de2f4214151d");
  ar.string("version", v.version);
  if (generation >= 3) {
    ar.list("virtual_devices", v.devices, 8, [&](A& a, auto& device) {
      a.group("", [&](A& inner) {
        inner.number("device_type", device.type);
        inner.number("device_id", device.id);
        if (generation >= 4) inner.string("memory_scope", device.memoryScope);
      });
    });
    ar.number("host_device_index", v.hostDevice);
  }
  ar.list("globals", v.globals, 8, [](A& a, auto& name) { a.string("", name); });
  ar.list("constants", v.constants, 12, [&](A& a, auto& constant) {
    a.group("", [&](A& inner) {
      if (generation >= 3) inner.number("late_bound", constant.late, FieldRole::TypeCode);
      if constexpr (A::kReads)
        if (inner.ok() && constant.late > 1)
          inner.reader().failValue("late_bound", inner.reader().position() - 4, constant.late, "0 or 1");
      if (constant.late == 1)
        inner.string("name", constant.name);
      else
        inner.group("tensor", [&](A& tensor) { wire(tensor, constant.tensor); });
    });
  });
  if (generation >= 1) ar.words64("constant_devices", v.constantDevices);
  ar.list("primitives", v.primitives, 8, [](A& a, auto& name) { a.string("", name); });
  if (generation >= 2)
    ar.list("attributes", v.attributes, 16, [](A& a, auto& entry) {
      a.group("", [&](A& inner) {
        inner.number("primitive", entry.primitive);
        inner.list("items", entry.items, 16, [](A& b, auto& item) {
          b.group("", [&](A& fields) {
            fields.string("name", item.name);
            fields.string("value", item.value);
          });
        });
      });
    });
  ar.list("functions", v.functions, 16,
          [&](A& a, auto& function) { a.group("", [&](A& inner) { wire(inner, function, generation); }); });
}

/// Returns the hash over opcode and fields with which an instruction must begin.
uint64_t instructionHash(const Bytes& words);

/// Why a loader of that generation does not accept an instruction.
struct InstructionFault {
  std::size_t function = 0, instruction = 0;
  uint64_t word = 0; ///< index of the word
  int64_t value = 0;
  const char* expected = ""; ///< a literal
};
std::optional<InstructionFault> checkInstructions(const Executable& executable);

/// "float32[1, 64]" or "bound later: NAME".
std::string constantText(const Constant& constant);

/// Returns the listing of one function with resolved names. Only for executables that passed checkInstructions().
view::Listing listing(const Executable& executable, const Function& function);

/// Returns type and shape of the constant with that number and the SHA-256 of its data, or the name by which it is
/// bound later. Constants with equal text have equal content. Error: only Cancelled.
Result<view::ConstantIdentity> constantIdentity(const Executable& executable, int64_t number, Monitor& monitor);

} // namespace blobscope::modules::relay
