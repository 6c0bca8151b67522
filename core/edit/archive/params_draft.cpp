#include "core/edit/archive/params_draft.h"

#include "core/base/text.h"
#include "core/edit/module_draft.h"
#include "core/payloads/params/params.h"

#include <algorithm>

namespace blobscope::edit {

Result<TensorDraft*> ParamsDraft::find(const Ref& ref) {
  if (const auto found = m_tensors.find(ref.name); found != m_tensors.end()) return &found->second.values;
  BLOBSCOPE_TRY(params, payloads::readParams(m_file));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < params->names.size(); ++i) {
    names.emplace_back(params->names[i].view());
    if (names.back() != ref.name) continue;
    const payloads::Tensor& tensor = params->tensors[i];
    // The data is a part of the file's bytes, whatever file contains them.
    const auto offset = static_cast<uint64_t>(tensor.data.data() - m_file.data());
    const std::shared_ptr<const payloads::Tensor> shared(params, &tensor);
    return &m_tensors.try_emplace(ref.name, EditedTensor{offset, TensorDraft(shared)}).first->second.values;
  }
  return Error(
      DiagnosticId::RefNotFound,
      {arg("ref", ref.toString()), {"reason", "the file has no tensor with that name" + proposalText(ref.name, names)}},
      ref);
}

Result<Done> ParamsDraft::replace(const Ref& ref, Bytes content) {
  BLOBSCOPE_TRY(tensor, find(ref));
  return tensor->replace(ref, std::move(content));
}

Result<Done> ParamsDraft::setValue(const Ref& ref, std::span<const uint64_t> index, std::string_view value) {
  BLOBSCOPE_TRY(tensor, find(ref));
  return tensor->setValue(ref, index, value);
}

Result<std::vector<BytesRun>> ParamsDraft::finish() const {
  std::vector<BytesRun> runs;
  for (const auto& [name, tensor] : m_tensors)
    BLOBSCOPE_CHECK(tensor.values.forEachRun([&, first = tensor.offset](uint64_t offset, Bytes bytes) -> Result<Done> {
      if (!(m_file.slice(first + offset, bytes.size()) == bytes)) runs.push_back({first + offset, std::move(bytes)});
      return Done{};
    }));
  std::sort(runs.begin(), runs.end(), [](const BytesRun& a, const BytesRun& b) { return a.offset < b.offset; });
  return runs;
}

Bytes withRuns(const Bytes& file, std::span<const BytesRun> runs) {
  std::string out(file.view());
  for (const BytesRun& run : runs) out.replace(run.offset, run.bytes.size(), run.bytes.view());
  return Bytes::copyOf(out);
}

} // namespace blobscope::edit
