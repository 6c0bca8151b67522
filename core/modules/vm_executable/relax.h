#pragma once

#include "core/payloads/tensor/tensor.h"
#include "core/view/listing.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The executable of the Relax virtual machine, v0.16 on. Source: core/formats/vm-executables.md 3; apache/tvm
/// src/runtime/relax_vm/executable.cc, bytecode.cc v0.16.0 – v0.20.0, src/runtime/vm/executable.cc, bytecode.cc v0.21.0
/// – v0.26.0.
namespace blobscope::modules::relax {

inline constexpr uint64_t kMagicV1 = 0xD225DE2F4214151D;
inline constexpr uint64_t kMagicV2 = 0xD225DE2F4214151E;

/// The numbering of the tags of constants. TVM renumbered them twice without changing magic and version.
enum class Pool {
  Classic,  ///< v0.16 – v0.20
  Ffi2025a, ///< v0.21, tvm 95d1268982
  Ffi2025b, ///< v0.22 on, tvm aa4c8187f7
};

enum class ConstantKind { Unknown, Tensor, DataType, Shape, String, Integer, Float };
/// Returns the meaning of a stored tag.
ConstantKind constantKind(Pool pool, int32_t tag);

struct Constant {
  int32_t tag = 0; ///< as stored
  ConstantKind kind = ConstantKind::Unknown;
  bool dlpack = false; ///< which numbering `dtype` uses
  uint32_t dtype = 0;
  int64_t integer = 0;
  double number = 0;
  Bytes content;                            ///< text of a string, 64-bit extents of a shape
  std::shared_ptr<payloads::Tensor> tensor; ///< never null for a tensor

  /// "tensor", "dtype", "shape", "string", "integer", "float".
  std::string_view kindText() const;
  /// One line of at most about `limit` bytes: `float16[768, 2304]`, `"main"`, `[1, 2]`, `float32`, `42`.
  std::string valueText(std::size_t limit = 120) const;
};

struct Function {
  static constexpr int32_t kPacked = 0, kVm = 1, kVmTir = 2;
  int32_t kind = kPacked;
  Bytes name;
  int64_t start = 0, end = 0; ///< instruction numbers, without `end`
  int64_t argumentCount = 0;  ///< -2 for packed functions
  int64_t registers = 0;
  std::vector<Bytes> parameters;

  /// "VM", "VM-TIR", "packed".
  std::string_view kindText() const;
};

/// Memory scope of a constant, for texture memory (V2).
struct Scope {
  int64_t constant = 0;
  Bytes name;
};

struct Executable {
  uint64_t magic = kMagicV1;
  Bytes version;
  std::vector<Function> functions;
  std::vector<Scope> scopes; ///< V2 only
  std::vector<Constant> constants;
  Bytes offsets; ///< i64 each: the start of an instruction in `words`
  Bytes words;   ///< i64 each
  Pool pool = Pool::Classic;

  uint64_t instructionCount() const { return offsets.size() / 8; }
};

template <class A> void wire(A& ar, wire_ref<A, Constant> v, Pool pool) {
  ar.number("tag", v.tag, FieldRole::TypeCode);
  if constexpr (A::kReads) {
    v.kind = constantKind(pool, v.tag);
    v.dlpack = ar.context().dlpack;
    if (ar.ok() && v.kind == ConstantKind::Unknown)
      ar.reader().failValue("tag", ar.reader().position() - 4, static_cast<uint32_t>(v.tag), "the tag of a constant");
    if (v.kind == ConstantKind::Tensor) v.tensor = std::make_shared<payloads::Tensor>();
  }
  switch (v.kind) {
  case ConstantKind::Tensor: ar.group("tensor", [&](A& inner) { wire(inner, *v.tensor); }); break;
  case ConstantKind::DataType: ar.dataType("dtype", v.dtype, v.dlpack); break;
  case ConstantKind::Shape: ar.words64("shape", v.content); break;
  case ConstantKind::String: ar.string("text", v.content); break;
  case ConstantKind::Integer: ar.number("integer", v.integer); break;
  case ConstantKind::Float: ar.number("float", v.number); break;
  case ConstantKind::Unknown: break;
  }
}

template <class A> void wire(A& ar, wire_ref<A, Function> v) {
  ar.number("kind", v.kind, FieldRole::TypeCode);
  if constexpr (A::kReads)
    if (ar.ok() && (v.kind < Function::kPacked || v.kind > Function::kVmTir))
      ar.reader().failValue("kind", ar.reader().position() - 4, static_cast<uint32_t>(v.kind), "0, 1 or 2");
  ar.string("name", v.name);
  ar.number("start", v.start);
  ar.number("end", v.end);
  ar.number("num_args", v.argumentCount);
  ar.number("registers", v.registers);
  ar.list("param_names", v.parameters, 8, [](A& a, auto& name) { a.string("", name); });
}

template <class A> void wire(A& ar, wire_ref<A, Executable> v) {
  ar.number("magic", v.magic, FieldRole::TypeCode);
  if constexpr (A::kReads)
    if (ar.ok() && v.magic != kMagicV1 && v.magic != kMagicV2)
      ar.reader().failValue("magic", ar.reader().position() - 8, v.magic, "0xd225de2f4214151d or …151e");
  ar.string("version", v.version);
  ar.list("functions", v.functions, 52,
          [](A& a, auto& function) { a.group("", [&](A& inner) { wire(inner, function); }); });
  if (v.magic == kMagicV2)
    ar.list("memory_scopes", v.scopes, 16, [](A& a, auto& scope) {
      a.group("", [&](A& inner) {
        inner.number("constant", scope.constant);
        inner.string("scope", scope.name);
      });
    });
  ar.list("constants", v.constants, 8,
          [&](A& a, auto& constant) { a.group("", [&](A& inner) { wire(inner, constant, v.pool); }); });
  ar.words64("instruction_offsets", v.offsets);
  ar.words64("instruction_words", v.words);
}

/// One instruction, decoded. Sources: as above, Instruction in bytecode.h.
struct Instruction {
  enum class Op : int64_t { Call = 1, Ret = 2, Goto = 3, If = 4 };
  Op op = Op::Ret;
  int64_t result = 0;   ///< Call: destination; Ret: register; If: condition register
  int64_t function = 0; ///< Call
  int64_t offset = 0;   ///< Goto, If: in instructions, relative to this one
  Bytes arguments;      ///< Call: words of 64 bits
};
/// An argument word: kind in the top 8 bits, a signed 56-bit value below.
struct Argument {
  enum class Kind { Register, Immediate, Constant, Function, Unknown };
  Kind kind = Kind::Register;
  int64_t value = 0;
};
Argument argumentOf(int64_t word);
inline constexpr int64_t kVoidRegister = int64_t{1} << 54, kVmRegister = kVoidRegister + 1;

/// Returns the instruction with that number. Only for executables that passed checkInstructions().
Instruction instructionAt(const Executable& executable, uint64_t number);

/// Why the words cannot be split into instructions: offsets that do not ascend from 0, remaining words, an unknown
/// opcode. `index` counts from the first word after the count word of `instruction_words` or `instruction_offsets`.
struct InstructionFault {
  bool inOffsets = false;
  uint64_t index = 0; ///< of the word
  int64_t word = 0;
  const char* expected = ""; ///< a literal
};
std::optional<InstructionFault> checkInstructions(const Executable& executable);

/// What ErrorContext texts say about a function: the compiler stores the type of every parameter and of the result in
/// the constants. Source: core/formats/host-abi.md 2.4.
struct Signature {
  std::vector<std::string> parameters; ///< "x: R.Tensor((1, 3, 8, 8), dtype=\"float32\")"
  std::string result;                  ///< empty when no text states it
  /// "(x: …, y: …) -> …".
  std::string text() const;
};
/// Returns one signature per function of the executable, in its order; without parameters where no text names the
/// function.
/// Types longer than `limit` bytes are cut: tuples with all weights of a model have 42,000 and more.
std::vector<Signature> signaturesOf(const Executable& executable, std::size_t limit = 4'000);

/// Returns the listing of one function, with resolved names and with constants in a comment at the end of the line.
/// Error: only Cancelled.
Result<view::Listing> listing(const Executable& executable, const Function& function, Monitor& monitor);
/// Functions of a damaged executable may share instructions, so that all of them together have far more than the
/// executable. Who visits all functions reads this many more than it has, and no more.
constexpr uint64_t kSharedInstructions = 65'536;
/// Returns the number of instructions that the listing of a function has.
uint64_t listedInstructions(const Executable& executable, const Function& function);

/// The memory scopes of constants, by the number of the constant.
class ScopeNames {
public:
  explicit ScopeNames(const Executable& executable);
  bool empty() const { return m_names.empty(); }
  /// Returns the scope, escaped; empty when the constant has none.
  std::string_view of(int64_t constant) const;

private:
  std::vector<std::pair<int64_t, std::string>> m_names; ///< sorted by number
};

/// Returns kind and value of the constant with that number, and its memory scope; large values as their SHA-256.
/// Constants with equal text have equal content. Error: only Cancelled.
Result<view::ConstantIdentity> constantIdentity(const Executable& executable, const ScopeNames& scopes, int64_t number,
                                                Monitor& monitor);

} // namespace blobscope::modules::relax
