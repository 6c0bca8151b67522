#pragma once

#include "core/host/signature.h"
#include "core/modules/calls.h"

namespace blobscope::xref {

/// The signature of a VM function: from the text of an annotation where there is one, else from what its code checks.
host::Signature signatureOf(const modules::Caller& caller);
/// A parameter of the type that an annotation names: "R.Tensor((n, 3), dtype=\"float32\")" in all spellings of formats
/// core/formats/host-abi.md 2.6. Of other annotations, such as R.Tuple(…) and R.Shape([n]), `dtype` is their text,
/// shortened, and the kind unknown.
host::Parameter parameterOf(std::string_view name, std::string_view annotation);
/// What a graph says of the arguments of a host function.
host::Signature signatureOf(const modules::GraphArguments& arguments);

} // namespace blobscope::xref
