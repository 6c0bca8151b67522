#include "core/targets/facts_folder.h"

#include "core/base/path_text.h"

#include <cstdlib>

namespace blobscope::targets {

std::filesystem::path userFactsFolder() {
  const auto folder = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return value && *value ? pathFrom(value) : std::filesystem::path();
  };
  if (auto own = folder("BLOBSCOPE_FACTS"); !own.empty()) return own;
  for (const char* const variable : {"XDG_DATA_HOME", "LOCALAPPDATA"})
    if (const auto data = folder(variable); !data.empty()) return data / "blobscope" / "facts";
  const auto home = folder("HOME");
  return home.empty() ? home : home / ".local" / "share" / "blobscope" / "facts";
}

Result<FactsPtr> loadUsableFacts() {
  auto facts = Facts::load(userFactsFolder());
  return facts ? std::move(facts) : Facts::load();
}

} // namespace blobscope::targets
