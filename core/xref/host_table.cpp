#include "core/xref/host_table.h"

#include "core/base/text.h"
#include "core/library/native.h"
#include "core/view/page_id.h"
#include "core/xref/relations.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

namespace blobscope::xref {
namespace {

using library::PackagePtr;

/// The longest list of names in a cell, in bytes.
constexpr std::size_t kNamesBytes = 400;

/// Joins the names of a list, in at most about kNamesBytes.
template <class T, class NameOf> std::string joinedNames(const std::vector<T>& items, const NameOf& nameOf) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (out.size() > kNamesBytes) return out + ", … " + groupedText(items.size() - i) + " more";
    out += (i > 0 ? ", " : "") + escaped(nameOf(items[i]));
  }
  return out;
}

/// What libraries of tvm-ffi say about a function.
struct NativeText {
  std::string documentation; ///< its first line, or why it cannot be shown; empty without documentation
  bool metadata = false;
};
using NativeTexts = std::unordered_map<std::string, NativeText>; ///< by ref

Result<NativeTexts> nativeTexts(const PackagePtr& package, Monitor& monitor) {
  NativeTexts out;
  std::optional<Error> failure;
  library::forEachPackage(package, [&](const PackagePtr& inner) {
    if (failure) return;
    std::vector<library::NativeFunction> functions = library::nativeFunctions(*inner);
    if (auto done = library::computeDocs(*inner, functions, monitor); !done) failure = done.error();
    for (const library::NativeFunction& function : functions)
      if (function.hasDoc() || function.hasMetadata)
        out[inner->ref(Ref::named(Ref::Kind::Host, function.name)).toString()] = {
            function.hasDoc() ? library::docLine(function) : "", function.hasMetadata};
  });
  if (failure) return *failure;
  return out;
}

class HostTable final : public view::TableSource {
public:
  enum Column : std::size_t { Name, Signature, From, Documentation, Metadata, Kernels, Launch, CalledBy, Size };

  HostTable(std::shared_ptr<const Functions> functions, std::vector<uint32_t> rows, NativeTexts texts,
            library::ReadSignatures read)
      : m_functions(std::move(functions)), m_rows(std::move(rows)), m_texts(std::move(texts)), m_read(std::move(read)) {
    const auto any = [&](const auto& has) {
      return std::any_of(m_rows.begin(), m_rows.end(), [&](uint32_t row) { return has(m_functions->hosts[row]); });
    };
    const auto text = [&](const HostFunction& function) { return textOf(function); };
    m_columns = {Name, Signature, From};
    if (any([&](const HostFunction& one) { return text(one) && !text(one)->documentation.empty(); }))
      m_columns.push_back(Documentation);
    if (any([&](const HostFunction& one) { return text(one) && text(one)->metadata; })) m_columns.push_back(Metadata);
    if (any([](const HostFunction& one) { return !one.launches.empty(); }))
      m_columns.insert(m_columns.end(), {Kernels, Launch});
    if (any([](const HostFunction& one) { return !one.calledBy.empty(); })) m_columns.push_back(CalledBy);
    if (any([](const HostFunction& one) { return one.bytes && one.bytes->size; })) m_columns.push_back(Size);
  }

  std::vector<view::Column> columns() const override {
    const std::array<view::Column, 9> all = {{{"name"},
                                              {"signature"},
                                              {"from"},
                                              {"documentation"},
                                              {"metadata"},
                                              {"kernels"},
                                              {"launch parameters"},
                                              {"called by"},
                                              {"size", true, true}}};
    std::vector<view::Column> out;
    for (const Column column : m_columns) out.push_back(all[column]);
    return out;
  }
  uint64_t rowCount() const override { return m_rows.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    const HostFunction& function = m_functions->hosts[m_rows[row]];
    const NativeText* const text = textOf(function);
    switch (m_columns[column]) {
    case Name: return escaped(function.signature.function);
    case Signature: {
      const std::string* const read = readOf(function);
      return read ? escaped(*read) : argumentsOf(function.signature);
    }
    case From:
      return readOf(function) ? "metadata, by running it" : std::string(host::sourceName(function.signature.source));
    case Documentation: return text && !text->documentation.empty() ? text->documentation : "–";
    case Metadata: return readOf(function) ? "read" : text && text->metadata ? "present" : "–";
    case Kernels:
      return joinedNames(function.launches, [&](const Link& link) { return m_functions->kernels[link.index].name; });
    case Launch: return launchText(function);
    case CalledBy:
      return joinedNames(function.calledBy, [&](uint32_t caller) { return m_functions->callers[caller].name; });
    case Size: return function.bytes && function.bytes->size ? std::to_string(*function.bytes->size) : std::string();
    }
    return {};
  }
  std::optional<Ref> target(uint64_t row, const Ref&) const override { return m_functions->hosts[m_rows[row]].ref; }

private:
  /// Returns the signature that the function itself returned; null when there is none.
  const std::string* readOf(const HostFunction& function) const {
    if (!m_read || !function.ref.members.empty()) return nullptr;
    const auto found = m_read->find(std::string(function.signature.function));
    return found == m_read->end() ? nullptr : &found->second;
  }
  const NativeText* textOf(const HostFunction& function) const {
    const auto found = m_texts.empty() ? m_texts.end() : m_texts.find(function.ref.toString());
    return found == m_texts.end() ? nullptr : &found->second;
  }
  /// Returns the launch parameters of all kernels of the function; equal ones appear once.
  std::string launchText(const HostFunction& function) const {
    std::vector<std::string> texts;
    for (const Link& link : function.launches) {
      const std::string& text = m_functions->kernels[link.index].launch;
      if (texts.size() < 8 && std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
    }
    std::string out;
    for (const std::string& text : texts) out += (out.empty() ? "" : "; ") + text;
    return out;
  }

  std::shared_ptr<const Functions> m_functions;
  std::vector<uint32_t> m_rows;
  NativeTexts m_texts;
  library::ReadSignatures m_read;
  std::vector<Column> m_columns;
};

} // namespace

Result<view::Page> hostFunctionsPage(const PackagePtr& package, const std::shared_ptr<const Functions>& functions,
                                     std::vector<uint32_t> rows, const library::ReadSignatures& read,
                                     Monitor& monitor) {
  BLOBSCOPE_TRY(texts, nativeTexts(package, monitor));
  return view::Page{view::page_id::kFunctions,
                    view::TablePage{std::make_shared<HostTable>(functions, std::move(rows), std::move(texts), read)}};
}

} // namespace blobscope::xref
