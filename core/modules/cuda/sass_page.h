#pragma once

#include "core/base/bytes.h"
#include "core/view/page.h"

#include <string>

namespace blobscope::modules {

/// "SASS": the listing of a cubin, of one kernel or of all when `kernelOrEmpty` is empty. The disassembler that the
/// program set with syntax::setSassDisassembler() creates it when the page is shown. A notice with the reason when
/// there is none.
view::Page sassPage(Bytes cubin, std::string kernelOrEmpty);

/// "Instruction mix": how many instructions of each class a kernel has, from its SASS.
view::Page sassMixPage(Bytes cubin, std::string kernel);
/// The same from its PTX.
view::Page ptxMixPage(Bytes text);

} // namespace blobscope::modules
