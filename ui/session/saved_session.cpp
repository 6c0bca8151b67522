#include "ui/session/saved_session.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>

#include <algorithm>

namespace blobscope::ui::saved {
namespace {

const QString kWindowsKey = QStringLiteral("session/windows"), kOpeningKey = QStringLiteral("session/opening");
const QString kPath = QStringLiteral("path"), kGeometry = QStringLiteral("geometry"),
              kTabsName = QStringLiteral("tabs"), kCurrent = QStringLiteral("current"),
              kPlace = QStringLiteral("place"), kRef = QStringLiteral("ref"), kPage = QStringLiteral("page"),
              kPreview = QStringLiteral("preview"), kComparedWith = QStringLiteral("comparedWith"),
              kComparisonInFront = QStringLiteral("comparisonInFront");
/// Bytes of a stored session, and characters of a text in it.
constexpr qsizetype kLargest = 1 << 20, kLongest = 4'096;

QString shortText(const QJsonValue& value) {
  const QString text = value.toString();
  return text.size() <= kLongest && !text.contains(QChar::Null) ? text : QString();
}

QString textOf(const QJsonObject& object, const QString& name) { return shortText(object.value(name)); }

SavedWindow windowOf(const QJsonObject& object) {
  SavedWindow window;
  window.path = textOf(object, kPath);
  window.geometry = QByteArray::fromBase64(object.value(kGeometry).toString().left(kLongest).toLatin1());
  for (const QJsonValue& one : object.value(kTabsName).toArray()) {
    if (window.tabs.size() == kTabs) break;
    const QJsonObject tab = one.toObject();
    window.tabs.append({textOf(tab, kRef), textOf(tab, kPage), tab.value(kPreview).toBool()});
  }
  window.current = std::clamp(object.value(kCurrent).toInt(), 0, std::max(0, static_cast<int>(window.tabs.size()) - 1));
  window.place = textOf(object, kPlace);
  for (const QJsonValue& one : object.value(kComparedWith).toArray())
    if (const QString path = shortText(one); QDir::isAbsolutePath(path) && window.comparedWith.size() < kComparisons)
      window.comparedWith.append(path);
  window.comparisonInFront = textOf(object, kComparisonInFront);
  return window;
}

} // namespace

QVector<SavedWindow> load() {
  QVector<SavedWindow> out;
  const QByteArray stored = QSettings().value(kWindowsKey).toByteArray();
  if (stored.size() > kLargest) return out;
  for (const QJsonValue& one : QJsonDocument::fromJson(stored).array()) {
    const SavedWindow window = windowOf(one.toObject());
    if (QDir::isAbsolutePath(window.path)) out.append(window);
    if (out.size() == kWindows) break;
  }
  return out;
}

void store(const QVector<SavedWindow>& windows) {
  if (windows.isEmpty()) {
    QSettings().remove(kWindowsKey);
    return;
  }
  QJsonArray all;
  for (const SavedWindow& window : windows.mid(0, kWindows)) {
    QJsonArray tabs;
    for (const SavedTab& tab : window.tabs.mid(0, kTabs))
      tabs.append(QJsonObject{{kRef, tab.ref}, {kPage, tab.page}, {kPreview, tab.preview}});
    all.append(QJsonObject{{kPath, window.path},
                           {kGeometry, QString::fromLatin1(window.geometry.toBase64())},
                           {kTabsName, tabs},
                           {kCurrent, window.current},
                           {kPlace, window.place},
                           {kComparedWith, QJsonArray::fromStringList(window.comparedWith.mid(0, kComparisons))},
                           {kComparisonInFront, window.comparisonInFront}});
  }
  QSettings().setValue(kWindowsKey, QJsonDocument(all).toJson(QJsonDocument::Compact));
}

void begin() {
  QSettings settings;
  settings.setValue(kOpeningKey, true);
  settings.sync(); // before something can end the program
}

void end() {
  QSettings settings;
  settings.remove(kOpeningKey);
  settings.sync();
}

bool wasInterrupted() { return QSettings().value(kOpeningKey, false).toBool(); }

} // namespace blobscope::ui::saved
