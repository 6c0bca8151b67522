#include "core/base/text.h"
#include "core/mlf/file_facts.h"
#include "core/mlf/graph.h"
#include "core/mlf/metadata_place.h"
#include "core/mlf/parameters.h"
#include "core/mlf/rules/checks.h"
#include "core/mlf/target.h"

#include <algorithm>
#include <map>
#include <set>

namespace blobscope::mlf {
namespace {

using json::Value;
using Type = Value::Type;

constexpr std::size_t kShownText = 80;

std::string step(const std::string& pointer, std::string_view name) { return json::pointerStep(pointer, name); }
std::string step(const std::string& pointer, std::size_t index) { return json::pointerStep(pointer, index); }

/// Returns a non-negative integer; nothing for anything else.
std::optional<uint64_t> countIn(const Value* value) {
  return value && value->type() == Type::Unsigned ? std::optional(value->number()) : std::nullopt;
}

/// Returns why `object` has no such count: "lacks 'size_bytes'", "size_bytes is -1".
std::string whyNoCount(const Value& object, std::string_view key) {
  const Value* const value = object.find(key);
  if (!value) return "lacks '" + std::string(key) + "'";
  if (value->type() == Type::Unsigned) return {};
  return std::string(key) + " is " + valueText(*value);
}

/// The memory of one module.
class MemoryCheck {
public:
  /// `facts`: of the module; may be null.
  MemoryCheck(const Model& model, const ModelModule& module, const ModuleFacts* facts, Findings& findings,
              Monitor& monitor)
      : m_model(model), m_module(module), m_facts(facts), m_findings(findings), m_monitor(monitor) {}

  void run() {
    const Value* const memory = m_module.memory();
    if (!memory) return; // MLF-107
    const std::string pointer = m_module.memoryPointer();
    if (m_module.isOperator) return checkOperator(*memory, pointer);
    if (m_model.version == 1) {
      if (!memory->isArray()) return wrongShape(pointer, typeWords(*memory), "a list of storage entries");
      return checkStorage(*memory, pointer);
    }
    if (!memory->isObject()) return wrongShape(pointer, typeWords(*memory), "an object with 'functions'");
    checkKnownKeys(*memory, pointer, {"sids", "functions"}, m_findings);
    checkSids(*memory, pointer);
    const Value* const functions = memory->find("functions");
    if (!functions) return wrongShape(pointer, "an object without 'functions'", "an object with 'functions'");
    const std::string at = step(pointer, "functions");
    if (!functions->isObject()) return wrongShape(at, typeWords(*functions), "an object");
    checkKnownKeys(*functions, at, {"main", "operator_functions"}, m_findings);
    checkMain(*functions, at);
    checkOperatorFunctions(*functions, at);
    checkConstants(*functions, at);
  }

private:
  void add(Rule rule, const std::string& pointer, std::vector<Argument> arguments) {
    m_findings.add(rule, metadataPlace(pointer), std::move(arguments));
  }
  void why(Rule rule, const std::string& pointer, std::string words) {
    add(rule, pointer, {{"where", whereText(pointer)}, {"why", std::move(words)}});
  }
  void wrongShape(const std::string& pointer, std::string_view found, std::string_view want) {
    add(Rule::MlfMemoryForm, pointer, {{"where", whereText(pointer)}, arg("found", found), arg("want", want)});
  }
  void checkDevice(uint64_t device, const std::string& pointer) {
    if (!isDeviceType(device)) add(Rule::MlfDeviceUnknown, pointer, {arg("device", device)});
  }

  // --- storage ---

  /// MLF-211, 212, and 213 for each entry.
  void checkSids(const Value& memory, const std::string& pointer) {
    const Value* const sids = memory.find("sids");
    const std::string at = step(pointer, "sids");
    if (!sids) {
      if (m_module.executor == Executor::Graph) add(Rule::MlfStoragesMissing, pointer, {{"where", whereText(pointer)}});
      return;
    }
    if (m_module.executor == Executor::Aot) add(Rule::MlfStoragesUnused, at, {{"where", whereText(pointer)}});
    if (!sids->isArray()) return wrongShape(at, typeWords(*sids), "a list of storage entries");
    checkStorage(*sids, at);
  }
  void checkStorage(const Value& list, const std::string& pointer) {
    std::set<uint64_t> seen;
    for (std::size_t i = 0; i < list.items().size(); ++i) {
      const Value& entry = list.items()[i];
      const std::string at = step(pointer, i);
      if (!entry.isObject()) {
        why(Rule::MlfStorageForm, at, "is " + std::string(typeWords(entry)));
        continue;
      }
      checkKnownKeys(entry, at, {"storage_id", "size_bytes", "input_binding"}, m_findings);
      std::string words = whyNoCount(entry, "storage_id");
      if (words.empty()) words = whyNoCount(entry, "size_bytes");
      const Value* const binding = entry.find("input_binding");
      if (words.empty() && binding && !binding->isString())
        words = "input_binding is " + std::string(typeWords(*binding));
      if (words.empty() && !seen.insert(entry.find("storage_id")->number()).second)
        words = "storage_id " + std::to_string(entry.find("storage_id")->number()) + " occurs twice";
      if (!words.empty()) why(Rule::MlfStorageForm, at, std::move(words));
    }
  }

  // --- main ---

  /// MLF-202, 203, 206, 218, and the inputs and outputs of each entry.
  void checkMain(const Value& functions, const std::string& pointer) {
    const Value* const main = functions.find("main");
    if (!main) return why(Rule::MlfMainMissing, pointer, "lacks 'main'");
    const std::string list = step(pointer, "main");
    if (!main->isArray())
      return why(Rule::MlfMainMissing, list, "is " + std::string(typeWords(*main)) + ", expected a list");
    if (main->items().empty()) return why(Rule::MlfMainMissing, list, "is empty");
    m_mainSound = true;
    for (std::size_t i = 0; i < main->items().size(); ++i) {
      const Value& entry = main->items()[i];
      const std::string at = step(list, i);
      std::string words = entry.isObject() ? "" : "is " + std::string(typeWords(entry));
      for (const std::string_view key : {"device", "workspace_size_bytes", "constants_size_bytes", "io_size_bytes"})
        if (words.empty()) words = whyNoCount(entry, key);
      if (!words.empty()) {
        why(Rule::MlfMainEntry, at, std::move(words));
        m_mainSound = false;
        if (!entry.isObject()) continue;
      }
      if (m_model.version >= 7)
        checkKnownKeys(entry, at,
                       {"device", "workspace_size_bytes", "constants_size_bytes", "io_size_bytes", "inputs", "outputs"},
                       m_findings);
      else
        checkKnownKeys(entry, at, {"device", "workspace_size_bytes", "constants_size_bytes", "io_size_bytes"},
                       m_findings);
      if (const auto device = countIn(entry.find("device"))) {
        checkDevice(*device, step(at, "device"));
        if (!m_workspace.try_emplace(*device, countIn(entry.find("workspace_size_bytes"))).second)
          add(Rule::MlfDeviceTwice, at, {arg("device", *device), {"where", whereText(list)}});
      }
      if (m_model.version >= 7) checkTensors(functions, entry, at, main->items().size() == 1);
    }
  }

  struct Tensors {
    bool sound = true;
    std::vector<std::pair<uint64_t, std::string>> list; ///< size and type
    std::optional<uint64_t> total = 0;                  ///< nothing if it does not fit in 64 bits
  };

  /// MLF-209, 214, 215.
  void checkTensors(const Value& functions, const Value& entry, const std::string& pointer, bool only) {
    const Value *const inputs = entry.find("inputs"), *const outputs = entry.find("outputs");
    if (!inputs && !outputs) return;
    if (!inputs || !outputs)
      return why(Rule::MlfTensorForm, pointer,
                 std::string("has ") + (inputs ? "'inputs'" : "'outputs'") + " without " +
                     (inputs ? "'outputs'" : "'inputs'"));
    const Tensors in = tensorsOf(*inputs, step(pointer, "inputs")), out = tensorsOf(*outputs, step(pointer, "outputs"));
    const auto io = countIn(entry.find("io_size_bytes"));
    if (!only || !io || !in.sound || !out.sound || !in.total || !out.total) return;
    const auto need = checkedAdd(*in.total, *out.total);
    if (!need || *io >= *need) return;
    // A model whose only output is an input has no kernel, and its tensor is counted once.
    const Value* const kernels = functions.find("operator_functions");
    const bool passes = kernels && kernels->items().empty() && out.list.size() == 1 &&
                        std::find(in.list.begin(), in.list.end(), out.list.front()) != in.list.end();
    if (passes && *io >= *in.total) return;
    add(Rule::MlfIoSize, step(pointer, "io_size_bytes"), {arg("io", *io), arg("need", *need)});
  }
  Tensors tensorsOf(const Value& map, const std::string& pointer) {
    Tensors tensors;
    const auto wrong = [&](const std::string& at, std::string words) {
      why(Rule::MlfTensorForm, at, std::move(words));
      tensors.sound = false;
    };
    if (!map.isObject()) {
      wrong(pointer, "is " + std::string(typeWords(map)) + ", expected an object");
      return tensors;
    }
    for (const auto& [name, tensor] : map.members()) {
      const std::string at = step(pointer, name);
      if (!tensor.isObject()) {
        wrong(at, "is " + std::string(typeWords(tensor)));
        continue;
      }
      checkKnownKeys(tensor, at, {"size", "dtype"}, m_findings);
      const std::string words = whyNoCount(tensor, "size");
      const Value* const type = tensor.find("dtype");
      if (!words.empty()) {
        wrong(at, words);
      } else if (!type || !type->isString()) {
        wrong(at, type ? "dtype is " + valueText(*type) : "lacks 'dtype'");
      } else if (const auto element = parseElementType(type->text()); !element) {
        wrong(at, "dtype is " + valueText(*type));
      } else {
        const uint64_t size = tensor.find("size")->number();
        // Types narrower than a byte are packed, so any number of bytes is possible.
        const auto bits = checkedMultiply(element->bits, element->lanes);
        if (bits && *bits >= 8 && *bits % 8 == 0 && size % (*bits / 8) != 0)
          add(Rule::MlfTensorSize, at, {{"where", whereText(at)}, arg("size", size), arg("dtype", type->text())});
        tensors.list.emplace_back(size, type->text());
        if (tensors.total) tensors.total = checkedAdd(*tensors.total, size);
      }
    }
    return tensors;
  }

  // --- operator functions ---

  /// MLF-204 to 208.
  void checkOperatorFunctions(const Value& functions, const std::string& pointer) {
    const Value* const list = functions.find("operator_functions");
    if (!list) return why(Rule::MlfOperatorList, pointer, "lacks 'operator_functions'");
    const std::string base = step(pointer, "operator_functions");
    if (!list->isArray())
      return why(Rule::MlfOperatorList, base, "is " + std::string(typeWords(*list)) + ", expected a list");
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < list->items().size(); ++i) {
      if (i % 4'096 == 0 && m_monitor.stopRequested()) return;
      const Value& function = list->items()[i];
      const std::string at = step(base, i);
      if (!function.isObject()) {
        why(Rule::MlfOperatorList, at, "is " + std::string(typeWords(function)));
        continue;
      }
      checkKnownKeys(function, at, {"function_name", "workspace"}, m_findings);
      const Value *const name = function.find("function_name"), *const workspace = function.find("workspace");
      if (!name || !name->isString()) {
        why(Rule::MlfOperatorList, at, name ? "function_name is " + valueText(*name) : "lacks 'function_name'");
      } else if (!names.insert(name->text()).second) {
        add(Rule::MlfOperatorTwice, at, {{"name", escapedWithin(name->text(), kShownText)}});
      }
      if (!workspace || !workspace->isArray())
        why(Rule::MlfOperatorList, at,
            workspace ? "workspace is " + std::string(typeWords(*workspace)) : "lacks 'workspace'");
      else
        checkWorkspace(*workspace, step(at, "workspace"),
                       name && name->isString() ? escapedWithin(name->text(), kShownText) : std::string());
    }
  }
  void checkWorkspace(const Value& list, const std::string& pointer, const std::string& name) {
    std::set<uint64_t> devices;
    for (std::size_t i = 0; i < list.items().size(); ++i) {
      const Value& entry = list.items()[i];
      const std::string at = step(pointer, i);
      std::string words = entry.isObject() ? "" : "is " + std::string(typeWords(entry));
      for (const std::string_view key : {"device", "workspace_size_bytes"})
        if (words.empty()) words = whyNoCount(entry, key);
      if (!words.empty()) {
        why(Rule::MlfOperatorList, at, std::move(words));
        continue;
      }
      checkKnownKeys(entry, at, {"device", "workspace_size_bytes"}, m_findings);
      const uint64_t device = entry.find("device")->number(), need = entry.find("workspace_size_bytes")->number();
      if (!isDeviceType(device)) {
        checkDevice(device, step(at, "device"));
        continue;
      }
      if (!devices.insert(device).second) {
        add(Rule::MlfDeviceTwice, at, {arg("device", device), {"where", whereText(pointer)}});
        continue;
      }
      const auto main = m_workspace.find(device);
      if (main == m_workspace.end()) {
        if (m_mainSound) add(Rule::MlfOperatorDevice, at, {{"name", name}, arg("device", device)});
      } else if (main->second && *main->second < need) {
        add(Rule::MlfMainWorkspace, at,
            {arg("device", device), arg("main", *main->second), {"name", name}, arg("need", need)});
      }
    }
  }

  /// MLF-210.
  void checkConstants(const Value& functions, const std::string& pointer) {
    if (m_module.executor != Executor::Graph || !m_module.parameters || !m_mainSound) return;
    if (m_facts && !m_facts->parameters) return; // those of another module
    Findings notMine;
    const Parameters parameters =
        m_facts ? *m_facts->parameters : readParameters(*m_module.parameters, {}, notMine, m_monitor);
    if (!parameters.whole || parameters.list.empty() ||
        !std::all_of(parameters.list.begin(), parameters.list.end(), [](const Parameter& one) { return one.sound; }))
      return;
    std::optional<uint64_t> actual = 0, stated = 0;
    for (const Parameter& parameter : parameters.list)
      if (actual) actual = checkedAdd(*actual, parameter.dataBytes);
    const Value& main = *functions.find("main");
    for (const Value& entry : main.items())
      if (stated) stated = checkedAdd(*stated, entry.find("constants_size_bytes")->number());
    if (!actual || !stated || *actual == *stated) return;
    add(Rule::MlfConstantsSize, step(step(step(pointer, "main"), std::size_t{0}), "constants_size_bytes"),
        {arg("meta", *stated), arg("actual", *actual)});
  }

  // --- operator archives ---

  /// MLF-201, 216, 217.
  void checkOperator(const Value& memory, const std::string& pointer) {
    constexpr std::string_view kWant = "an object from function to a list of buffers";
    if (!memory.isObject()) return wrongShape(pointer, typeWords(memory), kWant);
    if (memory.members().empty()) return wrongShape(pointer, "an empty object", kWant);
    for (const auto& [name, list] : memory.members()) {
      const std::string at = step(pointer, name);
      if (!list.isArray()) {
        wrongShape(at, typeWords(list), "a list of buffers");
        continue;
      }
      for (std::size_t i = 0; i < list.items().size(); ++i) checkBuffer(list.items()[i], step(at, i));
    }
  }
  void checkBuffer(const Value& buffer, const std::string& pointer) {
    constexpr std::string_view kWant = "an object with size_bytes, shape, dtype and input_binding";
    if (!buffer.isObject()) return wrongShape(pointer, typeWords(buffer), kWant);
    checkKnownKeys(buffer, pointer, {"size_bytes", "shape", "dtype", "input_binding"}, m_findings);
    const Value *const shape = buffer.find("shape"), *const type = buffer.find("dtype"),
                       *const binding = buffer.find("input_binding");
    if (!countIn(buffer.find("size_bytes")))
      return wrongShape(pointer, "a buffer that " + whyNoCount(buffer, "size_bytes"), kWant);
    if (!shape || !shape->isArray()) return wrongShape(pointer, "a buffer without a list 'shape'", kWant);
    if (!type || !type->isString()) return wrongShape(pointer, "a buffer without a text 'dtype'", kWant);
    if (!binding) return wrongShape(pointer, "a buffer without 'input_binding'", kWant);
    if (binding->type() == Type::Null)
      add(Rule::MlfBindingNull, step(pointer, "input_binding"), {{"where", whereText(pointer)}});
    else if (!binding->isString())
      return wrongShape(pointer, "a buffer whose input_binding is " + std::string(typeWords(*binding)), kWant);
    std::vector<uint64_t> dimensions;
    for (const Value& dimension : shape->items()) {
      const auto count = countIn(&dimension);
      if (!count) return wrongShape(pointer, "a buffer whose shape holds " + valueText(dimension), kWant);
      dimensions.push_back(*count);
    }
    const auto element = parseElementType(type->text());
    if (!element) return wrongShape(pointer, "a buffer whose dtype is " + valueText(*type), kWant);
    const auto want = packedBytes(dimensions, *element);
    const uint64_t found = buffer.find("size_bytes")->number();
    if (want && *want != found)
      add(Rule::MlfBufferSize, step(pointer, "size_bytes"),
          {{"where", whereText(pointer)}, arg("found", found), arg("want", *want)});
  }

  const Model& m_model;
  const ModelModule& m_module;
  const ModuleFacts* const m_facts;
  Findings& m_findings;
  Monitor& m_monitor;
  bool m_mainSound = false;
  std::map<uint64_t, std::optional<uint64_t>> m_workspace; ///< of main, by device
};

} // namespace

void checkMemory(const Model& model, Findings& findings, Monitor& monitor) {
  checkMemory(model, {}, findings, monitor);
}

void checkMemory(const Model& model, const FileFacts& facts, Findings& findings, Monitor& monitor) {
  for (std::size_t i = 0; i < model.modules.size(); ++i) {
    if (monitor.stopRequested()) return;
    const ModuleFacts* const own = i < facts.modules.size() ? &facts.modules[i] : nullptr;
    MemoryCheck(model, model.modules[i], own, findings, monitor).run();
  }
}

} // namespace blobscope::mlf
