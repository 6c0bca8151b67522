#pragma once

#include <QWidget>

#include <vector>

namespace blobscope::ui {

/// A file before and after it is written, to one scale: two bars with its blobs and their sizes. A part is labelled in
/// the bar if there is room, and always in the tool tip and the accessible description.
class PlanBar : public QWidget {
  Q_OBJECT
public:
  enum class Kind {
    Other,    ///< bytes around blobs
    Blob,     ///< a blob as opened
    DeadBlob, ///< the range of a blob that was moved
    NewBlob   ///< a blob as written
  };
  struct Part {
    Kind kind = Kind::Other;
    quint64 size = 0; ///< bytes
  };

  explicit PlanBar(QWidget* parent = nullptr);
  /// Sets the parts of the file in order.
  void setParts(std::vector<Part> before, std::vector<Part> after);
  const std::vector<Part>& before() const { return m_before; }
  const std::vector<Part>& after() const { return m_after; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

private:
  static QString word(Kind kind);
  QRectF bar(int row) const;
  /// Returns the left and right end of the part in its bar.
  std::pair<double, double> ends(const std::vector<Part>& parts, int row, std::size_t part) const;
  void paintParts(QPainter& painter, const std::vector<Part>& parts, int row) const;
  static QString describe(const std::vector<Part>& parts);

  std::vector<Part> m_before, m_after;
  quint64 m_scale = 0; ///< bytes of the longer bar
};

} // namespace blobscope::ui
