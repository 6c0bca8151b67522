#include "core/base/text.h"
#include "core/mlf/reader.h"
#include "core/mlf/rules/checks.h"

#include <algorithm>
#include <set>

namespace blobscope::mlf {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return out;
}

Place at(std::string_view path) {
  Place place;
  place.member = path;
  return place;
}

/// Returns the first part of a path, and the rest.
std::pair<std::string_view, std::string_view> splitFirst(std::string_view path) {
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) return {path, {}};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

/// Returns "net" for "parameters/net.params"; nothing if `path` has another folder, extension or depth.
std::optional<std::string_view> stemOf(std::string_view path, std::string_view folder, std::string_view extension) {
  if (!isInside(path, folder) || !path.ends_with(extension)) return std::nullopt;
  const std::string_view name = baseName(path);
  return name.substr(0, name.size() - extension.size());
}

/// Compares the expected paths of files in an archive with the actual ones.
class LayoutCheck {
public:
  LayoutCheck(const Model& model, Findings& findings) : m_model(model), m_findings(findings) {
    for (const ModelModule& module : model.modules) {
      const bool named = !module.name.empty() && module.name.find('/') == std::string::npos;
      m_allNamed = m_allNamed && named;
      m_anyGraph = m_anyGraph || module.executor == Executor::Graph;
      m_anyFull = m_anyFull || !module.isOperator;
      m_unknownExecutor = m_unknownExecutor || (module.executor == Executor::None && !module.isOperator);
      m_headers.insert("tvmgen_" + lower(module.name) + ".h");
    }
  }

  void run(Monitor& monitor) {
    uint64_t count = 0;
    for (const File& file : m_model.files) {
      if (++count % 4'096 == 0 && monitor.stopRequested()) return;
      place(file.path);
    }
    for (const TarEntry& entry : m_model.container.entries) // empty folders
      if (entry.safe && entry.type == TarEntry::Type::Folder) folder(entry.path);
    for (const ModelModule& module : m_model.modules) {
      generated(module);
      required(module);
    }
  }

private:
  bool isModule(std::string_view name, bool needGraph = false) const {
    return std::any_of(m_model.modules.begin(), m_model.modules.end(), [&](const ModelModule& one) {
      return one.name == name && !one.isOperator && (!needGraph || one.executor == Executor::Graph);
    });
  }
  void stray(std::string_view path) { m_findings.add(Rule::MlfStrayFile, at(path), {arg("path", path)}); }
  void elsewhere(std::string_view path) { m_findings.add(Rule::MlfOtherLayout, at(path), {arg("path", path)}); }
  void noModule(std::string_view path) {
    if (m_allNamed) m_findings.add(Rule::MlfModuleUnknown, at(path), {arg("path", path)});
  }

  // --- files that exist ---

  void place(std::string_view path) {
    const auto [top, rest] = splitFirst(path);
    if (path == "metadata.json") return;
    if (path == "relay.txt") return m_model.version <= 3 && m_anyFull ? void() : elsewhere(path);
    const bool inFolder = !rest.empty();
    if (inFolder && top == "codegen") return code(path, rest);
    if (inFolder && top == "src") return listing(path);
    if (inFolder && top == "parameters") return parameters(path);
    if (inFolder && (top == "runtime-config" || top == "executor-config")) return configuration(path, top);
    if (inFolder && (top == "runtime" || top == "templates")) return;
    extra(top);
  }
  void extra(std::string_view top) {
    if (m_extra.insert(std::string(top)).second) m_findings.add(Rule::MlfExtraEntry, at(top), {arg("path", top)});
  }
  void folder(std::string_view path) {
    const auto [top, rest] = splitFirst(path);
    if (top == "codegen" && !rest.empty()) target(splitFirst(rest).first);
    static constexpr std::string_view kFolders[] = {
        "", "codegen", "src", "parameters", "runtime-config", "executor-config", "runtime", "templates"};
    if (std::find(std::begin(kFolders), std::end(kFolders), top) == std::end(kFolders)) extra(top);
  }

  void listing(std::string_view path) {
    if (!m_anyFull)
      return path.starts_with("src/tir-") && stemOf(path, "src", ".txt") ? void()
             : path == "src/relay.txt"                                   ? elsewhere(path)
                                                                         : stray(path);
    const auto name = stemOf(path, "src", ".relay");
    if (path == "src/relay.txt") return m_model.version >= 4 && m_model.version <= 6 ? void() : elsewhere(path);
    if (name && m_model.version == 7) return isModule(*name) ? void() : noModule(path);
    if (name && isModule(*name)) return elsewhere(path);
    stray(path);
  }
  void parameters(std::string_view path) {
    const auto name = stemOf(path, "parameters", ".params");
    if (name && (isModule(*name) || !m_allNamed)) return;
    if (name && m_anyFull && m_model.version == 7) return noModule(path);
    stray(path);
  }
  void configuration(std::string_view path, std::string_view top) {
    if (m_unknownExecutor) return;
    if (!m_anyGraph) {
      if (m_configuration.insert(std::string(top)).second)
        m_findings.add(Rule::MlfGraphUnused, at(path), {arg("path", path)});
      return;
    }
    const auto name = stemOf(path, "executor-config/graph", ".graph");
    if (name && m_model.version == 7)
      return isModule(*name, true) ? void() : isModule(*name) ? stray(path) : noModule(path);
    if (path == graphPath(m_model.version, {})) return;
    if (path == "runtime-config/graph/graph.json" || path == "executor-config/graph/graph.json" ||
        (name && isModule(*name)))
      return elsewhere(path);
    stray(path);
  }

  /// A directory of codegen/.
  void target(std::string_view name) {
    if (name == "host") return;
    if (m_targets.insert(std::string(name)).second) {
      const std::string path = "codegen/" + std::string(name);
      m_findings.add(Rule::MlfCodeFolder, at(path), {arg("dir", path)});
    }
  }
  void code(std::string_view path, std::string_view rest) {
    const auto [name, inside] = splitFirst(rest);
    if (inside.empty()) return stray(path);
    const auto [folder, file] = splitFirst(inside);
    if ((folder == "lib" || folder == "src") && !file.empty()) m_anyCode = true;
    if (name != "host") return target(name);
    const bool source = folder == "src", object = folder == "lib";
    if (file.empty() || file.find('/') != std::string_view::npos || !(source || object || folder == "include"))
      return stray(path);
    if (folder == "include") return m_model.version >= 5 && m_headers.contains(lower(file)) ? void() : stray(path);

    const std::size_t dot = file.rfind('.');
    const std::string_view extension = dot == std::string_view::npos ? std::string_view() : file.substr(dot + 1);
    const bool fits = source ? extension == "c" || extension == "cc" || extension == "cpp" : extension == "o";
    const auto parts = parseGeneratedName(file);
    if (!fits) m_findings.add(Rule::MlfCodeExtension, at(path), {arg("path", path)});
    const bool bare = m_model.version <= 2 || !m_anyFull;
    const bool named = parts && (bare ? parts->model.empty() : isModule(parts->model));
    if (named)
      m_numbers[source].emplace_back(parts->model, parts->number);
    else if (fits)
      misnamed(path, source, bare);
    if (!named) m_misnamed[source] = true;
  }
  void misnamed(std::string_view path, bool source, bool bare) {
    if (!m_allNamed && !bare) return;
    const std::string model = m_model.modules.size() == 1 ? m_model.modules.front().name : "<model>";
    const std::string want = (bare ? std::string() : model + "_") + "lib<n>" + (source ? ".c" : ".o");
    m_findings.add(Rule::MlfCodeName, at(path), {arg("path", path), arg("want", want)});
  }

  // --- files that must exist ---

  /// MLF-301, 303.
  void generated(const ModelModule& module) {
    if (m_model.modules.size() == 1 ? !m_anyCode : module.sources.empty() && module.objects.empty())
      m_findings.add(Rule::MlfNoCode, at("codegen"), {arg("name", module.name)});
    const bool bare = m_model.version <= 2 || !m_anyFull;
    for (const bool source : {false, true}) {
      if (m_misnamed[source]) continue; // the misnamed file may be the missing one
      std::set<uint64_t> numbers;
      for (const auto& [model, number] : m_numbers[source])
        if (bare || model == module.name) numbers.insert(number);
      uint64_t expected = 0;
      for (const uint64_t number : numbers) {
        if (number != expected) {
          const std::string dir = source ? "codegen/host/src" : "codegen/host/lib";
          m_findings.add(Rule::MlfCodeNumber, at(dir), {arg("dir", dir), arg("missing", expected)});
          break;
        }
        ++expected;
      }
    }
  }

  /// MLF-306, 307, 308.
  void required(const ModelModule& module) {
    const auto missing = [&](Rule rule, const std::string& path) {
      m_findings.add(rule, at(path), {arg("path", path)});
    };
    if (module.isOperator) {
      const bool any = std::any_of(m_model.files.begin(), m_model.files.end(), [](const File& file) {
        return file.path.starts_with("src/tir-") && file.path.ends_with(".txt");
      });
      if (!any) missing(Rule::MlfListingMissing, "src/tir-1.txt");
      return;
    }
    if (module.name.empty() || module.name.find('/') != std::string::npos) return;
    if (!m_model.find(parametersPath(module.name))) missing(Rule::MlfParametersMissing, parametersPath(module.name));
    if (const std::string path = listingPath(m_model.version, module.name); !m_model.find(path))
      missing(Rule::MlfListingMissing, path);
    if (const std::string path = graphPath(m_model.version, module.name);
        module.executor == Executor::Graph && !m_model.find(path))
      missing(Rule::MlfGraphMissing, path);
  }

  const Model& m_model;
  Findings& m_findings;
  bool m_allNamed = true, m_anyGraph = false, m_anyFull = false, m_unknownExecutor = false, m_anyCode = false;
  bool m_misnamed[2] = {false, false};
  std::vector<std::pair<std::string_view, uint64_t>> m_numbers[2]; ///< numbers of objects, of sources
  std::set<std::string> m_headers, m_extra, m_configuration, m_targets;
};

} // namespace

void checkLayout(const Model& model, Findings& findings, Monitor& monitor) {
  // Missing files in an archive that is cut off do not mean that they were never there.
  if (model.modules.empty() || model.container.damage || !model.container.exceeded.empty()) return;
  LayoutCheck(model, findings).run(monitor);
}

} // namespace blobscope::mlf
