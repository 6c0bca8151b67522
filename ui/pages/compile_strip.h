#pragma once

#include "ui/session/compile_text.h"
#include "ui/widgets/labels.h"

#include <QTime>

class QHBoxLayout;

namespace blobscope::ui {

/// What compiling a text gave: one sentence, and the numbers of a kernel before and after. While the text does not
/// compile, the numbers are those of the last text that did.
class CompileStrip : public Panel {
  Q_OBJECT
public:
  explicit CompileStrip(QWidget* parent = nullptr);
  /// `kernel`: whose numbers are shown; empty or unknown: the first one whose numbers changed.
  void showReport(const CompileReportPtr& report, const std::string& kernel);
  void showFailure(const QString& message);
  /// Offers to store the compiled code in place of the text; empty: offers nothing. `format`: "cubin".
  void offerStoring(const QString& format);
  QString text() const;

Q_SIGNALS:
  /// The user wants to see the messages.
  void messagesRequested();
  /// The compiled code is to take the place of the text.
  void storeRequested();

private:
  void showNumbers(const CompileReport& report, const std::string& kernel);

  IconLabel* m_icon;
  ThemeLabel *m_sentence, *m_detail, *m_kernel;
  LinkButton *m_all, *m_store;
  QWidget* m_numbers;
  QHBoxLayout* m_columns;
  QTime m_lastGood; ///< when the text of the numbers was compiled; null: there are none
};

} // namespace blobscope::ui
