#include "core/program/graph.h"
#include "core/program/model.h"
#include "core/program/parameters.h"
#include "core/program/safetensors.h"
#include "core/xref/functions.h"
#include "tests/fuzz/step_limit.h"
#include "tests/support/builders.h"
#include "tests/support/test_support.h"

#include <algorithm>
#include <string_view>

/// The model of a library, a graph in a file of its own, a program as the runner reads it, or weights. What is
/// translated can be read again: every number in it names something. Weights are in their file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace blobscope;
  if (size == 0) return 0;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const char kind = input[0];
  input.remove_prefix(1);
  test::StepLimit monitor(size);
  const auto check = [](const Result<program::Model>& model) {
    if (!model) {
      if (model.error().message().empty()) __builtin_trap();
      return;
    }
    const auto again = protocol::readProgram(Bytes::copyOf(protocol::writeProgram(model->program)));
    if (!again) __builtin_trap();
    // Names that are not UTF-8 are escaped, once; everything else stays.
    const auto twice = protocol::readProgram(Bytes::copyOf(protocol::writeProgram(*again)));
    if (!twice || *twice != *again || again->functions.size() != model->program.functions.size()) __builtin_trap();
    uint64_t end = 0;
    for (const auto& [number, bytes] : model->tensors) {
      const protocol::ProgramConstant& constant = model->program.constants.at(number);
      if (constant.offset < end || bytes.size() != protocol::dataBytes(constant.type, constant.shape)) __builtin_trap();
      end = constant.offset + bytes.size();
    }
  };
  const auto checkWeights = [&](const Result<program::Parameters>& weights) {
    if (!weights && weights.error().message().empty()) __builtin_trap();
    if (!weights) return;
    for (const program::Parameters::Item& item : weights->items)
      if (item.data.size() > input.size() || std::ranges::any_of(item.shape, [](int64_t extent) { return extent < 0; }))
        __builtin_trap();
  };
  if (kind % 5 == 3) {
    checkWeights(program::readSafetensors(test::bytes(input), monitor));
  } else if (kind % 5 == 4) {
    checkWeights(program::readParameters(test::bytes(input), monitor));
  } else if (kind % 5 == 0) {
    const auto package = test::openBytes(input);
    if (!package) return 0;
    const auto functions = xref::computeFunctions(*package, monitor);
    if (functions) check(program::modelOf(*package, *functions, {}, monitor));
  } else if (kind % 5 == 1) {
    static const auto package =
        test::openBytes(test::elfWith("__tvm_dev_mblob", test::classicBlob({{"_lib", ""}}, std::nullopt)));
    if (!package) __builtin_trap();
    check(program::graphModel(**package, test::bytes(input), program::Parameters(), monitor));
  } else if (const auto program = protocol::readProgram(test::bytes(input))) {
    // JSON is UTF-8, so nothing is escaped.
    const auto again = protocol::readProgram(test::bytes(protocol::writeProgram(*program)));
    if (!again || *again != *program) __builtin_trap();
  }
  return 0;
}
