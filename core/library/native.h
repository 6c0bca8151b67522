#pragma once

#include "core/base/extent.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"
#include "core/view/page.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What libraries built with tvm-ffi contain besides blobs: exported functions with their documentation, classes and
/// functions that they register; and the page of device images outside of blobs. Nothing is executed. Source of all
/// facts: core/formats/blob.md 11.1, 11.2.
namespace blobscope::library {

/// A function `__tvm_ffi_NAME`.
struct NativeFunction {
  /// The longest documentation that is shown, in bytes.
  static constexpr uint64_t kDocBytes = 65'536;

  std::string_view name;             ///< as stored, points into the mapping
  uint32_t symbol = 0;               ///< index into Image::symbols
  bool hasMetadata = false;          ///< `__tvm_ffi__metadata_NAME`: code that returns a JSON text
  std::optional<uint32_t> docGetter; ///< index of `__tvm_ffi__doc_NAME`: code that returns the documentation
  std::optional<Bytes> doc;          ///< the text, once computeDocs() has found it

  bool hasDoc() const { return docGetter.has_value(); }
};

/// Signatures by function name, as the functions returned them when the library was run. Null: none.
using ReadSignatures = std::shared_ptr<const std::map<std::string, std::string>>;

/// Returns the exported functions in symbol table order, without their texts; none in libraries from before TVM v0.22,
/// whose functions have no prefix.
std::vector<NativeFunction> nativeFunctions(const Package& package);

/// Whether any exported function has metadata; cheaper than the list.
bool hasMetadata(const Package& package);

/// Fills in `doc` by reading the getters without running them: takes the first address of read-only data that a getter
/// computes, and the text there up to NUL, which may be empty. Leaves `doc` unset when the text is not certain: it is
/// longer than kDocBytes, is not UTF-8, or has control characters other than white space; the file is an object file;
/// this program has no disassembler for the code. Error: only Cancelled.
Result<Done> computeDocs(const Package& package, std::vector<NativeFunction>& functions, Monitor& monitor);

/// Returns the first line of the documentation, or why it is not shown; "–" when there is none.
std::string docLine(const NativeFunction& function);

/// Returns what the library registers with the runtime when it is loaded, derived from the runtime functions that it
/// needs: "classes, fields, methods, global functions". Empty when it registers nothing.
std::string registrationWords(const Package& package);

/// Adds rows to the overview of a file: "signatures", "registers"; none when there is nothing to show.
void addNativeFacts(const Package& package, std::vector<std::vector<std::string>>& rows);

/// Adds the page "Registered names" for a library that registers functions or classes and exports none, and the page
/// "Embedded images" when there are any. Reads the file's data once. Adds no further page when the work is
/// cancelled.
void addNativePages(const PackagePtr& package, view::PageList& list, Monitor& monitor);
inline void addNativePages(const PackagePtr& package, view::PageList& list) {
  NullMonitor monitor;
  addNativePages(package, list, monitor);
}

/// Adds rows about metadata and documentation to the overview of the function that `symbol` (an index into
/// Image::symbols) names, and the page "Documentation" to `pages` when its text could be read. Adds nothing for other
/// symbols.
void addFunctionFacts(const Package& package, uint32_t symbol, std::vector<std::vector<std::string>>& rows,
                      view::PageList& pages);

} // namespace blobscope::library
