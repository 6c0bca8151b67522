#pragma once

#include "core/host/signature.h"
#include "core/modules/calls.h"

namespace blobscope::xref {

/// Returns the signature of a VM function: from the text of an annotation if there is one, else from the checks in its
/// code.
host::Signature signatureOf(const modules::Caller& caller);
/// Returns a parameter with the type that an annotation states: "R.Tensor((n, 3), dtype=\"float32\")" in all spellings
/// of core/formats/host-abi.md 2.6. For other annotations, such as R.Tuple(…) and R.Shape([n]), `dtype` is their
/// shortened text and the kind is unknown.
host::Parameter parameterOf(std::string_view name, std::string_view annotation);
/// Returns the signature of a host function from the arguments in a graph.
host::Signature signatureOf(const modules::GraphArguments& arguments);

} // namespace blobscope::xref
