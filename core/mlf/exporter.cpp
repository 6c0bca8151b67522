#include "core/mlf/exporter.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace blobscope::mlf {
namespace {

using json::Value;

/// Possible exporters, earliest first. Index 0 to 3: versions 1 to 4.
constexpr std::array<std::string_view, 16> kSteps = {"development of 0.8, March 2021",
                                                     "development of 0.8, May 2021",
                                                     "development of 0.8, June 2021",
                                                     "development of 0.8, July 2021",
                                                     "0.8",
                                                     "development of 0.9, early 2022",
                                                     "development of 0.9, May 2022",
                                                     "0.9",
                                                     "0.10",
                                                     "0.11",
                                                     "0.12",
                                                     "0.13",
                                                     "0.14",
                                                     "0.15",
                                                     "0.16",
                                                     "0.18"};
enum Step : std::size_t { V1, V2, V3, V4, Release8, Dev9, V6, Release9, Release10, Release11, Release12, Last = 15 };

class ExporterDetector {
public:
  explicit ExporterDetector(const Archive& archive) : m_archive(archive), m_model(archive.model) {}

  Exporter detect() {
    if (m_model.version == 0) return {};
    if (const std::string* const spec = dependency()) return {escaped(*spec), "external_dependencies in metadata.json"};
    m_sign = "format version " + std::to_string(m_model.version);
    switch (m_model.version) {
    case 1: m_first = m_last = V1; break;
    case 2: m_first = m_last = V2; break;
    case 3: m_first = m_last = V3; break;
    case 4: m_first = m_last = V4; break;
    case 5:
      m_first = Release8;
      m_last = Dev9;
      signsOf5();
      break;
    case 6: m_first = m_last = V6; break;
    default:
      m_first = Release9;
      m_last = Last;
      signsOf7();
      break;
    }
    std::string release(kSteps[m_first]);
    if (m_first != m_last) release += (m_first == Release8 ? " or " : " to ") + std::string(kSteps[m_last]);
    return {std::move(release), std::move(m_sign)};
  }

private:
  void notBefore(Step step, std::string_view sign) {
    if (step <= m_first) return;
    m_first = std::min<std::size_t>(step, m_last);
    m_sign += ", " + std::string(sign);
  }
  void notAfter(Step step, std::string_view sign) {
    if (step >= m_last) return;
    m_last = std::max<std::size_t>(step, m_first);
    m_sign += ", " + std::string(sign);
  }

  /// Returns version_spec of the C runtime that the archive contains.
  const std::string* dependency() const {
    for (const ModelModule& module : m_model.modules)
      if (const Value* const list = module.metadata->find("external_dependencies"))
        for (const Value& one : list->items())
          if (const Value* const spec = one.find("version_spec"); spec && spec->isString() && !spec->text().empty())
            return &spec->text();
    return nullptr;
  }
  bool anyFunction(std::string_view end) const {
    return std::any_of(m_archive.facts.defined.begin(), m_archive.facts.defined.end(),
                       [&](std::string_view name) { return name.ends_with(end); });
  }

  void signsOf5() {
    bool wide = false, narrow = false, macro = false;
    for (const CodeFile& code : m_archive.facts.code)
      if (code.source && code.source->registry) {
        const auto& registry = *code.source->registry;
        const auto count = static_cast<unsigned char>(registry.text.empty() ? 0 : registry.text.front());
        (registry.text.size() > 1 && registry.text[1] == '\0' && count > 0 ? wide : narrow) = true;
      }
    for (const ModuleFacts& module : m_archive.facts.modules)
      if (module.header)
        macro = macro || std::any_of(module.header->macros.begin(), module.header->macros.end(),
                                     [](const CMacro& one) { return one.name.ends_with("_WORKSPACE_SIZE"); });
    if (macro) notBefore(Dev9, "WORKSPACE_SIZE in the header");
    if (wide) notBefore(Dev9, "two bytes of count in the registry");
    if (m_model.hasFolder("runtime")) notBefore(Dev9, "runtime/");
    if (anyFunction("___tvm_main__")) notBefore(Dev9, "__tvm_main__");
    if (m_first == Release8 && narrow && anyFunction("_lookup_linked_param"))
      notAfter(Release8, "_lookup_linked_param");
  }

  void signsOf7() {
    bool lists = false;
    bool plain = true; // no output has a name
    for (const ModuleFacts& module : m_archive.facts.modules) {
      lists = lists || module.memory.listsInputs;
      for (const ListedTensor& output : module.memory.outputs)
        plain = plain && (output.name == "output" || (output.name.starts_with("output") && output.name.size() <= 8));
      if (module.graph && module.graph->hasStorageScope) notBefore(Release10, "storage_scope in the graph");
    }
    const bool full = std::any_of(m_model.modules.begin(), m_model.modules.end(),
                                  [](const ModelModule& module) { return !module.isOperator; });
    if (lists) notBefore(Release11, "inputs listed in the memory");
    if (m_model.hasFolder("templates")) notBefore(Release12, "templates/");
    if (m_model.find("runtime/CMakeLists.txt")) notBefore(Release12, "runtime/CMakeLists.txt");
    if (m_model.find("runtime/Makefile")) notAfter(Release11, "runtime/Makefile");
    if (lists && !plain) notBefore(Release12, "outputs with names");
    if (full && !lists && !m_archive.facts.modules.empty()) notAfter(Release10, "no inputs listed in the memory");
  }

  const Archive& m_archive;
  const Model& m_model;
  std::size_t m_first = 0, m_last = 0;
  std::string m_sign;
};

} // namespace

Exporter exporterOf(const Archive& archive) { return ExporterDetector(archive).detect(); }

} // namespace blobscope::mlf
