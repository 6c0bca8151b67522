#pragma once

#include "core/modules/codec.h"
#include "core/payloads/tensor/tensor_table.h"

#include <initializer_list>
#include <string_view>
#include <vector>

/// Parts and pages of modules that hold tensors or define functions that host code calls by name.
namespace blobscope::modules {

/// `count` tensors; the rows are called "tensors".
template <class A> void wireTensors(A& ar, wire_ref<A, std::vector<payloads::Tensor>> tensors, uint64_t count) {
  constexpr uint64_t kLeastBytes = 40; // of a tensor without axes and data
  ar.items("tensors", tensors, count, kLeastBytes,
           [](A& a, auto& tensor) { a.group("", [&](A& inner) { wire(inner, tensor); }); });
}

/// A count that is stored besides a list and must equal its size.
template <class A>
void wireCount(A& ar, const char* name, wire_ref<A, uint64_t> count, std::size_t size, const char* expected) {
  ar.number(name, count, FieldRole::Length);
  if constexpr (A::kReads)
    if (ar.ok() && count != size) ar.reader().failValue(name, ar.reader().position() - 8, count, expected);
}

/// A list of names.
template <class A> void wireNames(A& ar, const char* name, wire_ref<A, std::vector<Bytes>> names) {
  ar.list(name, names, 8, [](A& a, auto& item) { a.string("", item); });
}

std::vector<payloads::NamedTensor> namedTensors(const std::vector<Bytes>& names,
                                                const std::vector<payloads::Tensor>& tensors);

/// The parts `param:NAME`, listed by the page `title`; rows of the fields below "tensors".
PartGroup tensorParts(const Body& body, const std::vector<Bytes>& names, const std::vector<payloads::Tensor>& tensors,
                      std::string_view title);
/// What such a part holds: the tensor's data and its pages.
PartContent tensorContent(const payloads::Tensor& tensor);

/// The parts `function:NAME`, listed by `page`. `listPath` is the field that lists them, or that is the one name.
PartGroup functionParts(const Body& body, const std::vector<Bytes>& names, std::string_view listPath,
                        std::string_view page);
/// Adds the page "Functions": their names.
void addNamesPage(view::PageList& list, std::string name, std::optional<PartKind> partKind,
                  const std::vector<Bytes>& names);

/// A text of the module as a page of its own, nothing when it is empty.
void addTextPage(view::PageList& list, std::string name, const Bytes& text, std::string_view language);

} // namespace blobscope::modules
