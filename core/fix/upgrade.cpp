#include "core/fix/upgrade.h"

#include "core/base/text.h"
#include "core/fix/combine.h"
#include "core/fix/fixes.h"
#include "core/mlf/archive.h"
#include "core/mlf/fixes/maker.h"
#include "core/mlf/reader.h"
#include "core/mlf/target.h"

#include <algorithm>

namespace blobscope::fix {
namespace {

using json::Value;

/// Converts one archive.
class Converter {
public:
  Converter(const mlf::Archive& archive, const mlf::FixContext& context, unsigned version)
      : m_archive(archive), m_model(archive.model), m_maker(context), m_version(version) {}

  Result<Done> convert() {
    // --- 1. What the other version cannot express. ---
    const unsigned old = m_model.version;
    if (m_model.modules.empty() || m_archive.facts.modules.empty())
      return refuse("the metadata of the archive cannot be used");
    if (m_version < 7 && m_model.modules.size() > 1)
      return refuse("it has " + std::to_string(m_model.modules.size()) + " models, and versions before 7 have one");
    if (m_version < 4 && m_model.modules.front().isOperator)
      return refuse("operators cannot be stored in versions before 4");
    if (old == 1 && m_version > 1) return refuse("the sizes of workspaces are not in an archive of version 1");

    // --- 2. Metadata. ---
    Value::Object modules;
    for (const mlf::ModuleFacts& facts : m_archive.facts.modules) {
      BLOBSCOPE_TRY(object, convertModule(facts));
      if (facts.module->name.empty()) return refuse("the name of the model is not in the metadata");
      modules.emplace_back(facts.module->name, std::move(object));
    }
    Value::Object root;
    if (m_version == 7 && !m_model.modules.front().isOperator) {
      root.emplace_back("modules", object(std::move(modules)));
      root.emplace_back("version", mlf::numberValue(m_version));
    } else {
      root = std::get<Value::Object>(std::move(modules.front().second.data));
      root.emplace_back("version", mlf::numberValue(m_version));
    }
    m_maker.set("", object(std::move(root)));

    // --- 3. Files. ---
    for (const mlf::ModuleFacts& facts : m_archive.facts.modules) {
      moveFiles(*facts.module);
      checkCode(facts);
    }
    return Done{};
  }

  mlf::Fix takeFix() { return m_maker.done({}); }
  std::vector<Diagnostic> takeLosses() { return std::move(m_losses); }

private:
  /// Exporters sort the members of objects.
  static Value object(Value::Object members) {
    std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Value value;
    value.data = std::move(members);
    return value;
  }
  Error refuse(std::string reason) const {
    return Error(DiagnosticId::EditVersion, {arg("version", uint64_t{m_version}), {"reason", std::move(reason)}});
  }
  void lose(std::string what) {
    m_losses.push_back(
        {DiagnosticId::EditVersionLoss, Ref::file(), {arg("version", uint64_t{m_version}), {"what", std::move(what)}}});
  }

  Result<Value> convertModule(const mlf::ModuleFacts& facts) {
    Value::Object out;
    const bool isOperator = facts.module->isOperator;
    for (const auto& [key, value] : facts.module->metadata->members()) {
      if (key == "version") continue;
      if (key == "executors" || key == "runtimes") {
        out.emplace_back(m_version >= 5 ? "executors" : "runtimes", value);
      } else if (key == "style") {
        if (m_version >= 4) out.emplace_back(key, value);
      } else if (key == "target") {
        BLOBSCOPE_TRY(target, convertTarget(value));
        out.emplace_back(key, std::move(target));
      } else if (key == "external_dependencies" && m_version < 5) {
        lose("the list of external dependencies is removed, so that the C runtime in runtime/ is not listed any more");
      } else if (key == "memory" && !isOperator) {
        out.emplace_back(key, convertMemory(facts, value));
      } else {
        out.emplace_back(key, value);
      }
    }
    if (m_version >= 4 && !facts.module->metadata->find("style"))
      out.emplace_back("style", mlf::textValue(isOperator ? "operator" : "full-model"));
    if (m_version == 7 && !facts.module->metadata->find("model_name"))
      out.emplace_back("model_name", mlf::textValue(facts.module->name));
    return object(std::move(out));
  }

  Result<Value> convertTarget(const Value& target) {
    if (m_version >= 6) {
      if (!target.isObject()) return target;
      Value::Array items;
      for (const auto& [device, text] : target.members()) items.push_back(text);
      return mlf::listValue(std::move(items));
    }
    if (!target.isArray()) return target;
    Value::Object members;
    for (const Value& text : target.items()) {
      const mlf::Target parsed = mlf::parseTarget(text.text());
      const unsigned device = parsed.why.empty() ? mlf::deviceOfKind(parsed.kind) : 0;
      const std::string key = std::to_string(device);
      if (device == 0) return refuse("the device of target '" + escapedWithin(text.text(), 80) + "' is not known");
      if (std::any_of(members.begin(), members.end(), [&](const auto& one) { return one.first == key; }))
        return refuse("two targets are for devices of type " + key + ", and versions before 6 have one for each type");
      members.emplace_back(key, text);
    }
    return object(std::move(members));
  }

  Value convertMemory(const mlf::ModuleFacts& facts, const Value& memory) {
    if (m_version == m_model.version) return memory;
    if (m_version == 1) {
      lose("the memory of the model and of its functions is removed; only the storages of the graph stay");
      const Value* const storages = memory.find("sids");
      return facts.module->executor == mlf::Executor::Graph && storages ? *storages : mlf::listValue({});
    }
    const Value* const functions = memory.find("functions");
    const Value* const main = functions ? functions->find("main") : nullptr;
    if (m_version == 7 || !main || !main->isArray()) return memory;
    bool lost = false;
    Value::Array entries;
    for (const Value& entry : main->items()) {
      Value::Object kept;
      for (const auto& [key, value] : entry.members())
        (key == "inputs" || key == "outputs") ? void(lost = true) : void(kept.emplace_back(key, value));
      entries.push_back(entry.isObject() ? object(std::move(kept)) : entry);
    }
    if (lost) lose("names, sizes and types of inputs and outputs are removed from the metadata");
    return replaced(memory, "functions", replaced(*functions, "main", mlf::listValue(std::move(entries))));
  }
  static Value replaced(const Value& object, std::string_view name, Value value) {
    Value out = object;
    for (auto& [key, member] : std::get<Value::Object>(out.data))
      if (key == name) member = std::move(value);
    return out;
  }

  void moveFiles(const mlf::ModelModule& module) {
    const auto move = [&](const std::string& from, const std::string& to) {
      const mlf::File* const file = m_model.find(from);
      if (file && from != to && !m_model.find(to)) m_maker.rename(file->stored, mlf::storedPath(to));
    };
    if (module.isOperator) return;
    move(mlf::graphPath(m_model.version, module.name), mlf::graphPath(m_version, module.name));
    move(mlf::listingPath(m_model.version, module.name), mlf::listingPath(m_version, module.name));
    const bool bare = m_version <= 2;
    if (bare == (m_model.version <= 2)) return;
    for (const auto* const files : {&module.sources, &module.objects})
      for (const mlf::File* const file : *files) {
        const std::string_view name = mlf::baseName(file->path);
        const auto parts = mlf::parseGeneratedName(name);
        if (!parts) continue;
        const std::string folder = file->path.substr(0, file->path.size() - name.size());
        move(file->path, folder + (bare ? std::string() : module.name + "_") + "lib" + std::to_string(parts->number) +
                             "." + std::string(parts->extension));
      }
  }

  /// What programs for the other version do not find in the code, which is not changed.
  void checkCode(const mlf::ModuleFacts& facts) {
    const mlf::ModelModule& module = *facts.module;
    const auto names = mlf::aotMainNames(m_version, facts.names);
    const auto isDefined = [&](const std::string& name) { return m_archive.facts.defined.contains(name); };
    if (module.executor == mlf::Executor::Aot && std::none_of(names.begin(), names.end(), isDefined))
      lose("the function that runs the model is not called '" + names.front() +
           "', as readers of this version expect; code is not changed");
    if (module.header && m_version < 5)
      lose("readers of this version ignore the interface header '" + escapedWithin(module.header->path, 200) + "'");
    for (const mlf::CodeFile* const code : facts.code) {
      if (!code->source || !code->source->registry) continue;
      const std::string& text = code->source->registry->text;
      const bool wide = text.size() >= 2 && text[1] == '\0';
      if (text.size() > 1 && ((wide && m_version <= 4) || (!wide && m_version >= 6)))
        lose("the function registry in '" + escapedWithin(code->file->path, 200) + "' has a count of " +
             (wide ? "two bytes" : "one byte") + ", and the C runtime of this version expects " +
             (wide ? "one" : "two") + "; code is not changed");
    }
  }

  const mlf::Archive& m_archive;
  const mlf::Model& m_model;
  mlf::FixMaker m_maker;
  unsigned m_version;
  std::vector<Diagnostic> m_losses;
};

} // namespace

Result<VersionPlan> planVersion(const library::PackagePtr& package, std::span<const edit::Edit> pending,
                                unsigned version, const edit::ApplyOptions& options, Monitor& monitor) {
  BLOBSCOPE_TRY(current, withEdits(package, pending, options, monitor));
  BLOBSCOPE_TRY(archive, mlf::readArchive(current.package, monitor));
  if (!archive) return notAnArchive(*package);
  VersionPlan plan;
  if (archive->model.version == version) return plan;
  const std::vector<check::Issue> none;
  const mlf::FixContext context(archive->model, archive->facts, none, monitor);
  Converter converter(*archive, context, version);
  BLOBSCOPE_CHECK(converter.convert());
  Batch batch;
  batch.add(converter.takeFix());
  appendAsOpened(plan.edits, batch.take(context), current.applied);
  plan.consequences = converter.takeLosses();
  return plan;
}

} // namespace blobscope::fix
