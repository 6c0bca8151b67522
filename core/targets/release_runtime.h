#pragma once

#include "core/base/bytes.h"
#include "core/targets/runtime.h"
#include "core/targets/tables.h"

#include <set>
#include <string>
#include <vector>

namespace blobscope::targets {

/// A runtime as the tables describe it.
class ReleaseRuntime : public Runtime {
public:
  /// `groups`: what the build has besides a plain one, numbers in Tables::groups.
  ReleaseRuntime(FactsPtr facts, std::optional<std::size_t> release, std::vector<std::string> flags,
                 std::set<uint32_t> groups);

  const std::string& name() const override { return m_name; }
  std::string title() const override;
  std::vector<std::string> flags() const override { return m_flags; }
  FactsPtr facts() const override { return m_facts; }
  std::optional<std::size_t> release() const override { return m_release; }
  Availability function(std::string_view name) const override;
  std::string loaderName(std::string_view key) const override;
  std::vector<std::string> carriers() const override;
  Availability slot(std::string_view name) const override;
  Availability symbol(std::string_view name) const override;
  Availability webImport(std::string_view module, std::string_view name) const override;
  bool takesSystemPrefix() const override;
  Availability library(std::string_view name) const override;
  std::vector<ArgumentCount> argumentCounts(std::string_view function) const override;
  std::optional<MachineFormat> relax() const override { return machine(false); }
  std::optional<MachineFormat> relay() const override { return machine(true); }
  bool readsLayout(std::string_view key, std::string_view layout) const override;
  Availability launchTag(std::string_view tag) const override;
  std::optional<uint32_t> oldestDriver() const override;
  std::optional<FfiNeed> neededFfi(const std::vector<std::string_view>& symbols) const override {
    return m_facts->neededFfi(symbols);
  }
  std::string messageText(Message message) const override;

protected:
  const Tables& tables() const { return m_facts->tables(); }
  /// Whether builds without flags have the functions of the group.
  bool isPlain(uint32_t group) const;
  /// The library with the functions of the group; empty when it is the runtime itself.
  std::string libraryOf(uint32_t group) const;
  /// Whether every name of that kind that a runtime can have is in the tables.
  bool isListedKind(std::string_view name) const;

  FactsPtr m_facts;
  std::optional<std::size_t> m_release;
  std::string m_name;
  std::vector<std::string> m_flags;
  std::set<uint32_t> m_groups;

private:
  std::optional<MachineFormat> machine(bool relay) const;
};

/// A JavaScript file with TVM's web runtime, such as tvmjs.bundle.js: which functions it provides to WebAssembly.
/// Nothing when `file` is something else. `name`: its path. Error: Cancelled.
Result<RuntimePtr> readWebBundle(const FactsPtr& facts, std::string name, const Bytes& file, Monitor& monitor);

/// The flag in words: "USE_CUDA", "the web runtime".
std::string flagText(std::string_view group);

} // namespace blobscope::targets
