#pragma once

#include "ui/session/document.h"
#include "ui/session/recent_files.h"
#include "ui/widgets/scroll_area.h"

#include <QVector>

class QVBoxLayout;

namespace blobscope::ui {

/// What a window shows before a file is open: open, drop, recent files, samples.
class StartPage : public ScrollArea {
  Q_OBJECT
public:
  explicit StartPage(QWidget* parent = nullptr);
  /// Newest first; files that are gone are shown with that word.
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

/// An opened file as the list of recent files tells it.
RecentFile describeRecent(const QString& path, const Document::State& state);

/// Folder of the bundled samples: beside the sources, or where the program was installed; empty when neither is there.
QString sampleFolder();

} // namespace blobscope::ui
