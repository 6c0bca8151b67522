#include "core/protocol/protocol.h"

#include "core/base/text.h"
#include "core/protocol/protocol_json.h"

#include <bit>
#include <limits>
#include <span>

namespace blobscope::protocol {
namespace {

/// Limits of a job; Blobscope writes it, so that they only keep mistakes cheap.
constexpr std::size_t kJobItems = 1'000'000;

constexpr std::string_view kModes[] = {"devices", "probe",    "dry",     "function", "kernel",
                                       "model",   "metadata", "compile", "program"};
constexpr std::string_view kRoles[] = {"in", "out", "inout"};
constexpr std::string_view kKinds[] = {"tensor", "int", "float", "bool", "null", "shape", "tuple", "result"};

template <class E> E named(MemberReader& reader, std::string_view member, std::span<const std::string_view> names) {
  const std::string text = reader.text(member);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == text) return static_cast<E>(i);
  reader.fail("'" + std::string(member) + "' is '" + escapedWithin(text, 40) + "'");
  return E{};
}

std::vector<std::string> utf8Texts(std::vector<std::string> texts) {
  for (std::string& text : texts) text = utf8Text(text);
  return texts;
}

void writeType(json::Writer& out, DataType type) {
  out.beginArray().value(type.code).value(type.bits).value(type.lanes).endArray();
}

DataType typeOf(MemberReader& reader, const json::Value& value) {
  const auto* const parts = std::get_if<json::Value::Array>(&value.data);
  std::array<uint64_t, 3> numbers{};
  if (!parts || parts->size() != numbers.size()) {
    reader.fail("a data type is not three numbers");
    return {};
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto* const number = std::get_if<uint64_t>(&(*parts)[i].data);
    if (!number || *number > (i == 2 ? 65'535U : 255U)) {
      reader.fail("a data type's number does not fit");
      return {};
    }
    numbers[i] = *number;
  }
  return {static_cast<uint8_t>(numbers[0]), static_cast<uint8_t>(numbers[1]), static_cast<uint16_t>(numbers[2])};
}

void writeArgument(json::Writer& out, const JobArgument& argument) {
  using Kind = JobArgument::Kind;
  out.beginObject().member("kind", kKinds[static_cast<std::size_t>(argument.kind)]);
  if (argument.kind == Kind::Integer || argument.kind == Kind::Boolean) out.member("value", argument.integer);
  if (argument.kind == Kind::Float) out.member("bits", std::bit_cast<uint64_t>(argument.real));
  if (argument.kind == Kind::Tensor) {
    const JobTensor& tensor = argument.tensor;
    out.member("name", utf8Text(tensor.name)).key("type");
    writeType(out, tensor.type);
    out.listMember("shape", tensor.shape).member("device", tensor.deviceType);
    out.member("role", kRoles[static_cast<std::size_t>(tensor.role)]);
    out.member("input", utf8Text(tensor.input)).member("fill", tensor.fill).member("output", utf8Text(tensor.output));
  }
  if (argument.kind == Kind::Shape) out.listMember("shape", argument.tensor.shape);
  if (argument.kind == Kind::Tuple) {
    out.key("items").beginArray();
    for (const JobArgument& item : argument.items) writeArgument(out, item);
    out.endArray();
  }
  if (argument.kind == Kind::Result) out.member("function", utf8Text(argument.function));
  out.endObject();
}

JobArgument argumentOf(MemberReader& outer, const json::Value& value) {
  using Kind = JobArgument::Kind;
  MemberReader reader(value);
  JobArgument argument;
  argument.kind = named<Kind>(reader, "kind", kKinds);
  if (argument.kind == Kind::Integer || argument.kind == Kind::Boolean)
    argument.integer = reader.number<int64_t>("value");
  if (argument.kind == Kind::Float) argument.real = std::bit_cast<double>(reader.number<uint64_t>("bits"));
  if (argument.kind == Kind::Tensor) {
    JobTensor& tensor = argument.tensor;
    tensor.name = reader.text("name");
    if (const json::Value* const type = reader.take("type")) tensor.type = typeOf(reader, *type);
    tensor.shape = reader.numbers<int64_t>("shape", 64);
    tensor.deviceType = reader.number<int>("device");
    tensor.role = named<Role>(reader, "role", kRoles);
    tensor.input = reader.text("input");
    tensor.fill = reader.number<uint8_t>("fill");
    tensor.output = reader.text("output");
    if (reader.fine() && !dataBytes(tensor.type, tensor.shape)) reader.fail("a shape does not fit");
  }
  if (argument.kind == Kind::Tuple) // JSON is not nested deeper than its parser allows
    reader.list("items", kJobItems,
                [&](const json::Value& item) { argument.items.push_back(argumentOf(reader, item)); });
  if (argument.kind == Kind::Result) argument.function = reader.text("function");
  if (argument.kind == Kind::Shape) argument.tensor.shape = reader.numbers<int64_t>("shape", kJobItems);
  reader.end();
  outer.within("arguments", reader);
  return argument;
}

void writeCall(json::Writer& out, const JobCall& call) {
  out.beginObject().member("function", utf8Text(call.function)).key("arguments").beginArray();
  for (const JobArgument& argument : call.arguments) writeArgument(out, argument);
  out.endArray().listMember("grid", call.extents.grid).listMember("block", call.extents.block);
  out.listMember("cluster", call.extents.cluster).member("dyn", call.extents.dynamicShared);
  if (!call.results.empty()) out.member("results", utf8Text(call.results));
  out.endObject();
}

JobCall callOf(MemberReader& outer, const json::Value& value) {
  MemberReader reader(value);
  JobCall call;
  call.function = reader.text("function");
  reader.list("arguments", kJobItems,
              [&](const json::Value& item) { call.arguments.push_back(argumentOf(reader, item)); });
  call.extents.grid = reader.three("grid");
  call.extents.block = reader.three("block");
  call.extents.cluster = reader.three("cluster");
  call.extents.dynamicShared = reader.number<uint64_t>("dyn");
  if (reader.isNext("results")) call.results = reader.text("results");
  reader.end();
  outer.within("calls", reader);
  return call;
}

void writeKernel(json::Writer& out, const JobKernel& kernel) {
  out.beginObject().member("name", utf8Text(kernel.name)).key("arguments").beginArray();
  for (const DataType type : kernel.arguments) writeType(out, type);
  out.endArray().listMember("tags", utf8Texts(kernel.tags)).listMember("extra_tags", kernel.extraTags);
  out.listMember("launch_fields", utf8Texts(kernel.launchFields)).member("image", utf8Text(kernel.image));
  out.member("uniform_scalars", kernel.uniformScalars).endObject();
}

JobKernel kernelOf(MemberReader& outer, const json::Value& value) {
  MemberReader reader(value);
  JobKernel kernel;
  kernel.name = reader.text("name");
  reader.list("arguments", kJobItems,
              [&](const json::Value& item) { kernel.arguments.push_back(typeOf(reader, item)); });
  kernel.tags = reader.texts("tags", kJobItems);
  kernel.extraTags = reader.numbers<int32_t>("extra_tags", kJobItems);
  kernel.launchFields = reader.texts("launch_fields", kJobItems);
  kernel.image = reader.text("image");
  kernel.uniformScalars = reader.truth("uniform_scalars");
  reader.end();
  outer.within("kernels", reader);
  return kernel;
}

JobModule moduleOf(MemberReader& outer, const json::Value& value) {
  MemberReader reader(value);
  JobModule module;
  module.kind = reader.text("kind");
  module.format = reader.text("format");
  module.data = reader.text("data");
  reader.list("kernels", kJobItems, [&](const json::Value& item) { module.kernels.push_back(kernelOf(reader, item)); });
  reader.end();
  outer.within("modules", reader);
  return module;
}

JobLimits limitsOf(MemberReader& outer, const json::Value& value) {
  MemberReader reader(value);
  JobLimits limits;
  limits.memoryBytes = reader.number<uint64_t>("memory_bytes");
  limits.addressBytes = reader.number<uint64_t>("address_bytes");
  limits.fileBytes = reader.number<uint64_t>("file_bytes");
  limits.loadMs = reader.number<uint64_t>("load_ms");
  limits.buildMs = reader.number<uint64_t>("build_ms");
  limits.runMs = reader.number<uint64_t>("run_ms");
  limits.launches = reader.number<uint64_t>("launches");
  reader.end();
  outer.within("limits", reader);
  return limits;
}

JobOptions optionsOf(MemberReader& outer, const json::Value& value) {
  MemberReader reader(value);
  JobOptions options;
  options.continueUnknown = reader.truth("continue_unknown");
  options.widenHalf = reader.truth("widen_half");
  options.lazyBind = reader.truth("lazy_bind");
  reader.end();
  outer.within("options", reader);
  return options;
}

void writeJob(json::Writer& out, const Job& job) {
  out.beginObject().member("proto", kProtocol).member("mode", kModes[static_cast<std::size_t>(job.mode)]);
  out.member("engine", "native")
      .member("library", utf8Text(job.library))
      .member("abi", utf8Text(job.abi))
      .key("calls")
      .beginArray();
  for (const JobCall& call : job.calls) writeCall(out, call);
  out.endArray().key("modules").beginArray();
  for (const JobModule& module : job.modules) {
    out.beginObject()
        .member("kind", utf8Text(module.kind))
        .member("format", utf8Text(module.format))
        .member("data", utf8Text(module.data));
    out.key("kernels").beginArray();
    for (const JobKernel& kernel : module.kernels) writeKernel(out, kernel);
    out.endArray().endObject();
  }
  out.endArray()
      .member("backend", utf8Text(job.backend))
      .member("device", job.device)
      .member("driver_path", utf8Text(job.driverPath));
  if (job.mode == Mode::Compile) {
    out.member("architecture", utf8Text(job.architecture));
    out.listMember("flags", utf8Texts(job.flags));
  }
  if (job.mode == Mode::Program)
    out.member("program", utf8Text(job.program))
        .listMember("taps", utf8Texts(job.taps))
        .member("tap_bytes", job.tapBytes);
  if (!job.runtime.empty()) out.listMember("runtime", utf8Texts(job.runtime));
  out.member("timed", job.timed);
  if (job.repeat) out.member("repeat", *job.repeat);
  if (job.warmup) out.member("warmup", *job.warmup);
  const JobLimits& limits = job.limits;
  out.key("limits")
      .beginObject()
      .member("memory_bytes", limits.memoryBytes)
      .member("address_bytes", limits.addressBytes);
  out.member("file_bytes", limits.fileBytes).member("load_ms", limits.loadMs).member("build_ms", limits.buildMs);
  out.member("run_ms", limits.runMs).member("launches", limits.launches).endObject();
  out.key("options").beginObject().member("continue_unknown", job.options.continueUnknown);
  out.member("widen_half", job.options.widenHalf).member("lazy_bind", job.options.lazyBind).endObject().endObject();
}

} // namespace

std::optional<uint64_t> dataBytes(DataType type, std::span<const int64_t> shape) {
  uint64_t count = 1;
  for (const int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(count, static_cast<uint64_t>(extent), &count)) return std::nullopt;
  const bool truth = type.code == 1 && type.bits == 1 && type.lanes == 1;
  const uint64_t each = truth ? 8 : uint64_t{type.bits} * type.lanes;
  uint64_t bits = 0;
  // A size must also fit into a pointer difference.
  if (__builtin_mul_overflow(count, each, &bits) || bits > uint64_t{std::numeric_limits<int64_t>::max()} - 7)
    return std::nullopt;
  return (bits + 7) / 8;
}

bool isTapOf(std::string_view tap, std::string_view name, std::string_view function, uint64_t number) {
  if (tap == "*" || tap == name || tap == function) return true;
  const std::size_t dash = tap.find('-');
  const std::optional<uint64_t> first = parseNumber(tap.substr(0, dash));
  const std::optional<uint64_t> last = dash == tap.npos ? first : parseNumber(tap.substr(dash + 1));
  return first && last && *first <= number && number <= *last;
}

std::string writeJob(const Job& job) {
  return oneLine([&](json::Writer& out) { writeJob(out, job); });
}

Result<Job> readJob(const Bytes& text) {
  BLOBSCOPE_TRY(value, json::parse(text));
  MemberReader reader(value);
  Job job;
  if (reader.number<uint64_t>("proto") != kProtocol) reader.fail("the job uses another protocol");
  job.mode = named<Mode>(reader, "mode", kModes);
  if (reader.text("engine") != "native") reader.fail("the job is for another engine");
  job.library = reader.text("library");
  job.abi = reader.text("abi");
  reader.list("calls", kJobItems, [&](const json::Value& item) { job.calls.push_back(callOf(reader, item)); });
  reader.list("modules", kJobItems, [&](const json::Value& item) { job.modules.push_back(moduleOf(reader, item)); });
  job.backend = reader.text("backend");
  job.device = reader.number<int>("device");
  job.driverPath = reader.text("driver_path");
  if (job.mode == Mode::Compile) {
    job.architecture = reader.text("architecture");
    job.flags = reader.texts("flags", kJobItems);
  }
  if (job.mode == Mode::Program) {
    job.program = reader.text("program");
    job.taps = reader.texts("taps", kJobItems);
    job.tapBytes = reader.number<uint64_t>("tap_bytes");
  }
  if (reader.isNext("runtime")) job.runtime = reader.texts("runtime", kJobItems);
  job.timed = reader.truth("timed");
  job.repeat = reader.numberIfNext<uint32_t>("repeat");
  job.warmup = reader.numberIfNext<uint32_t>("warmup");
  if (job.repeat.value_or(0) > kEventItems || job.warmup.value_or(0) > kEventItems) reader.fail("too many repetitions");
  if (const json::Value* const limits = reader.take("limits")) job.limits = limitsOf(reader, *limits);
  if (const json::Value* const options = reader.take("options")) job.options = optionsOf(reader, *options);
  reader.end();
  if (!reader.fine()) return Error(DiagnosticId::RunProtocol, {{"reason", "job: " + reader.problem()}});
  return job;
}

} // namespace blobscope::protocol
