#pragma once

#include "core/base/budget.h"
#include "core/base/extent.h"
#include "core/base/monitor.h"
#include "core/base/result.h"
#include "core/library/package.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Device code in host files, outside of blobs: fat binaries and machine code of CUDA, bundles and code objects of AMD
/// GPUs, PTX, in any data of a library or an object file. Nothing is executed. Source of all facts:
/// core/formats/cuda-binaries.md 9 and 10, core/formats/blob.md 11.1.
namespace blobscope::library {

/// The code in an image for one kind of device.
struct ImageEntry {
  std::string kind;      ///< "cubin", "ptx", "ltoir", "code-object", "spirv", "host", "kind 5"
  std::string arch;      ///< "sm_90a", "gfx90a:sramecc+:xnack-"; empty when it is not known
  uint32_t version = 0;  ///< of PTX: 84 for 8.4; 0 elsewhere
  uint64_t size = 0;     ///< stored bytes; 0 in a compressed bundle, whose entries are compressed together
  uint64_t unpacked = 0; ///< bytes when it is not compressed
  Extent extent;         ///< stored bytes, from the first byte of the image; of a bundle those in the unpacked bundle
};

/// A device image in the data of a host file.
struct DeviceImage {
  enum class Kind : uint8_t { Fatbin, Cubin, Bundle, CodeObject, Ptx, Other };
  /// When the image is passed to the driver.
  enum class Loaded : uint8_t {
    StartUp, ///< the constructors of the file register it; the driver chooses an entry at the first use of a kernel
    ByCode,  ///< a function of the file passes it to the driver when it needs it
    Never    ///< only a linker reads it
  };

  std::string name; ///< that its author gave it: "my_kernels"; empty when there is none, "one or two" when images of
                    ///< the same size share names
  Extent extent;    ///< relative to the package's first byte; only the size when the offset is unknown
  Bytes bytes;      ///< empty when the offset is unknown
  std::string_view section; ///< the section that contains it; empty without sections
  std::string_view symbol;  ///< as stored: the symbol that names it, else one at its first byte, else one that contains
                            ///< it, else that of its registration record; or empty
  Kind kind = Kind::Other;
  std::string_view content; ///< the word of payloads::sniff(); a literal
  Loaded loaded = Loaded::ByCode;
  bool relocatable = false; ///< code that was compiled to be linked with other device code
  std::vector<ImageEntry> entries;

  bool placed() const { return !bytes.empty(); }
  /// "fatbin", "cubin", "bundle", "code-object", "ptx"; for other images what their content is, or "other".
  std::string_view kindName() const;
  /// "start-up", "by-code", "never".
  std::string_view loadedName() const;
  /// The same for people: "registered at start-up", "loaded by host code", "used only by a linker".
  std::string_view loadedText() const;
  /// "image 'my_kernels'", "the image at 0xb000 in .rodata".
  std::string title() const;
};
using DeviceImages = std::vector<DeviceImage>;

/// Returns the images in file order, then those of which only name and size are known. Finds them by content in all
/// data of the file, and by the symbols `__tvm_ffi__cubin_NAME` with its `_end` and `_binary_NAME_start`; matches names
/// of `_binary_embedded_NAME_cubin_size` by size. Skips images inside a blob or another image, and bytes whose headers
/// do not describe exactly one image. Reads the data of the file once, without code and debug information. Error: only
/// Cancelled.
Result<DeviceImages> computeDeviceImages(const Package& package, Monitor& monitor);

/// "image:2", for the image with that index in computeDeviceImages().
Ref imageRef(const Package& package, std::size_t index);

/// What the code says about a kernel.
struct ImageKernel {
  std::string name; ///< as stored, at most 4,096 bytes
  std::optional<uint32_t> registers;
  std::optional<uint64_t> sharedBytes, threads; ///< per block: static, of the largest block
};
/// What is in an entry.
struct ImageCode {
  /// Nothing when the kernels are not known: the code is LTO-IR, cannot be unpacked, or unpacking it would exceed the
  /// budget.
  std::optional<std::vector<ImageKernel>> kernels;
  std::string toolkit; ///< "CUDA 12.8"; empty when the code does not name one
};

/// What is in each entry. Unpacks compressed entries. Error: only Cancelled.
Result<std::vector<ImageCode>> computeCode(const DeviceImage& image, const BudgetPtr& budget, Monitor& monitor);

/// The unpacked code of one entry. Errors: as payloads::unpackEntry() and payloads::unpackBundle().
Result<Bytes> computeEntry(const DeviceImage& image, std::size_t entry, const BudgetPtr& budget, Monitor& monitor);

/// One line: "fatbin in .nv_fatbin at 0x95c0, 12.5 KiB: cubin sm_80, cubin sm_90a; loaded at start-up". `number` of the
/// image, for its ref.
std::string imageLine(const DeviceImage& image, std::size_t number);
/// "2 images, 13.2 KiB: cubin sm_80, sm_90a, ptx sm_90": all of them in a few words. Empty when there are none.
std::string imagesSummary(const DeviceImages& images);

} // namespace blobscope::library
