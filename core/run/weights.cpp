#include "core/run/weights.h"

#include "core/base/text.h"
#include "core/protocol/data_type.h"
#include "core/protocol/element_code.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace blobscope::run {
namespace {

using Item = program::Parameters::Item;

/// N of `param_N`.
std::optional<std::size_t> numberIn(std::string_view name) {
  constexpr std::string_view kStart = "param_";
  if (!name.starts_with(kStart)) return std::nullopt;
  name.remove_prefix(kStart.size());
  std::size_t number = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
  return failure == std::errc() && end == name.data() + name.size() ? std::optional(number) : std::nullopt;
}

/// By number when all names have one, and each occurs once.
void order(std::vector<const Item*>& items) {
  std::vector<const Item*> sorted(items.size());
  for (const Item* const item : items) {
    const auto number = numberIn(item->name);
    if (!number || *number >= sorted.size() || sorted[*number]) return;
    sorted[*number] = item;
  }
  items = std::move(sorted);
}

std::string textOf(const Item& item) {
  std::string out = "Tensor([";
  for (std::size_t i = 0; i < item.shape.size(); ++i) out += (i > 0 ? ", " : "") + std::to_string(item.shape[i]);
  return out + "], " + protocol::typeText(item.type) + ")";
}

bool fits(const Item& item, const host::Parameter& parameter) {
  if (!parameter.dtype.empty() && parameter.dtype != protocol::typeText(item.type)) return false;
  if (!parameter.rankKnown) return true;
  if (parameter.shape.size() != item.shape.size()) return false;
  for (std::size_t i = 0; i < item.shape.size(); ++i)
    if (parameter.shape[i].value && *parameter.shape[i].value != item.shape[i]) return false;
  return true;
}

Result<Done> place(const Item& item, const host::Parameter& parameter, const std::string& name, RunOptions& options) {
  if (options.inputs.contains(name)) return Done{};
  if (!fits(item, parameter))
    return Error(DiagnosticId::RunInput,
                 {arg("name", name),
                  {"reason", "'" + escapedWithin(item.name, 120) + "' in the file of parameters is " + textOf(item) +
                                 ", but it should be " + parameter.text()}});
  options.contents[name] = item.data;
  for (std::size_t i = 0; i < item.shape.size() && i < parameter.shape.size(); ++i)
    if (parameter.shape[i].isVariable()) options.variables.try_emplace(parameter.shape[i].text, item.shape[i]);
  return Done{};
}

bool isTupleOfTensors(const host::Parameter& parameter) {
  return parameter.kind == host::Parameter::Kind::Tuple && !parameter.items.empty() &&
         std::ranges::all_of(parameter.items,
                             [](const host::Parameter& item) { return item.kind == host::Parameter::Kind::Tensor; });
}

} // namespace

Result<Done> placeWeights(const host::Signature& signature, const program::Parameters& weights, RunOptions& options) {
  std::vector<const Item*> others;
  for (const Item& item : weights.items) {
    const auto parameter = std::ranges::find(signature.parameters, item.name, &host::Parameter::name);
    if (parameter == signature.parameters.end() || parameter->kind != host::Parameter::Kind::Tensor)
      others.push_back(&item);
    else
      BLOBSCOPE_CHECK(place(item, *parameter, parameter->name, options));
  }
  if (others.empty()) return Done{};
  order(others);
  const auto tuple = std::ranges::find_if(signature.parameters, [&](const host::Parameter& parameter) {
    return isTupleOfTensors(parameter) && parameter.items.size() == others.size();
  });
  if (tuple == signature.parameters.end())
    return Error(DiagnosticId::RunInput,
                 {arg("name", others.front()->name),
                  {"reason", "the file of parameters has " + countText(others.size(), "tensor") +
                                 " without a parameter of that name, and '" + escapedWithin(signature.function, 100) +
                                 "' takes no tuple of that many tensors"}});
  for (std::size_t i = 0; i < others.size(); ++i)
    BLOBSCOPE_CHECK(place(*others[i], tuple->items[i], tuple->name + "." + std::to_string(i), options));
  return Done{};
}

} // namespace blobscope::run
