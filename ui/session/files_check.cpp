#include "ui/session/files_check.h"

#include "core/describe/devices_here.h"
#include "core/targets/facts_folder.h"
#include "ui/text/plain_text.h"

#include <QSettings>

#include <algorithm>
#include <iterator>
#include <utility>

namespace blobscope::ui {
namespace {

constexpr char kReleases[] = "preflight/releases", kRuntimes[] = "preflight/runtimes", kDevice[] = "preflight/device";
/// Releases that are compared when the user did not choose any.
constexpr std::size_t kNewest = 4;

Result<preflight::FilesOptions> optionsOf(const targets::FactsPtr& facts, TargetChoice& choice, Monitor& monitor) {
  preflight::FilesOptions options;
  if (choice.releases.isEmpty() && choice.runtimes.isEmpty()) {
    const std::size_t newest = facts->newestRelease();
    for (std::size_t i = newest - std::min(newest, kNewest - 1); i <= newest; ++i)
      choice.releases << toQt(facts->releases()[i].name);
  }
  for (const QString& name : std::as_const(choice.releases))
    if (const auto release = facts->findRelease(fromQt(name))) options.releases.push_back(*release);
  std::ranges::sort(options.releases);
  options.here = describe::machineHere();
  BLOBSCOPE_TRY(libraries, targets::SharedLibraries::read({}, monitor));
  options.libraries = std::move(libraries);
  if (!choice.device.isEmpty()) {
    BLOBSCOPE_TRY(device, targets::parseDevice(facts, fromQt(choice.device)));
    options.devices.push_back(std::move(device));
  }
  for (const QString& path : std::as_const(choice.runtimes)) {
    BLOBSCOPE_TRY(runtime, targets::findRuntime(facts, fromQt(path), monitor));
    std::ranges::move(options.targetsOf(runtime), std::back_inserter(options.targets));
  }
  return options;
}

} // namespace

TargetChoice TargetChoice::stored() {
  const QSettings settings;
  return {settings.value(QLatin1String(kReleases)).toStringList(),
          settings.value(QLatin1String(kRuntimes)).toStringList(), settings.value(QLatin1String(kDevice)).toString()};
}

void TargetChoice::store() const {
  QSettings settings;
  settings.setValue(QLatin1String(kReleases), releases);
  settings.setValue(QLatin1String(kRuntimes), runtimes);
  settings.setValue(QLatin1String(kDevice), device);
}

Result<FilesCheckPtr> checkFiles(const std::vector<std::filesystem::path>& paths, TargetChoice choice,
                                 Monitor& monitor) {
  BLOBSCOPE_TRY(facts, targets::Facts::load(targets::userFactsFolder()));
  BLOBSCOPE_TRY(options, optionsOf(facts, choice, monitor));
  BLOBSCOPE_TRY(report, preflight::checkFiles(paths, options, facts, monitor));
  auto check = std::make_shared<FilesCheck>();
  check->common = preflight::commonText(report, *facts);
  check->report = std::move(report);
  check->choice = std::move(choice);
  for (const targets::Release& release : facts->releases()) check->releases.push_back({release.name, release.label});
  for (const targets::GpuArchitecture& gpu : facts->gpus()) check->devices.push_back(gpu.name);
  return FilesCheckPtr(std::move(check));
}

} // namespace blobscope::ui
