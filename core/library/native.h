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

/// What libraries built with tvm-ffi hold besides blobs: exported functions with their documentation, device images
/// that lie in them without a blob, classes and functions that they register. Nothing is executed. Source of all facts:
/// core/formats/blob.md 11.1, 11.2.
namespace blobscope::library {

/// A function `__tvm_ffi_NAME`.
struct NativeFunction {
  /// Longest documentation that is shown, in bytes.
  static constexpr uint64_t kDocBytes = 65'536;

  std::string_view name;             ///< as stored, points into the mapping
  uint32_t symbol = 0;               ///< index into Image::symbols
  bool hasMetadata = false;          ///< `__tvm_ffi__metadata_NAME`: code that makes a JSON text
  std::optional<uint32_t> docGetter; ///< index of `__tvm_ffi__doc_NAME`: code that makes the documentation
  std::optional<Bytes> doc;          ///< the text, once computeDocs() has found it

  bool hasDoc() const { return docGetter.has_value(); }
};

/// Signatures by the names of functions, which the functions themselves told when the library was run. Null: none.
using ReadSignatures = std::shared_ptr<const std::map<std::string, std::string>>;

/// The exported functions in symbol table order, without their texts. None in libraries from before TVM v0.22, whose
/// functions have no prefix.
std::vector<NativeFunction> nativeFunctions(const Package& package);

/// Whether any of them has metadata; cheaper than the list.
bool hasMetadata(const Package& package);

/// Fills in `doc` by reading, not running, the getters: the first address of read-only data that a getter makes, the
/// text there up to NUL, which may be empty. What is not certain stays nothing: text that is longer than kDocBytes, no
/// UTF-8, or has control characters other than white space; object files; code that this program has no disassembler
/// for. Cancelled.
Result<Done> computeDocs(const Package& package, std::vector<NativeFunction>& functions, Monitor& monitor);

/// The first line of the documentation, or why it is not shown; "–" when there is none.
std::string docLine(const NativeFunction& function);

/// A device image that lies in the library's read-only data.
struct EmbeddedImage {
  std::string name; ///< of its symbols; empty when there is none, "one or two" when images of one size share names
  Extent extent;    ///< from the package's first byte; size only, when the place is not known
  Bytes bytes;      ///< empty when the place is not known
  std::string_view section; ///< that holds it, empty without sections
  std::string_view symbol;  ///< that names it, as stored; empty when it was found by its content

  bool placed() const { return !bytes.empty(); }
};

/// The images in file order, then those of which only name and size are known: by `__tvm_ffi__cubin_NAME` and its
/// `_end`, by content in read-only data and in `.nv_fatbin`, with names of `_binary_embedded_NAME_cubin_size` by size.
/// What lies in a blob or in another image is left out, and so is what is longer by its own headers than the data
/// around it. Cancelled.
Result<std::vector<EmbeddedImage>> computeEmbeddedImages(const Package& package, Monitor& monitor);

/// What the library hands to the runtime when it is loaded, by the runtime functions that it needs: "classes, fields,
/// methods, global functions". Empty when it registers nothing.
std::string registrationWords(const Package& package);

/// Rows for the overview of a file: "signatures", "registers"; none when there is nothing to say.
void addNativeFacts(const Package& package, std::vector<std::vector<std::string>>& rows);

/// Adds "Embedded images" when there are any. Reads the file's read-only data once. When the work is cancelled the page
/// is left out.
void addNativePages(const PackagePtr& package, view::PageList& list, Monitor& monitor);
inline void addNativePages(const PackagePtr& package, view::PageList& list) {
  NullMonitor monitor;
  addNativePages(package, list, monitor);
}

/// Adds to the overview of the function that `symbol` (an index into Image::symbols) names whether there is metadata
/// and documentation, and to `pages` "Documentation" when its text could be read. Nothing for other symbols.
void addFunctionFacts(const Package& package, uint32_t symbol, std::vector<std::vector<std::string>>& rows,
                      view::PageList& pages);

} // namespace blobscope::library
