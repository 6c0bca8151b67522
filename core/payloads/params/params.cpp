#include "core/payloads/params/params.h"

#include "core/payloads/tensor/tensor_table.h"

namespace blobscope::payloads {

Result<std::shared_ptr<const Params>> readParams(const Bytes& bytes, bool dlpack) {
  Reader reader(bytes);
  WireContext context;
  context.dlpack = dlpack;
  ReadArchive archive(reader, context);
  auto params = std::make_shared<Params>();
  wire(archive, *params);
  if (reader.ok() && reader.left() > 0) reader.failLeftOver("");
  if (!reader.ok()) return reader.error();
  return std::shared_ptr<const Params>(std::move(params));
}

void encodeParams(const Params& params, Writer& writer) {
  WriteArchive archive(writer);
  wire(archive, params);
}

FieldTree describeParams(const Params& params, Bytes bytes) {
  FieldTreeBuilder builder;
  DescribeArchive archive(builder);
  wire(archive, params);
  return builder.take(std::move(bytes));
}

std::optional<uint32_t> paramRow(const FieldTree& tree, std::size_t index) {
  return tree.find("tensors[" + std::to_string(index) + "]");
}

void addParamsPages(const Params& params, view::PageList& list) {
  std::vector<NamedTensor> tensors;
  tensors.reserve(params.tensors.size());
  for (std::size_t i = 0; i < params.tensors.size(); ++i) tensors.push_back({params.names[i], params.tensors[i]});
  list.push_back({"Parameters", view::TablePage{std::make_shared<TensorTable>(std::move(tensors), PartKind::Param)}});
}

} // namespace blobscope::payloads
