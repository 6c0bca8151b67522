#pragma once

#include "tests/support/builders.h"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Builders for tensors and for the modules and files that contain them; core/formats/blob.md 5.3, 10,
/// core/formats/module-kinds.md 5 – 7.
namespace blobscope::test {

constexpr uint32_t kFloat32 = 0x00012002, kFloat16 = 0x00011002, kInt8 = 0x00010800;

/// A tensor record. `data` is stored as given, whatever the shape is.
struct TensorText {
  uint32_t dtype = kFloat32;
  std::vector<int64_t> shape;
  std::string data;
};

inline std::string tensorBytes(const TensorText& tensor) {
  ByteBuilder out;
  out.u64(0xDD5E40F096B4A13F).u64(0).u32(1).u32(0).u32(static_cast<uint32_t>(tensor.shape.size())).u32(tensor.dtype);
  for (const int64_t extent : tensor.shape) out.u64(static_cast<uint64_t>(extent));
  return out.str(tensor.data).take();
}

inline std::string floats(const std::vector<float>& values) {
  ByteBuilder out;
  for (const float value : values) out.u32(std::bit_cast<uint32_t>(value));
  return out.take();
}

inline std::string nameList(const std::vector<std::string>& names) {
  ByteBuilder out;
  out.u64(names.size());
  for (const std::string& name : names) out.str(name);
  return out.take();
}

inline std::string tensorList(const std::vector<TensorText>& tensors) {
  std::string out;
  for (const TensorText& tensor : tensors) out += tensorBytes(tensor);
  return out;
}

/// Layout aot_factory; after the JSON text of a graph it is graph_factory.
inline std::string aotFactory(const std::vector<std::string>& names, const std::vector<TensorText>& tensors,
                              std::string_view moduleName) {
  return ByteBuilder().u64(names.size()).raw(nameList(names)).raw(tensorList(tensors)).str(moduleName).take();
}

/// Layout consts. `needs`: one per symbol.
inline std::string constants(const std::vector<std::string>& names, const std::vector<TensorText>& tensors,
                             const std::vector<std::string>& symbols,
                             const std::vector<std::vector<std::string>>& needs) {
  ByteBuilder out;
  out.raw(nameList(names)).u64(names.size()).raw(tensorList(tensors)).raw(nameList(symbols)).u64(symbols.size());
  for (const auto& list : needs) out.raw(nameList(list));
  return out.take();
}

/// Layout json.
inline std::string jsonRuntime(std::string_view symbol, std::string_view graph,
                               const std::vector<std::string>& constNames) {
  return ByteBuilder().str(symbol).str(graph).raw(nameList(constNames)).take();
}

/// Layout ethosn1, or ethosn2 with sizes: one network with one input and two outputs.
inline std::string ethosn(bool sizes) {
  ByteBuilder out;
  out.u64(1).str("ethos_main").str(std::string("\x01\x02\x03", 3)).u64(1).u32(0);
  if (sizes) out.u32(1024);
  out.u64(2).u32(1).u32(0);
  if (sizes) out.u32(16).u32(32);
  return out.take();
}

/// A params file.
inline std::string paramsFile(const std::vector<std::string>& names, const std::vector<TensorText>& tensors) {
  return ByteBuilder()
      .u64(0xF7E58D4F05049CB7)
      .u64(0)
      .raw(nameList(names))
      .u64(tensors.size())
      .raw(tensorList(tensors))
      .take();
}

/// A graph of graph_executor with one input, one parameter and one function.
inline std::string executorGraph() {
  return R"({"nodes": [{"op": "null", "name": "x", "inputs": []}, {"op": "null", "name": "p0", "inputs": []},
 {"op": "tvm_op", "name": "dense", "inputs": [[0, 0, 0], [1, 0, 0]],
  "attrs": {"func_name": "fused_dense", "num_inputs": "2", "num_outputs": "1", "flatten_data": "0"}}],
 "arg_nodes": [0, 1], "heads": [[2, 0, 0]], "node_row_ptr": [0, 1, 2, 3],
 "attrs": {"dltype": ["list_str", ["float32", "float32", "float16"]], "storage_id": ["list_int", [0, 1, 2]],
  "shape": ["list_shape", [[1, 4], [4, 2], [1, 2]]], "device_index": ["list_int", [1, 1, 1]]}})";
}

/// A graph of a JSON runtime: numbers as strings and lists in lists until v0.23, plain values from v0.24.
inline std::string runtimeGraph(bool plain) {
  if (plain)
    return R"({"nodes": [{"op": "input", "name": "x", "attrs": {"shape": [[1, 4]], )"
           R"("dtype": ["float32"], "num_outputs": 1}},
 {"op": "const", "name": "w", "attrs": {"shape": [[4, 5]], "dtype": ["float32"], "num_outputs": 1}},
 {"op": "kernel", "name": "nn.dense", "inputs": [[0, 0, 0], [1, 0, 0]],
  "attrs": {"num_inputs": 2, "num_outputs": 1, "shape": [[1, 5]], "dtype": ["float16"], )"
           R"("strides": [1, 2], "bias": true}}],
 "arg_nodes": [0, 1], "heads": [[2, 0, 0]], "node_row_ptr": [0, 1, 2, 3]})";
  return R"({"nodes": [{"op": "input", "name": "x", "attrs": {"shape": [[[1, 4]]], )"
         R"("dtype": [["float32"]], "num_outputs": "1"}},
 {"op": "const", "name": "w", "attrs": {"shape": [[[4, 5]]], "dtype": [["float32"]], "num_outputs": "1"}},
 {"op": "kernel", "name": "nn.dense", "inputs": [[0, 0, 0], [1, 0, 0]],
  "attrs": {"num_inputs": "2", "num_outputs": "1", "shape": [[[1, 5]]], "dtype": [["float16"]], )"
         R"("strides": [["1", "2"]], "bias": [["1"]]}}],
 "arg_nodes": [0, 1], "heads": [[2, 0, 0]], "node_row_ptr": [0, 1, 2, 3]})";
}

} // namespace blobscope::test
