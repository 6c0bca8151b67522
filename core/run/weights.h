#pragma once

#include "core/base/result.h"
#include "core/host/signature.h"
#include "core/program/model.h"
#include "core/run/options.h"

namespace blobscope::run {

/// Makes tensors from a file the inputs of a function of a virtual machine, as RunOptions::contents: those with the
/// name of a parameter go there, the others are the items of the tuple that has as many tensors, in their order, or by
/// number if all names are `param_N`. Inputs that are set stay. Error: RUN-INPUT when there is no such tuple, or a type
/// or shape does not fit.
Result<Done> placeWeights(const host::Signature& signature, const program::Parameters& weights, RunOptions& options);

} // namespace blobscope::run
