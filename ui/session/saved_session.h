#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <QVector>

namespace blobscope::ui {

/// A tab of a window of the last session.
struct SavedTab {
  QString ref; ///< as on the command line
  QString page;
  bool preview = false;
  friend bool operator==(const SavedTab&, const SavedTab&) = default;
};

/// A window of the last session, with an opened file.
struct SavedWindow {
  QString path;
  QByteArray geometry; ///< as QWidget::saveGeometry() returns it
  QVector<SavedTab> tabs;
  int current = 0;                ///< tab in front
  QString place;                  ///< what is selected, a ref
  QStringList comparedWith = {};  ///< files with which it was compared, each in a tab
  QString comparisonInFront = {}; ///< that of the tab in front, if it is one of them
  friend bool operator==(const SavedWindow&, const SavedWindow&) = default;
};

/// The windows of the last session, stored in the settings. What is read is limited and may come from anywhere.
namespace saved {
constexpr int kWindows = 20, kTabs = 40, kComparisons = 8;
QVector<SavedWindow> load();
/// Stores the windows; an empty list removes what is stored.
void store(const QVector<SavedWindow>& windows);
/// Marks that files of the session are being opened, in case the program ends before end().
void begin();
void end();
/// Whether the program ended between begin() and end().
bool wasInterrupted();
} // namespace saved

} // namespace blobscope::ui
