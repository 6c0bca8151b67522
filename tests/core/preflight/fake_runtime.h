#pragma once

#include "core/targets/runtime.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::test {

/// A runtime whose content the test states.
class FakeRuntime final : public targets::Runtime {
public:
  using State = targets::Availability::State;

  std::set<std::string, std::less<>> functions, slots, symbols, unknown;
  std::map<std::string, std::string, std::less<>> flagged; ///< function → build flag
  std::vector<std::string> carrierNames = {"__tvm_ffi__library_bin"};
  std::map<std::string, std::vector<targets::ArgumentCount>, std::less<>> counts;
  std::set<std::string, std::less<>> badLayouts, badTags;
  std::vector<std::string> built;
  std::optional<targets::MachineFormat> relaxFormat, relayFormat;
  std::string loaderPrefix = "load.";
  std::optional<WrongFfi> ffi;
  std::optional<Broken> brokenLibrary;
  std::map<std::string, std::string, std::less<>> needing; ///< function → library that was not found
  bool foundHere = false;                                  ///< it is on this machine
  std::string unlinked;                                    ///< a beginning of names of libraries of which it needs none
  bool links = true;
  std::set<std::string, std::less<>> libraries; ///< shared libraries that come with it; others are unknown
  std::optional<uint32_t> driver;
  std::set<std::string, std::less<>> webImports; ///< "env.name"
  bool systemPrefix = true;
  std::set<std::string, std::less<>> absentLibraries; ///< that no build comes with
  targets::FactsPtr tables;

  targets::FactsPtr facts() const override { return tables; }
  const std::string& name() const override { return m_name; }
  std::optional<std::size_t> release() const override { return 0; }
  targets::Availability function(std::string_view name) const override {
    if (const auto found = flagged.find(name); found != flagged.end()) return {State::NeedsFlag, found->second};
    if (const auto found = needing.find(name); found != needing.end()) {
      targets::Availability out{State::NeedsLibrary, {}, "libside"};
      out.needs = found->second;
      out.missingHere = !foundHere;
      return out;
    }
    return unknown.contains(name) ? targets::Availability{} : stateOf(functions, name);
  }
  std::string loaderName(std::string_view key) const override { return loaderPrefix + std::string(key); }
  std::vector<std::string> carriers() const override { return carrierNames; }
  targets::Availability slot(std::string_view name) const override { return stateOf(slots, name); }
  targets::Availability symbol(std::string_view name) const override { return stateOf(symbols, name); }
  targets::Availability library(std::string_view name) const override {
    if (absentLibraries.contains(name)) return {State::Absent};
    return {libraries.contains(name) ? State::Present : State::Unknown};
  }
  targets::Availability webImport(std::string_view module, std::string_view name) const override {
    if (webImports.contains(std::string(module) + "." + std::string(name))) return {State::Present};
    return {name.starts_with("TVM") || name.starts_with("_Z") ? State::Absent : State::Unknown};
  }
  bool takesSystemPrefix() const override { return systemPrefix; }
  std::vector<targets::ArgumentCount> argumentCounts(std::string_view function) const override {
    const auto found = counts.find(function);
    return found == counts.end() ? std::vector<targets::ArgumentCount>() : found->second;
  }
  std::optional<targets::MachineFormat> relax() const override { return relaxFormat; }
  std::optional<targets::MachineFormat> relay() const override { return relayFormat; }
  bool readsLayout(std::string_view, std::string_view layout) const override { return !badLayouts.contains(layout); }
  targets::Availability launchTag(std::string_view tag) const override {
    return {badTags.contains(tag) ? State::Absent : State::Present};
  }
  std::vector<std::string> architectures() const override { return built; }
  bool needsLibrary(std::string_view beginning) const override { return beginning != unlinked; }
  std::optional<WrongFfi> wrongFfi() const override { return ffi; }
  bool linksObjects() const override { return links; }
  std::optional<Broken> broken() const override { return brokenLibrary; }
  std::optional<uint32_t> oldestDriver() const override { return driver; }
  std::string messageText(targets::Message message) const override {
    switch (message) {
    case targets::Message::FileNotReadable: return "{reason}";
    case targets::Message::NoFileLoader: return "no loader of .{extension} files";
    case targets::Message::NoFileFormat: return "no format";
    case targets::Message::NoLoader: return "no loader for {{key}}";
    case targets::Message::NoPackedFunction: return "cannot find {name}";
    case targets::Message::WrongCount: return "{name} expects {expected}, got {passed}";
    case targets::Message::FailedCheck: return "Check failed: {condition}";
    case targets::Message::VmVersion: return "bad version";
    case targets::Message::VmMagic: return "bad magic";
    case targets::Message::VmConstant: return "bad constant";
    case targets::Message::NoDeviceApi: return "Device API {device} is not enabled.";
    case targets::Message::UnknownLaunchTag: return "Unknown threadscope {tag}";
    case targets::Message::CudaNeedsCompiler: return "needs a compiler";
    default: return {};
    }
  }

private:
  static targets::Availability stateOf(const std::set<std::string, std::less<>>& names, std::string_view name) {
    return {names.contains(name) ? State::Present : State::Absent};
  }
  std::string m_name = "v1.0.0";
};

} // namespace blobscope::test
