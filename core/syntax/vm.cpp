#include "core/syntax/languages.h"

namespace blobscope::syntax {
namespace {

// The words of Blobscope's own listings of Relax and Relay bytecode (core/modules/vm_executable).
constexpr auto kKeywords = std::to_array<std::string_view>({"call", "else", "goto", "if", "ret"});
static_assert(isSorted(kKeywords));

constexpr auto kOpcodes = std::to_array<std::string_view>(
    {"AllocADT",     "AllocClosure", "AllocStorage", "AllocTensor", "AllocTensorReg", "DeviceCopy",    "Fatal",
     "GetField",     "GetTag",       "Goto",         "If",          "Invoke",         "InvokeClosure", "InvokePacked",
     "KillRegister", "LoadConst",    "LoadConsti",   "Move",        "ReshapeTensor",  "Ret",           "ShapeOf"});
static_assert(isSorted(kOpcodes));

} // namespace

const Language kVm = {.name = "vm", .keywords = kKeywords, .types = kOpcodes, .comments = true};
/// Host code: numbers and the words after ";".
const Language kAsm = {.name = "asm", .semicolonComments = true};

} // namespace blobscope::syntax
