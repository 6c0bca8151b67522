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

/// Metadata of functions in tvm-ffi libraries. Their getters are code of the library, which is executed.
namespace blobscope::run {

/// The texts of one function.
struct FunctionMetadata {
  std::string name;
  std::string json;           ///< what `__tvm_ffi__metadata_NAME` returned, valid JSON; empty if there is none
  std::string signature;      ///< "(int, ffi.Tensor) -> ffi.Tensor"; empty without metadata
  std::string doc;            ///< what `__tvm_ffi__doc_NAME` returned
  std::string code, message;  ///< "RUN-…" and its sentence if a text could not be read; otherwise empty
  Status status = Status::Ok; ///< status of the first getter that returned nothing
  bool fine() const { return code.empty(); }
};

/// Calls the getters of every function that has one, in runner processes: if one dies, the next process continues with
/// the next function. Uses `agreed`, `limits`, `runner` and `functions` (empty: all) of RunOptions. Errors: those of
/// AgreedLibrary::take() and canLoad(); RUN-NO-METADATA if no function has a getter; RUN-RUNNER; RUN-CRASH, RUN-EXIT or
/// RUN-TIME if the process ends while the library is loaded; Cancelled. Problems of one function are in its
/// FunctionMetadata.
Result<std::vector<FunctionMetadata>> readMetadata(const library::PackagePtr& package, const RunOptions& options,
                                                   Monitor& monitor);

/// Returns one line in tvm-ffi's spelling of types: "(int, ffi.Array<int>) -> ffi.Tensor". `json` is a metadata text.
/// Error: RUN-PROTOCOL if it is not JSON or has none of the known layouts: `args` with the result first (until
/// v0.1.14), or `named_args` with `return` and `params`. Source: apache/tvm-ffi v0.1.0 to v0.1.15
/// include/tvm/ffi/function_details.h.
Result<std::string> signatureLine(std::string_view json);

/// Returns the signatures by function name, for the functions that have one.
std::map<std::string, std::string> signaturesOf(const std::vector<FunctionMetadata>& functions);

} // namespace blobscope::run
