#include "ui/window/preferences.h"

#include "core/base/budget.h"
#include "core/base/text.h"
#include "ui/text/plain_text.h"
#include "ui/text/translation.h"
#include "ui/window/main_window.h"

#include <QFile>
#include <QLocale>
#include <QSettings>

#include <algorithm>

namespace blobscope::ui {
namespace {

const QString kFamily = QStringLiteral("pages/family"), kPoints = QStringLiteral("pages/points"),
              kZoom = QStringLiteral("pages/zoom"), kUnits = QStringLiteral("units"),
              kMemory = QStringLiteral("memory"), kCudaTools = QStringLiteral("tools/cuda"),
              kRuntime = QStringLiteral("tools/tvmRuntime"), kLanguage = QLatin1String(kLanguageKey),
              kReopen = QStringLiteral("reopenFiles"), kReuse = QStringLiteral("reuseInstance");
constexpr char kCudaVariable[] = "BLOBSCOPE_CUDA_TOOLS";
/// Longer texts in the settings are not ours.
constexpr qsizetype kLongest = 4'096;

QString textOf(const QSettings& settings, const QString& key) {
  const QString text = settings.value(key).toString();
  return text.size() <= kLongest && !text.contains(QChar::Null) ? text : QString();
}

/// The names of SizeUnits in the settings, by number.
const QStringList kUnitNames = {QStringLiteral("binary"), QStringLiteral("decimal"), QStringLiteral("bytes")};

ContentText contentTextOf(const Preferences& preferences) {
  bool ok = false;
  const int zoom = QSettings().value(kZoom).toInt(&ok);
  return {preferences.codeFamily, preferences.points, ok ? zoom : 100};
}

} // namespace

Preferences Preferences::load() {
  const QSettings settings;
  Preferences out;
  out.theme = themeChoice();
  out.codeFamily = textOf(settings, kFamily);
  const double points = settings.value(kPoints).toDouble();
  if (points >= ContentText::kMinimumPoints && points <= ContentText::kMaximumPoints) out.points = points;
  out.units = static_cast<SizeUnits>(std::max(qsizetype{0}, kUnitNames.indexOf(textOf(settings, kUnits))));
  out.memory = textOf(settings, kMemory);
  if (!out.memoryBytes()) out.memory.clear();
  out.cudaTools = textOf(settings, kCudaTools);
  out.tvmRuntime = textOf(settings, kRuntime);
  out.language = textOf(settings, kLanguage);
  out.reopenFiles = settings.value(kReopen, false).toBool();
  out.reuseInstance = settings.value(kReuse, false).toBool();
  return out;
}

void Preferences::store() const {
  storeTheme(theme);
  QSettings settings;
  const auto set = [&](const QString& key, const QVariant& value, bool isDefault) {
    // What has its default value is not stored, so that a later version may choose another default.
    if (isDefault)
      settings.remove(key);
    else
      settings.setValue(key, value);
  };
  for (const auto& [key, text] :
       {std::pair(&kFamily, &codeFamily), std::pair(&kMemory, &memory), std::pair(&kCudaTools, &cudaTools),
        std::pair(&kRuntime, &tvmRuntime), std::pair(&kLanguage, &language)})
    set(*key, *text, text->isEmpty());
  set(kPoints, points, points == 0);
  set(kUnits, kUnitNames[static_cast<int>(units)], units == SizeUnits::Binary);
  set(kReopen, reopenFiles, !reopenFiles);
  set(kReuse, reuseInstance, !reuseInstance);
}

std::optional<uint64_t> Preferences::memoryBytes() const {
  if (memory.isEmpty()) return std::nullopt;
  const auto bytes = Budget::parseMemory(fromQt(memory));
  return bytes ? std::optional(*bytes) : std::nullopt;
}

QVector<Language> availableLanguages() {
  QVector<Language> out;
  for (const QString& code : languages()) {
    if (code == QLatin1String("en")) {
      out.append({code, QStringLiteral("English")}); // Qt says "American English"
      continue;
    }
    QString name = QLocale(code).nativeLanguageName();
    if (name.isEmpty()) name = code;
    name[0] = name[0].toUpper();
    out.append({code, name});
  }
  std::sort(out.begin(), out.end(), [](const Language& a, const Language& b) { return a.name < b.name; });
  return out;
}

void applyPreferencesAtStart(const Preferences& preferences) {
  applyThemeChoice();
  setContentText(contentTextOf(preferences));
  setSizeUnits(preferences.units);
  // A variable that the user has set for this start takes precedence. There are no threads yet that could read it.
  if (!preferences.cudaTools.isEmpty() && qEnvironmentVariableIsEmpty(kCudaVariable))
    qputenv(kCudaVariable, QFile::encodeName(preferences.cudaTools));
}

void applyPreferences(const Preferences& before, const Preferences& now) {
  if (before.theme != now.theme) applyThemeChoice();
  setContentText(contentTextOf(now));
  for (MainWindow* const window : MainWindow::all()) {
    if (before.memory != now.memory) window->document().setMemoryLimit(now.memoryBytes());
    window->updateThemeAction();
  }
}

void chooseZoom(int percent) {
  ContentText text = contentText();
  text.zoom = percent;
  setContentText(text);
  if (contentText().zoom == 100)
    QSettings().remove(kZoom);
  else
    QSettings().setValue(kZoom, contentText().zoom);
}

} // namespace blobscope::ui
