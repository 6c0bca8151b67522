#pragma once

#include "core/diff/tensors.h"
#include "core/view/grid.h"
#include "ui/session/jobs.h"

#include <QWidget>

#include <memory>

namespace blobscope::ui {

class GridControls;
class HeatMapView;
class ThemeLabel;

/// The differences B − A of two tensors of the same shape as colours. Where several values share a pixel, it shows the
/// largest difference of them.
class DifferenceMap : public QWidget {
  Q_OBJECT
public:
  /// `numbers`: of these tensors.
  DifferenceMap(Jobs& jobs, const payloads::Tensor& a, const payloads::Tensor& b, const diff::TensorDiff& numbers,
                QWidget* parent);
  ~DifferenceMap() override;
  HeatMapView& view() { return *m_view; }
  bool isReady() const { return m_ready; }

private:
  void setSlice(const view::GridSlice& slice);
  void read(const view::GridRegion& region, quint32 rows, quint32 columns);

  Jobs& m_jobs;
  QString m_tag;
  std::vector<uint64_t> m_shape;
  std::shared_ptr<const view::GridSource> m_source;
  std::shared_ptr<const view::GridMap> m_map;
  GridControls* m_controls;
  HeatMapView* m_view;
  ThemeLabel* m_note;
  bool m_ready = false;
};

} // namespace blobscope::ui
