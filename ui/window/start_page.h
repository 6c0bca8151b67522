#pragma once

#include "ui/session/document.h"
#include "ui/session/recent_files.h"
#include "ui/widgets/scroll_area.h"

#include <QVector>

class QVBoxLayout;

namespace blobscope::ui {

/// What a window shows until a file is open: open, drop, recent files, samples.
class StartPage : public ScrollArea {
  Q_OBJECT
public:
  explicit StartPage(QWidget* parent = nullptr);
  /// Newest first; missing files are shown as "not found".
  void setRecent(const QVector<RecentFile>& files);

Q_SIGNALS:
  void openRequested();
  void fileChosen(const QString& path);
  void clearRecentRequested();

private:
  QLayout* makeHead(QWidget* content);
  QWidget* makeDrop(QWidget* content);
  QLayout* makeRecent(QWidget* content);
  QLayout* makeSamples(QWidget* content);

  QVBoxLayout* m_recent;
  QWidget* m_clear;
};

/// Returns the entry of an opened file for the list of recent files.
RecentFile describeRecent(const QString& path, const Document::State& state);

/// Returns the folder of the bundled samples: in the source tree, or in the installation; empty when neither exists.
QString sampleFolder();

} // namespace blobscope::ui
