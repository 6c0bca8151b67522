#include "core/modules/opengl/opengl.h"

#include "core/modules/common/code3_body.h"

namespace blobscope::modules {
namespace {

/// Data is `{"shaders": {name: {"source", "arg_names", "arg_kinds", "thread_extent_var"}}}`. Source: apache/tvm
/// src/runtime/opengl/opengl_module.cc v0.6.1 (source only, no file seen).
class OpenglBody final : public Code3ImageBody {
protected:
  std::string_view language() const override { return "json"; }
};

constexpr std::string_view kOpenglKeys[] = {"opengl"};
constexpr Layout kOpenglLayouts[] = {wireLayout<OpenglBody>("code3")};

} // namespace

const ModuleCodec kOpenglCodec = {kOpenglKeys, kOpenglLayouts};

} // namespace blobscope::modules
