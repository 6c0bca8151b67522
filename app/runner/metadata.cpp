#include "app/runner/calls.h"
#include "app/runner/channel.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstring>

/// Mode Metadata: getters of tvm-ffi libraries, `int f(self, args, 0, Any* result)`, return a string. Source:
/// apache/tvm-ffi v0.1.4 include/tvm/ffi/function.h, TVM_FFI_DLL_EXPORT_TYPED_FUNC_METADATA_IMPL_.
namespace blobscope::runner {
namespace {

/// A string object: the header of every object, then the address of its bytes. Source: apache/tvm-ffi 0.1
/// include/tvm/ffi/c_api.h, TVMFFIObject and TVMFFIByteArray.
struct StringObject {
  uint64_t counts;
  int32_t type;
  uint32_t pad;
  void* deleter;
  const char* data;
  std::size_t size;
};

Error failed(const std::string& name, std::string reason) {
  return Error(DiagnosticId::RunFailed, {arg("name", name), {"code", "0"}, {"reason", std::move(reason)}});
}

Result<std::string> textOf(const FfiAny& result, const std::string& name) {
  std::string text;
  const auto take = [&](const char* data, std::size_t size) -> Result<Done> {
    if (size > protocol::kMetadataBytes)
      return failed(name, "its text has " + sizeText(size) + ", more than the limit of " +
                              sizeText(protocol::kMetadataBytes));
    if (size > 0 && !data) return failed(name, "its text has no address");
    text.assign(data ? data : "", size);
    return Done{};
  };
  if (result.type == kFfiSmallString) {
    BLOBSCOPE_CHECK(take(reinterpret_cast<const char*>(&result.value), std::min<std::size_t>(result.zeroPad, 7)));
  } else if (result.type == kFfiString && result.value.pointer) {
    const auto* const object = static_cast<const StringObject*>(result.value.pointer);
    BLOBSCOPE_CHECK(take(object->data, object->size));
  } else if (result.type == kFfiRawString && result.value.pointer) {
    const char* const data = static_cast<const char*>(result.value.pointer);
    BLOBSCOPE_CHECK(take(data, strnlen(data, protocol::kMetadataBytes + 1)));
  } else {
    return failed(name, "it did not return a text, but a value with type index " + std::to_string(result.type));
  }
  if (!isUtf8(text)) return failed(name, "its text is not UTF-8");
  return text;
}

Result<std::string> callGetter(const HostLibrary& library, Runtime& runtime, const std::string& name, int& code) {
  BLOBSCOPE_TRY(function, findFunction(library, runtime, name));
  PackedArguments none;
  FfiAny result;
  runtime.takeRaised();
  code = library.call(function, none, &result);
  if (const std::string missing = HostLibrary::takeMissing(); !missing.empty())
    return Error(DiagnosticId::RunImports, {arg("names", missing)});
  if (auto problem = runtime.takeProblem()) return std::move(*problem);
  const std::string raised = runtime.takeRaised();
  if (code == 0) return textOf(result, name);
  if (!raised.empty()) return Error(DiagnosticId::RunRejected, {arg("name", name), arg("reason", raised)});
  return Error(DiagnosticId::RunFailed,
               {arg("name", name), {"code", std::to_string(code)}, {"reason", "no reason given"}});
}

void sendText(uint64_t call, std::string_view text) {
  do {
    std::size_t size = std::min(text.size(), protocol::kMetadataPieceBytes);
    // Do not split a character.
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
    const std::string piece(text.substr(0, size));
    text.remove_prefix(size);
    sendEvent(protocol::MetadataRead{call, piece, !text.empty()});
  } while (!text.empty());
}

} // namespace

int runMetadata(const JobContext& context) {
  const protocol::Job& job = context.job;
  // It is never destroyed: threads of the library may still be running.
  Runtime& runtime = *new Runtime(job, context.folder);
  const HostLibrary* const library = loadLibrary(context, runtime);
  if (!library) return kLoadFailed;
  int result = 0;
  for (std::size_t i = 0; i < job.calls.size() && !cancelled(); ++i) {
    enterCall(i);
    enter(protocol::Stage::HostCall, job.limits.runMs);
    int code = 0;
    auto text = callGetter(*library, runtime, job.calls[i].function, code);
    if (text) {
      sendText(i, *text);
    } else {
      sendEvent(text.error());
      result = kCallFailed;
    }
    sendEvent(protocol::CallEnded{i, job.calls[i].function, code, 0});
    enterCall(std::nullopt);
  }
  return result;
}

} // namespace blobscope::runner
