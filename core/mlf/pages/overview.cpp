#include "core/mlf/pages/overview.h"

#include "core/base/text.h"
#include "core/mlf/exporter.h"
#include "core/mlf/memory_use.h"
#include "core/mlf/reader.h"
#include "core/mlf/target.h"

#include <algorithm>
#include <array>

namespace blobscope::mlf {
namespace {

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return groupedText(count) + " " + std::string(count == 1 ? one : many);
}

std::string joined(const std::vector<std::string>& words, std::string_view between = ", ") {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : std::string(between)) + word;
  return out;
}

void addOnce(std::vector<std::string>& words, std::string word) {
  if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
}

/// Returns "graph", "AOT", each once.
std::vector<std::string> executorsOf(const Model& model) {
  std::vector<std::string> words;
  for (const ModelModule& module : model.modules)
    addOnce(words, module.isOperator                    ? "none: operators"
                   : module.executor == Executor::Graph ? "graph"
                   : module.executor == Executor::Aot   ? "AOT"
                                                        : "");
  return words;
}

std::string sentenceOf(const Archive& archive) {
  const Model& model = archive.model;
  std::string out(kindText(model.container.kind));
  if (!model.container.inner.empty())
    out = "Generated microTVM project with the archive " + escaped(model.container.inner);
  if (!out.empty() && out.front() >= 'a' && out.front() <= 'z')
    out.front() = static_cast<char>(out.front() - 'a' + 'A');
  if (model.version > 0) out += ", version " + std::to_string(model.version);
  if (model.modules.empty()) return out + ".";
  out += model.modules.size() == 1 ? ": " : ": " + groupedText(model.modules.size()) + " models, ";
  if (model.modules.size() == 1)
    out += (model.modules.front().isOperator ? "operators '" : "the model '") +
           escapedWithin(model.modules.front().name, 80) + "' ";
  const std::vector<std::string> executors = executorsOf(model);
  if (!model.modules.front().isOperator && !executors.empty())
    out += "for the " + joined(executors, " and ") + (executors.size() == 1 ? " executor, " : " executors, ");
  std::size_t sources = 0, objects = 0;
  for (const ModelModule& module : model.modules) {
    sources += module.sources.size();
    objects += module.objects.size();
  }
  std::vector<std::string> code;
  if (sources > 0) code.push_back(counted(sources, "C source", "C sources"));
  if (objects > 0) code.push_back(counted(objects, "object", "objects"));
  return out + "as " + (code.empty() ? "metadata only" : joined(code, " and ")) + ".";
}

void addFacts(const library::Package& package, const Archive& archive, std::vector<library::Overview::Fact>& facts) {
  const Model& model = archive.model;
  const auto fact = [&](std::string label, std::string value, std::string term = {}) {
    if (!value.empty()) facts.push_back({std::move(label), std::move(value), std::move(term)});
  };
  const Exporter exporter = exporterOf(archive);
  fact("Format",
       "Model Library Format" + (model.version > 0 ? " version " + std::to_string(model.version) : ", version unknown"),
       "model-library-format");
  fact("Exported by", exporter.release.empty() ? "" : "TVM " + exporter.release + " (from " + exporter.sign + ")",
       "era");
  std::vector<std::string> names, targets, dates, machines;
  std::size_t functions = 0;
  std::vector<DeviceMemory> memory;
  for (const ModelModule& module : model.modules) {
    names.push_back(escapedWithin(module.name, 80));
    for (const std::string& target : module.targets)
      addOnce(targets, escaped(target.substr(0, target.find_last_not_of(' ') + 1), kMessageBytes));
    if (const json::Value* const date = module.metadata->find("export_datetime"); date && date->isString())
      addOnce(dates, escapedWithin(date->text(), 40));
    functions += functionMemory(model, module).size();
    const auto one = mainMemory(model, module);
    memory.insert(memory.end(), one.begin(), one.end());
  }
  for (const CodeFile& code : archive.facts.code)
    if (code.object) addOnce(machines, code.object->arch);
  fact(names.size() == 1 ? "Model" : "Models", joined(names));
  fact("Executor", joined(executorsOf(model)), "executor");
  fact("Runtime", model.modules.empty() ? "" : model.usesCRuntime ? "C runtime" : "not stated");
  fact(targets.size() == 1 ? "Target" : "Targets", joined(targets, "; "), "target");
  uint64_t workspace = 0, io = 0, constants = 0;
  const auto sum = [](uint64_t& to, uint64_t more) { to += std::min(more, UINT64_MAX - to); };
  for (const DeviceMemory& one : memory) {
    sum(workspace, one.workspace);
    sum(io, one.io);
    sum(constants, one.constants);
  }
  if (!memory.empty()) {
    fact("RAM", sizeText(workspace) + " workspace, " + sizeText(io) + " inputs and outputs", "workspace");
    fact("ROM", sizeText(constants) + " constants");
  }
  if (!model.modules.empty()) fact("Operator functions", groupedText(functions), "operator-function");
  fact("Objects for", joined(machines));
  fact("Exported at", dates.empty() ? "" : joined(dates) + " (local time of the builder; TVM appends Z)");
  fact("Container",
       std::string(container::formatTitle(package.image.format)) +
           (package.image.compression.empty() ? ", not compressed" : ", compressed with " + package.image.compression),
       "container");
  fact("Size", sizeText(package.bytes.size()) + ", " + counted(package.members.size(), "member", "members"));
}

/// Adds the purposes of the members, with their number and size.
void addParts(const library::Package& package, library::Overview& overview) {
  struct Role {
    std::string_view role, name;
  };
  constexpr std::array kRoles = std::to_array<Role>({{"metadata", "Metadata"},
                                                     {"graph", "Graph"},
                                                     {"params", "Parameters"},
                                                     {"source", "Generated C sources"},
                                                     {"object", "Objects"},
                                                     {"header", "Header of the C interface"},
                                                     {"relay", "Relay text"},
                                                     {"tir", "TIR text"},
                                                     {"runtime", "C runtime"},
                                                     {"", "Other files"}});
  overview.parts.clear();
  overview.partsTotal = 0;
  for (const Role& role : kRoles) {
    library::Overview::Part part{std::string(role.name),   {}, library::RowKind::Member, std::string(role.role),
                                 package.ref(Ref::file()), 0};
    std::size_t files = 0;
    for (const library::PackageMember& member : package.members) {
      if (member.stored->type != container::Member::Type::File) continue;
      const bool known =
          std::any_of(kRoles.begin(), kRoles.end() - 1, [&](const Role& one) { return one.role == member.role; });
      if (known ? member.role != role.role : !role.role.empty()) continue;
      part.bytes += member.stored->bytes.size();
      if (++files == 1)
        part.ref =
            member.package ? member.package->ref(Ref::file()) : package.ref(Ref::named(Ref::Kind::Member, member.name));
    }
    if (files == 0) continue;
    if (files > 1) part.ref = package.ref(Ref::file());
    part.what = counted(files, "file", "files");
    overview.partsTotal += part.bytes;
    overview.parts.push_back(std::move(part));
  }
}

void addState(const check::Report& report, library::Overview& overview) {
  const std::size_t errors = report.count(Severity::Error), warnings = report.count(Severity::Warning);
  overview.worst = errors > 0 ? Severity::Error : warnings > 0 ? Severity::Warning : Severity::Note;
  if (errors == 0 && warnings == 0) {
    const std::size_t notes = report.count(Severity::Note);
    overview.state =
        notes == 0 ? "No rule of the format is broken." : "No errors or warnings; " + counted(notes, "note.", "notes.");
    overview.stateDetail = "All rules were checked.";
    return;
  }
  overview.state = errors > 0 ? counted(errors, "rule violation", "rule violations") +
                                    (warnings > 0 ? " and " + counted(warnings, "warning.", "warnings.") : ".")
                              : counted(warnings, "warning.", "warnings.");
  overview.stateDetail = report.issues.front().message;
}

} // namespace

void addArchive(const library::Package& package, const Archive& archive, library::Overview& overview) {
  overview.sentence = sentenceOf(archive);
  overview.facts.clear();
  addFacts(package, archive, overview.facts);
  if (archive.model.container.inner.empty()) addParts(package, overview);
  addState(archive.report, overview);
}

} // namespace blobscope::mlf
