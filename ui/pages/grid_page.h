#pragma once

#include "ui/pages/grid_controls.h"
#include "ui/pages/page_widget.h"

#include <QPointer>

#include <memory>
#include <optional>

class QGridLayout;
class QLineEdit;
class QSplitter;

namespace blobscope::ui {

class HeatMapView;
class LinkButton;
class PlotView;
class ThemeLabel;
class ValueGrid;

/// An array: two of its dimensions as colours or as an image, the histogram and statistics of all values, and the
/// values as numbers, which can be changed where the document can store them.
class GridPage : public PageWidget {
  Q_OBJECT
public:
  GridPage(const view::GridPage& page, const PageContext& context, QWidget* parent);
  ~GridPage() override;
  bool editSelection() override;
  QWidget* tools() override { return m_tools; }
  bool hasPicture() const override { return m_page.summarize != nullptr; }
  view::Page picture() const override { return {"Values", m_page}; }
  std::unique_ptr<PageState> saveState() const override;
  void restoreState(const PageState& state) override;
  void openGoTo() override;

  HeatMapView& heatMap() { return *m_heat; }
  ValueGrid& values() { return *m_values; }
  /// Shows the element with that index on each axis; returns false when there is none.
  bool goToPlace(const std::vector<uint64_t>& place);
  /// Whether the pictures show everything that was asked for.
  bool isReady() const;

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  QWidget* makeHeatSide();
  QWidget* makeStatistics();
  QWidget* makeSummaryLine();
  void connectViews();
  void makeTools();
  void setSlice(const view::GridSlice& slice);
  void setLook(GridLook look, bool byUser);
  void summarize(bool exact);
  void showSummary();
  void fillFacts();
  void readHeat(const view::GridRegion& region, quint32 rows, quint32 columns);
  void readImage();
  void choose(uint64_t row, uint64_t column);
  void updateFrame();
  void goTo();
  QString tag(const char* what) const { return m_tag + QLatin1String(what); }

  view::GridPage m_page;
  Jobs& m_jobs;
  Ref m_node;
  QString m_tag;
  std::shared_ptr<const view::GridMap> m_map;
  std::optional<view::GridImageAxes> m_imageAxes;
  std::optional<view::GridSummary> m_summary;
  GridLook m_look = GridLook::Plain;
  bool m_lookChosen = false; ///< by the user
  bool m_exact = false;      ///< all values were asked for
  bool m_needsHeat = true;
  int m_factColumns = 2;
  std::size_t m_changed = 0;                              ///< values that are not saved
  std::vector<std::pair<uint64_t, std::string>> m_before; ///< by the number of the element

  GridControls* m_controls;
  HeatMapView* m_heat;
  ValueGrid* m_values;
  PlotView* m_histogram = nullptr;
  QWidget *m_statistics = nullptr, *m_tools = nullptr;
  QGridLayout* m_facts = nullptr;
  QSplitter *m_pictures, *m_all;
  ThemeLabel *m_heatTitle = nullptr, *m_heatNote = nullptr, *m_line = nullptr, *m_part = nullptr;
  LinkButton* m_readAll = nullptr;
  QLineEdit* m_goTo = nullptr;
};

} // namespace blobscope::ui
