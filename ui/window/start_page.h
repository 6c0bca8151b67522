#pragma once

#include <QStringList>
#include <QWidget>

class QVBoxLayout;

namespace blobscope::ui {

/// What a window shows before a file is open: open, drop, recent files, samples.
class StartPage : public QWidget {
  Q_OBJECT
public:
  explicit StartPage(QWidget* parent = nullptr);
  /// Newest first; files that are gone are shown with that word.
  void setRecent(const QStringList& paths);

Q_SIGNALS:
  void openRequested();
  void fileChosen(const QString& path);
  void clearRecentRequested();

private:
  QVBoxLayout* m_recent;
};

/// Folder of the bundled samples: beside the sources, or where the program was installed; empty when neither is there.
QString sampleFolder();

} // namespace blobscope::ui
