#include "core/run/job_parts.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/edit/value.h"
#include "core/library/node.h"
#include "core/modules/module_fields.h"
#include "core/protocol/inputs.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace blobscope::run {
namespace {

/// Returns what the options name for the tensor: a file, or values in words.
std::string inputText(const std::string& tensor, const RunOptions& options) {
  const auto found = options.inputs.find(tensor);
  return found == options.inputs.end() ? std::string("default") : found->second;
}

/// The content of a tensor that comes from a file; nothing for values in words.
Result<std::optional<Bytes>> storedInput(const protocol::InputTensor& wanted, const RunOptions& options) {
  const std::string given = inputText(wanted.name, options);
  if (given.ends_with(".npy")) {
    BLOBSCOPE_TRY(source, ByteSource::openFile(pathFrom(given)));
    BLOBSCOPE_TRY(bytes, protocol::inputFromFile(wanted, ByteSource::all(source)));
    return std::optional(std::move(bytes));
  }
  const auto content = options.contents.find(wanted.name);
  if (content == options.contents.end() || options.inputs.contains(wanted.name)) return std::optional<Bytes>();
  BLOBSCOPE_TRY(bytes, protocol::inputFromFile(wanted, content->second));
  return std::optional(std::move(bytes));
}

} // namespace

protocol::Job jobOf(protocol::Mode mode, const RunOptions& options) {
  protocol::Job job;
  job.mode = mode;
  job.limits = options.limits;
  job.options.continueUnknown = options.continueUnknown;
  job.options.widenHalf = options.widenHalf;
  job.device = options.deviceIndex;
  job.driverPath = options.driverPath;
  job.timed = options.repeat.has_value();
  job.repeat = options.repeat;
  return job;
}

Result<Done> addBytes(const protocol::JobTensor& tensor, const protocol::JobLimits& limits, uint64_t& total) {
  const auto bytes = protocol::dataBytes(tensor.type, tensor.shape);
  if (bytes && !__builtin_add_overflow(total, *bytes, &total) && total <= limits.memoryBytes) return Done{};
  return Error(DiagnosticId::RunMemory, {bytes ? sizeArg("size", total) : arg("size", "more than 16 EiB"),
                                         sizeArg("limit", limits.memoryBytes)});
}

/// bool has code 6 with 8 bits since tvm-ffi; before, it was an unsigned integer with one bit. Source: dmlc/dlpack 1.1,
/// kDLBool; apache/tvm v0.20 include/tvm/runtime/data_type.h, DataType::Bool.
std::optional<protocol::DataType> jobType(std::string_view name, std::optional<host::Abi> abi) {
  if (name == "bool")
    return abi && *abi != host::Abi::Classic ? protocol::DataType{6, 8, 1} : protocol::DataType{1, 1, 1};
  const auto raw = edit::parseDataType(name, true);
  if (!raw) return std::nullopt;
  return protocol::DataType{static_cast<uint8_t>(*raw), static_cast<uint8_t>(*raw >> 8),
                            static_cast<uint16_t>(*raw >> 16)};
}

protocol::JobArgument scalarOf(uint64_t bits, protocol::DataType type) {
  protocol::JobArgument out;
  if (type.code == 2) {
    out.kind = protocol::JobArgument::Kind::Float;
    out.real = type.bits == 32 ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)))
                               : std::bit_cast<double>(bits);
  } else {
    const unsigned unused = 64 - std::clamp<unsigned>(type.bits, 1, 64);
    const uint64_t high = bits << unused;
    out.integer = type.code == 0 ? static_cast<int64_t>(high) >> unused : static_cast<int64_t>(high >> unused);
  }
  return out;
}

Result<Done> checkInput(const protocol::JobTensor& tensor, const RunOptions& options) {
  BLOBSCOPE_TRY(stored, storedInput({tensor.name, tensor.type, tensor.shape}, options));
  if (!stored) BLOBSCOPE_CHECK(protocol::parseFill(tensor.name, inputText(tensor.name, options)));
  return Done{};
}

Result<Done> writeInput(protocol::JobTensor& tensor, std::size_t call, std::size_t argument, const RunOptions& options,
                        const std::filesystem::path& folder, Monitor& monitor) {
  const std::string place = std::to_string(call) + "." + std::to_string(argument);
  tensor.output = "out." + place;
  if (tensor.role == protocol::Role::Out) {
    tensor.fill = options.outputFill;
    return Done{};
  }
  const protocol::InputTensor wanted{tensor.name, tensor.type, tensor.shape};
  tensor.input = "in." + place;
  BLOBSCOPE_TRY(stored, storedInput(wanted, options));
  if (stored) return writeFileNow(folder / tensor.input, *stored, monitor);
  BLOBSCOPE_TRY(fill, protocol::parseFill(tensor.name, inputText(tensor.name, options)));
  BLOBSCOPE_TRY(file, OutputFile::create(folder / tensor.input));
  BLOBSCOPE_CHECK(protocol::makeInputPieces(wanted, fill, options.seed, monitor, [&](std::span<const std::byte> piece) {
    return file.write(Bytes::copyOf({reinterpret_cast<const char*>(piece.data()), piece.size()}), monitor);
  }));
  return file.rename();
}

Result<protocol::JobModule> jobModule(const library::Module& module, bool used, std::size_t number,
                                      const std::filesystem::path& folder, std::optional<host::Abi> abi,
                                      Monitor& monitor) {
  const std::vector<modules::Kernel> kernels = module.body->kernels();
  const auto tree = library::treeOf(module);
  const std::optional<Bytes> shared = modules::sharedImage(*tree);
  protocol::JobModule out;
  out.kind = module.key.view();
  out.format = modules::declaredFormat(*tree);
  const std::string stem = "module" + std::to_string(number);
  if (used && shared) {
    out.data = stem;
    BLOBSCOPE_CHECK(writeFileNow(folder / stem, *shared, monitor));
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const modules::KernelInfo info = modules::kernelInfo(*tree, kernels[i].fieldRow);
    protocol::JobKernel kernel;
    kernel.name = kernels[i].name.view();
    kernel.tags = info.launchTags;
    kernel.extraTags = info.extraTags;
    kernel.launchFields = info.launchFields;
    bool known = true;
    for (const std::string& type : info.argTypes) {
      const auto parsed = jobType(type, abi);
      known = known && parsed;
      kernel.arguments.push_back(parsed.value_or(protocol::DataType{}));
    }
    if (!known) continue; // a type that cannot be passed; the call then reports that the kernel is unknown
    if (used && !shared && kernels[i].code) {
      kernel.image = stem + "." + std::to_string(i);
      kernel.uniformScalars = modules::usesUniformScalars(*tree, kernel.name);
      BLOBSCOPE_CHECK(writeFileNow(folder / kernel.image, *kernels[i].code, monitor));
    }
    out.kernels.push_back(std::move(kernel));
  }
  return out;
}

} // namespace blobscope::run
