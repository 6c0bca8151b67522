#include "core/mlf/graph.h"
#include "core/mlf/parameters.h"
#include "core/payloads/json/json_fields.h"
#include "core/process/process.h"
#include "core/program/parameters.h"
#include "core/program/tensor_cache.h"
#include "tests/fuzz/step_limit.h"
#include "tests/support/test_support.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace {

using namespace blobscope;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void checkFindings(const check::Findings& findings, uint64_t size) {
  for (const check::Finding& finding : findings.all())
    require(!finding.message().empty() && finding.place.offset.value_or(0) <= size);
}

/// What is sound refers only to what is there.
void readGraph(const mlf::File& file, Monitor& monitor) {
  check::Findings findings;
  const mlf::Graph graph = mlf::readGraph(file, findings, monitor);
  checkFindings(findings, file.bytes.size());
  if (graph.nodesSound)
    for (const mlf::GraphNode& node : graph.nodes)
      for (const mlf::GraphReference& one : node.inputs)
        require(one.node < graph.nodes.size() && one.output < graph.nodes[one.node].outputs);
  if (graph.headsSound)
    for (const mlf::GraphReference& one : graph.heads) require(one.node < graph.nodes.size());
  if (!graph.entriesSound) return;
  require(graph.nodesSound);
  for (const mlf::StorageUse& use : mlf::storageUses(graph, monitor)) require(use.firstEntry < graph.entries.size());
  for (const mlf::GraphEntry& entry : graph.entries)
    require(entry.node < graph.nodes.size() && entry.type && entry.shape && entry.storage);
}

void readParameters(const mlf::File& file, Monitor& monitor) {
  check::Findings findings;
  const mlf::Parameters read = mlf::readParameters(file, {true}, findings, monitor);
  checkFindings(findings, file.bytes.size());
  for (const mlf::Parameter& one : read.list) {
    require(one.offset <= file.bytes.size() && !one.text().empty());
    if (read.whole && one.sound) require(one.dataBytes <= file.bytes.size());
  }
}

/// An index of tensors beside a file with their data.
void readIndex(std::string_view input, Monitor& monitor) {
  const auto folder = process::TemporaryFolder::create();
  require(folder.hasValue());
  const auto write = [&](const char* name, std::string_view text) {
    std::ofstream(folder->path() / name, std::ios::binary) << text;
  };
  write("tensor-cache.json", input);
  const std::string data(64, '\1');
  write("params_shard_0.bin", data);
  const auto read = program::readTensorCache(folder->path() / "tensor-cache.json", monitor);
  if (!read) return require(!read.error().message().empty());
  uint64_t total = 0;
  for (const program::Parameters::Item& item : read->items) {
    require(std::ranges::none_of(item.shape, [](int64_t extent) { return extent < 0; }));
    total += item.data.size();
  }
  require(total <= 8 * data.size()); // some types are stored with fewer bits than they have in memory
}

} // namespace

/// After the first byte: the graph of an executor, a file of parameters, an index of tensors, or any JSON.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return 0;
  const unsigned kind = static_cast<unsigned char>(input[0]) % 4;
  input.remove_prefix(1);
  test::StepLimit monitor(size);
  const mlf::File file{"graph.json", "./graph.json", test::bytes(input)};
  if (kind == 0) {
    readGraph(file, monitor);
  } else if (kind == 1) {
    readParameters(file, monitor);
  } else if (kind == 2) {
    readIndex(input, monitor);
  } else if (const auto tree = payloads::describeJson(file.bytes)) {
    for (uint32_t row = 0; row < tree->rows.size(); ++row) {
      const Field& field = tree->rows[row];
      require(field.offset <= tree->bytes.size() && field.size <= tree->bytes.size() - field.offset &&
              field.after > row);
      (void)tree->value(row);
    }
  }
  return 0;
}
