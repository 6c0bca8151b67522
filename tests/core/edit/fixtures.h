#pragma once

#include "core/edit/apply.h"
#include "core/edit/edit_json.h"
#include "core/edit/preview.h"
#include "core/library/blob.h"
#include "core/library/node.h"
#include "tests/core/base/compare.h"
#include "tests/support/archive_builder.h"
#include "tests/support/builders.h"
#include "tests/support/cuda_builders.h"
#include "tests/support/tensor_builders.h"
#include "tests/support/test_support.h"
#include "tests/support/vm_builders.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

/// Libraries and edits for the tests of the edit layer. Edits are written as in edit files, with single quotes.
namespace blobscope::test {

using Imports = std::vector<std::vector<uint64_t>>;

inline const std::vector<Function> kAddMul = {{"add"}, {"mul"}};
inline const std::vector<std::pair<std::string, std::string>> kCodes = {{"add", "kernel void add() {}"},
                                                                        {"mul", "kernel void mul() {}"}};

inline std::string ffiLibrary(const std::vector<Record>& records, const Imports& imports) {
  return elfWith("__tvm_ffi__library_bin", ffiBlob(records, imports));
}
inline std::string classicLibrary(const std::vector<Record>& records, const std::optional<Imports>& imports) {
  return elfWith("__tvm_dev_mblob", classicBlob(records, imports));
}

inline std::string metal2(const std::vector<std::pair<std::string, std::string>>& codes,
                          const std::vector<Function>& functions, Info form = Info::Three) {
  ByteBuilder out;
  out.str("0.1.0").u64(codes.size());
  for (const auto& [name, code] : codes) out.str(name).str(code);
  return out.raw(functionMap(functions, form)).str("metal").take();
}
inline std::string metal3(const std::vector<std::pair<std::string, std::string>>& codes,
                          const std::vector<Function>& functions) {
  ByteBuilder out;
  out.str("metal").raw(functionMap(functions, Info::Four)).u64(codes.size());
  for (const auto& [name, code] : codes) out.str(name).str(code);
  return out.take();
}
inline std::string webgpu(const std::vector<std::pair<std::string, std::string>>& codes,
                          const std::vector<Function>& functions) {
  return metal3(codes, functions).substr(13);
}

/// `_lib` and one module of that kind.
inline std::string oneModule(const std::string& key, const std::string& payload, Info form = Info::Four) {
  const std::vector<Record> records = {{"_lib", ""}, {key, payload}};
  return form == Info::Three ? classicLibrary(records, Imports{{1}, {}}) : ffiLibrary(records, {{1}, {}});
}

inline library::PackagePtr opened(const std::string& file) {
  auto package = openBytes(file);
  if (!package) qFatal("a made library cannot be opened: %s", package.error().message().c_str());
  return *package;
}

inline std::vector<edit::Edit> editsOf(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  auto list = edit::readEdits(bytes("{\"schema\": \"blobscope.edits/1\", \"edits\": [" + text + "]}"));
  if (!list) qFatal("the edits of a test cannot be read: %s", list.error().message().c_str());
  return std::move(list->edits);
}

/// A package with edits applied, and the result of reading the new blob independently.
struct Edited {
  library::PackagePtr before, after; ///< after: the preview
  std::vector<edit::Edit> edits;
  edit::Applied applied;
};

inline Result<Edited> applyTo(const library::PackagePtr& package, const std::string& edits, bool force = false) {
  NullMonitor monitor;
  Edited out;
  out.before = package;
  out.edits = editsOf(edits);
  edit::ApplyOptions options;
  options.force = force;
  BLOBSCOPE_TRY(applied, edit::apply(package, out.edits, options, monitor));
  out.applied = std::move(applied);
  BLOBSCOPE_TRY(after, edit::preview(package, out.applied, monitor));
  out.after = after;
  return out;
}

inline std::string bytesOf(const edit::EditedBlob& blob) {
  return std::string(joined(std::vector<Bytes>(blob.pieces)).view());
}

/// "_lib(1) cuda()": kinds and imports of a blob; "*" after a module that does not decode.
inline std::string treeText(const library::Blob& blob) {
  std::string out;
  for (const auto& module : blob.modules) {
    out += (out.empty() ? "" : " ") + std::string(module->key.view()) +
           (module->undecoded == library::Undecoded::No ? "" : "*") + "(";
    for (std::size_t i = 0; i < module->imports.size(); ++i)
      out += (i == 0 ? "" : ",") + std::to_string(module->imports[i]);
    out += ")";
  }
  return out;
}

/// Says why the applied edits differ from what the new bytes open as, empty when they agree: modules, imports, sizes,
/// and the preview.
inline std::string problemsOf(const Edited& edited) {
  NullMonitor monitor;
  for (const edit::EditedBlob& blob : edited.applied.blobs) {
    const std::string text = bytesOf(blob);
    if (text.size() != blob.size) return "the size";
    container::Carrier carrier = blob.opened().carrier;
    carrier.available = bytes(text);
    if (carrier.symbolSize) carrier.symbolSize = text.size();
    const auto again = library::openBlob(carrier, blob.opened().refPrefix, monitor, blob.opened().memberPath);
    if (!again) return again.error().message();
    Writer writer;
    library::encodeBlob(*again, writer);
    if (joined(writer.takePieces()).view() != text) return "encoding it once more changes it";
    if (blob.modules.empty()) continue;
    if (again->modules.size() != blob.modules.size())
      return "it opens with " + std::to_string(again->modules.size()) + " modules: " + treeText(*again);
    for (std::size_t i = 0; i < blob.modules.size(); ++i) {
      const library::Module& module = *again->modules[i];
      const edit::EditedModule& wanted = blob.modules[i];
      if (!(module.key == wanted.key) || !(module.payload == wanted.payload) || module.imports != wanted.imports)
        return "module " + std::to_string(i) + " is another one: " + treeText(*again);
    }
  }
  return {};
}

/// The payload of module `index` of the first blob after the edits, or the message of the error.
inline std::string payloadAfter(const std::string& file, const std::string& edits, std::size_t index = 1,
                                bool force = false) {
  const auto edited = applyTo(opened(file), edits, force);
  if (!edited) return edited.error().message();
  if (const std::string why = problemsOf(*edited); !why.empty()) return "wrong: " + why;
  const auto& modules = edited->after->blobs.front()->modules;
  return index < modules.size() ? std::string(modules[index]->payload.view()) : "no such module";
}

} // namespace blobscope::test
