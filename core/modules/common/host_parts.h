#pragma once

#include "core/modules/codec.h"
#include "core/payloads/tensor/tensor_table.h"

#include <initializer_list>
#include <string_view>
#include <vector>

/// Parts and pages of modules that hold tensors or define functions that host code calls by name.
namespace blobscope::modules {

/// `count` tensors, described by rows with the name "tensors".
template <class A> void wireTensors(A& ar, wire_ref<A, std::vector<payloads::Tensor>> tensors, uint64_t count) {
  constexpr uint64_t kLeastBytes = 40; // of a tensor without axes and data
  ar.items("tensors", tensors, count, kLeastBytes,
           [](A& a, auto& tensor) { a.group("", [&](A& inner) { wire(inner, tensor); }); });
}

/// A count that is stored separately from a list and must equal its size.
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

/// Returns the parts `param:NAME`, which the page `title` lists; their field rows are below "tensors".
PartGroup tensorParts(const Body& body, const std::vector<Bytes>& names, const std::vector<payloads::Tensor>& tensors,
                      std::string_view title);
/// Returns the content of such a part: the tensor's data and its pages.
PartContent tensorContent(const payloads::Tensor& tensor);

/// Returns the parts `function:NAME`, which `page` lists. `listPath` is the field that lists them, or the field that is
/// the only name.
PartGroup functionParts(const Body& body, const std::vector<Bytes>& names, std::string_view listPath,
                        std::string_view page);
/// Adds a page that lists the names.
void addNamesPage(view::PageList& list, std::string name, std::optional<PartKind> partKind,
                  const std::vector<Bytes>& names);

/// Adds a separate page with a text of the module; nothing when the text is empty.
void addTextPage(view::PageList& list, std::string name, const Bytes& text, std::string_view language);

} // namespace blobscope::modules
