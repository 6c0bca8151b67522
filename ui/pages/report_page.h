#pragma once

#include "core/view/report_page.h"
#include "ui/pages/page_widget.h"

#include <string>

class QGridLayout;
class QScrollArea;

namespace blobscope::ui {

/// A report about a file: the answer, sections of rows with what they reach, a bar of the file's parts. The facts of
/// the report go to the Details panel while the page is shown.
class ReportPage : public PageWidget {
  Q_OBJECT
public:
  bool hasOwnDetails() const override { return true; }
  ReportPage(const view::Page& page, const PageContext& context, QWidget* parent);
  ~ReportPage() override;
  const view::ReportPage& page() const { return *m_page; }
  /// Writes the report in the form of `exports[index]` to a file in the background.
  void save(std::size_t index, const QString& path);
  /// Shows what is not in the earlier report at `path`, which is read in the background.
  void compareWith(const QString& path);
  /// The beginning of the tags of this work.
  static QString tagPrefix() { return QStringLiteral("report/"); }

Q_SIGNALS:
  /// The report is written, or a message says why not.
  void saved();
  /// The comparison is shown, or a message says why not.
  void compared();

protected:
  void showEvent(QShowEvent* event) override;

private:
  QWidget* makeContent();
  QWidget* makeSection(const view::ReportPage::Section& section, QWidget* parent);
  void addRow(const view::ReportPage::Row& row, QGridLayout& grid, QWidget* parent);
  QWidget* makeBelow(const view::ReportPage::Row& row, QWidget* parent);
  QWidget* makePath(const std::vector<view::ReportPage::Step>& path, QWidget* parent);
  QWidget* makeLinks(const view::ReportPage::Row& row, QWidget* parent);
  void askForFile();
  void askForEarlierReport();
  void copyReport() const;

  Jobs& m_jobs;
  QString m_tag;
  std::string m_name; ///< of the page
  std::string m_file; ///< path of the file that the report is about
  view::ReportPagePtr m_page;
  QScrollArea* m_scroll;
};

} // namespace blobscope::ui
