#pragma once

#include "core/base/result.h"
#include "core/payloads/tensor/tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// NumPy's file format for one array. Source: numpy/lib/format.py, NEP 1: magic, version, length of the header, a
/// Python dictionary with "descr", "fortran_order" and "shape", spaces up to a multiple of 64, a line feed, the
/// elements.
namespace blobscope::payloads {

struct NpyHeader {
  std::string bytes; ///< the bytes before npyData() in the file
  std::string note;  ///< a sentence when NumPy has no such type and another type is written; else empty
};

/// The header for a tensor, byte for byte as numpy.save writes it (1.23 and later). Types without an equivalent become
/// unsigned integers of the same width (bfloat16 → uint16, float4 → uint8, which ml_dtypes reads with `view`); odd
/// widths become bytes. Nothing when the stored bytes do not have the size that shape and type require.
std::optional<NpyHeader> npyHeader(const Tensor& tensor);
/// The bytes after that header: those of the elements, with a byte for each element of float4.
Bytes npyData(const Tensor& tensor);

struct NpyArray {
  uint32_t dtype = 0; ///< code, bits, lanes; valid in both numberings (bool is 1, 1, 1)
  /// The type is one that numpy.save has no name for, such as those of ml_dtypes: "<V2", "<V1" and "<f1" (ml_dtypes
  /// 0.6.0 with NumPy 1.26 and 2.4). `dtype` is an unsigned integer of its width.
  bool isUnnamed = false;
  std::vector<int64_t> shape;
  Bytes data; ///< row-major, little-endian

  std::string typeText() const;
};

/// Reads a file of version 1, 2 or 3. FILE-HEADER with the reason for everything except one array of plain
/// little-endian numbers in C order whose bytes end the file.
Result<NpyArray> readNpy(const Bytes& file);

/// The data of `tensor` with the values of an array: Tensor::data of the same size. Nothing when shape and type are not
/// those that npyHeader() writes for the tensor, or a value does not fit into the bits of its type. Where NumPy has no
/// such type, an array of an unnamed type of the same width fits too.
std::optional<Bytes> dataFromNpy(const NpyArray& array, const Tensor& tensor);

} // namespace blobscope::payloads
