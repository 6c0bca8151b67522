#pragma once

#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/run/options.h"
#include "core/run/report.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// What functions of tvm-ffi libraries say of themselves. Their getters are code of the library: it is executed.
namespace blobscope::run {

/// The texts of one function.
struct FunctionMetadata {
  std::string name;
  std::string json;           ///< what `__tvm_ffi__metadata_NAME` returned, valid JSON; empty when there is none
  std::string signature;      ///< "(int, ffi.Tensor) -> ffi.Tensor"; empty without metadata
  std::string doc;            ///< what `__tvm_ffi__doc_NAME` returned
  std::string code, message;  ///< "RUN-…" and its sentence, when a text could not be read; empty when all is well
  Status status = Status::Ok; ///< what happened to the first getter that gave nothing
  bool fine() const { return code.empty(); }
};

/// Calls the getters of every function that has one in runner processes: after a death the next process goes on with
/// the function after it. Of RunOptions it takes `agreed`, `limits`, `runner` and `functions` (empty: all). Error:
/// those of AgreedLibrary::take() and canLoad(); RUN-NO-METADATA when no function has one; RUN-RUNNER; RUN-CRASH,
/// RUN-EXIT or RUN-TIME when the process ends while the library is loaded; Cancelled.
/// What one function lacks is told in its FunctionMetadata.
Result<std::vector<FunctionMetadata>> readMetadata(const library::PackagePtr& package, const RunOptions& options,
                                                   Monitor& monitor);

/// One line for people, in tvm-ffi's spelling of types: "(int, ffi.Array<int>) -> ffi.Tensor". `json` is a metadata
/// text. RUN-PROTOCOL when it is not JSON, or not of the layouts known: `args` with the result first (until v0.1.14),
/// or `named_args` with `return` and `params`. Source: apache/tvm-ffi v0.1.0 to v0.1.15
/// include/tvm/ffi/function_details.h.
Result<std::string> signatureLine(std::string_view json);

/// Signatures by the names of functions, those that have one.
std::map<std::string, std::string> signaturesOf(const std::vector<FunctionMetadata>& functions);

} // namespace blobscope::run
