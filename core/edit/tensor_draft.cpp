#include "core/edit/tensor_draft.h"

#include "core/base/text.h"
#include "core/edit/module_draft.h"
#include "core/payloads/tensor/npy.h"
#include "core/payloads/tensor/value_text.h"

#include <algorithm>

namespace blobscope::edit {
namespace {

std::string shapeText(const std::vector<int64_t>& shape) {
  std::string out;
  for (const int64_t extent : shape) out += (out.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + out + "]";
}

} // namespace

Result<Done> TensorDraft::replace(const Ref& ref, Bytes content) {
  const payloads::Tensor& tensor = *m_tensor;
  const std::string wanted = tensor.typeText() + " " + tensor.shapeText();
  if (content.view().starts_with("\x93NUMPY")) {
    BLOBSCOPE_TRY(array, payloads::readNpy(content));
    const auto data = payloads::dataFromNpy(array, tensor);
    if (!data)
      return Error(
          DiagnosticId::EditTensor,
          {arg("ref", ref.toString()), {"wanted", wanted}, {"found", array.typeText() + " " + shapeText(array.shape)}},
          ref);
    content = *data;
  } else if (content.size() != tensor.data.size()) {
    return Error(DiagnosticId::EditTensor,
                 {arg("ref", ref.toString()),
                  {"wanted", wanted + " of " + sizeText(tensor.data.size())},
                  sizeArg("found", content.size())},
                 ref);
  }
  m_replaced = std::move(content);
  m_changed.clear();
  return Done{};
}

Result<Done> TensorDraft::setValue(const Ref& ref, std::span<const uint64_t> index, std::string_view value) {
  const payloads::Tensor& tensor = *m_tensor;
  const payloads::TensorValues values(tensor);
  const auto element = payloads::elementAt(tensor, index);
  if (values.layout() == payloads::Layout::None)
    return cannotEdit(ref, "TVM does not state where values of the type " + tensor.typeText() + " are");
  if (!element || *element >= values.stored())
    return cannotEdit(ref, "the tensor of shape " + tensor.shapeText() + " has no value at that index");
  BLOBSCOPE_TRY(encoded, payloads::encodeValue(tensor, value, ref.toString()));
  const uint64_t first = values.firstBit(*element);
  const uint64_t count = values.isPacked() ? values.type().bits : values.type().laneBytes() * 8;
  // Of a byte with several packed values only some bits change.
  const Bytes& before = m_replaced ? *m_replaced : tensor.data;
  for (uint64_t bit = 0; bit < count;) {
    const uint64_t offset = (first + bit) / 8, shift = (first + bit) % 8, taken = std::min(8 - shift, count - bit);
    const auto changed = m_changed.find(offset);
    const auto old = std::to_integer<unsigned>(changed != m_changed.end() ? changed->second : before.span()[offset]);
    const unsigned mask = ((1u << taken) - 1) << shift;
    const unsigned wanted = static_cast<unsigned>(encoded.bits >> bit & 0xff) << shift & mask;
    m_changed.insert_or_assign(offset, static_cast<std::byte>((old & ~mask) | wanted));
    bit += taken;
  }
  return Done{};
}

Result<Done> TensorDraft::forEachRun(const std::function<Result<Done>(uint64_t offset, Bytes bytes)>& visit) const {
  if (m_replaced) {
    if (m_changed.empty()) return visit(0, *m_replaced);
    std::string data(m_replaced->view());
    for (const auto& [offset, byte] : m_changed) data[offset] = static_cast<char>(byte);
    return visit(0, Bytes::copyOf(data));
  }
  for (auto at = m_changed.begin(); at != m_changed.end();) {
    const uint64_t first = at->first;
    std::string run;
    for (; at != m_changed.end() && at->first == first + run.size(); ++at) run += static_cast<char>(at->second);
    BLOBSCOPE_CHECK(visit(first, Bytes::copyOf(run)));
  }
  return Done{};
}

} // namespace blobscope::edit
