#pragma once

#include "core/diff/tensors.h"
#include "ui/compare/pair_page.h"

#include <memory>
#include <optional>

namespace blobscope::ui {

/// Two tensors, compared value by value: how large the differences are and how often they occur.
class TensorPairPage : public PairPage {
  Q_OBJECT
public:
  /// The tensors of the numbers, and what reads them.
  struct Tensors {
    Jobs& jobs;
    std::shared_ptr<const payloads::Tensor> a, b;
  };
  /// `tensors`: for a map of the differences; nullopt when they are not at hand.
  TensorPairPage(const diff::TensorDiff& numbers, QWidget* parent, const std::optional<Tensors>& tensors = {});
  /// Returns labels and values of the displayed facts.
  static QVector<std::pair<QString, QString>> factsOf(const diff::TensorDiff& numbers);
};

/// A histogram of the differences, with a bar for each power of two.
class DifferenceChart : public QWidget {
  Q_OBJECT
public:
  explicit DifferenceChart(const std::vector<diff::DifferenceBin>& bins, QWidget* parent = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

private:
  static QString describe(const diff::DifferenceBin& bin);
  double barWidth() const;

  std::vector<diff::DifferenceBin> m_bins;
  uint64_t m_largest = 0;
};

} // namespace blobscope::ui
