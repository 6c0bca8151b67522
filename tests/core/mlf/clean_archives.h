#pragma once

#include "tests/support/mlf_builder.h"

/// Archives without findings, by what runs the model.
namespace blobscope::test {

inline Mlf graph(unsigned version = 7) { return cleanMlf(version, MlfStyle::Graph); }
inline Mlf aot(unsigned version = 7) { return cleanMlf(version, MlfStyle::Aot); }
inline Mlf op(unsigned version = 7) { return cleanMlf(version, MlfStyle::Operator); }

} // namespace blobscope::test
