#pragma once

#include "core/view/grid.h"

#include <QVector>
#include <QWidget>

#include <vector>

class QComboBox;
class QHBoxLayout;
class QSpinBox;

namespace blobscope::ui {

class ThemeLabel;

/// How the values of an array are shown as a picture.
enum class GridLook { Signed, Plain, Image };

/// The bar above the picture of an array: which axes are its rows and columns, where the other axes are fixed, the
/// colours, and the zoom.
class GridControls : public QWidget {
  Q_OBJECT
public:
  /// `hasImage`: the array can be shown as an image.
  GridControls(std::vector<uint64_t> shape, bool hasImage, QWidget* parent);
  void setSlice(const view::GridSlice& slice);
  void setLook(GridLook look);
  /// Leaves out the choice of colours.
  void hideLooks();
  void setMagnification(double times);
  /// Returns "axis 0 (64)", "axes 1–3 (147)".
  static QString axesText(const std::vector<std::size_t>& axes, const std::vector<uint64_t>& shape);

Q_SIGNALS:
  void sliceChosen(const view::GridSlice& slice);
  void lookChosen(GridLook look);
  void zoomRequested(int steps);
  void showAllRequested();

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  void fillAxes();
  void fillFixed();
  void chooseAxes(bool rows, int index);

  std::vector<uint64_t> m_shape;
  std::vector<std::vector<std::size_t>> m_choices; ///< what rows or columns can be
  view::GridSlice m_slice;
  QComboBox *m_rows, *m_columns, *m_look;
  QWidget* m_fixed;
  QHBoxLayout* m_fixedLayout;
  QSpinBox* m_fold;
  ThemeLabel* m_zoom;
};

} // namespace blobscope::ui
