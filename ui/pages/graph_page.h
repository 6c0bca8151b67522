#pragma once

#include "core/graph/picture.h"
#include "core/graph/scene.h"
#include "core/graph/stacks.h"
#include "ui/pages/page_widget.h"

#include <QStackedWidget>
#include <QTimer>

#include <memory>

class QLineEdit;
class QToolButton;

namespace blobscope::ui {

class GraphView;
class TablePage;
class ThemeLabel;

/// A graph with a field to search it, the choice of what is drawn and what the colours mean, and a table with the same
/// nodes. Boxes are arranged in the background.
class GraphPage : public PageWidget {
  Q_OBJECT
public:
  GraphPage(view::GraphPage page, const PageContext& context, QWidget* parent);
  ~GraphPage() override;
  QWidget* tools() override { return m_tools; }
  void openFind() override;
  void findNext(bool backwards) override;
  std::unique_ptr<PageState> saveState() const override;
  void restoreState(const PageState& state) override;

  GraphView& view() { return *m_view; }
  QLineEdit& findField() { return *m_find; }
  bool showsTable() const;
  void setShowsTable(bool shows);
  void setFolding(bool folds);
  void setShowsValues(bool shows);
  void setColouring(graph::Colouring colouring);
  bool hasPicture() const override { return true; } // saved by askForSvg()
  void askForSvg();
  /// Writes the graph as it is drawn; message() follows.
  void saveSvg(const QString& path);

Q_SIGNALS:
  /// The boxes are at their places.
  void arranged();

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  QWidget* makeBar();
  bool hasMarks() const;
  QToolButton* addToggle(const QString& text, const QString& tip, QWidget* bar);
  void connectView();
  void arrange();
  void search();
  void select();
  void open(uint32_t box);
  void close(uint32_t box);
  void updateSummary();

  Jobs& m_jobs;
  const Ref m_node;
  const QString m_tag, m_title;
  const library::PackagePtr m_package;
  const std::shared_ptr<const view::GraphPage> m_page;
  std::shared_ptr<const std::vector<graph::Stack>> m_stacks; ///< null until they are found
  graph::PictureOptions m_options;
  QStackedWidget* m_shown;
  QWidget* m_tools;
  GraphView* m_view;
  TablePage* m_table;
  QLineEdit* m_find = nullptr;
  QToolButton *m_fold = nullptr, *m_values = nullptr, *m_tableButton = nullptr;
  QVector<QToolButton*> m_colours; ///< in the order of graph::Colouring
  ThemeLabel *m_summary, *m_zoom;
  QTimer m_findDelay;
  std::optional<uint32_t> m_wantedNode; ///< to be selected when the boxes are arranged
};

} // namespace blobscope::ui
