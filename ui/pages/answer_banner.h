#pragma once

#include "core/view/page.h"
#include "ui/widgets/labels.h"

class QBoxLayout;

namespace blobscope::ui {

/// The answer of a page: an icon, a bold sentence, what else helps, and a link that copies a report. The second part is
/// beside the sentence if there is room, else below it.
class AnswerBanner : public Panel {
  Q_OBJECT
public:
  explicit AnswerBanner(QWidget* parent = nullptr);
  void showAnswer(view::ChecklistPage::State state, const QString& sentence, const QString& detail);
  QString text() const;
  LinkButton& copyButton() const { return *m_copy; }
  /// Adds a link beside the one that copies.
  LinkButton* addButton(const QString& text);

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  void arrange();

  IconLabel* m_icon;
  ThemeLabel *m_sentence, *m_detail;
  QBoxLayout* m_words;
  LinkButton *m_copy, *m_more = nullptr;
};

} // namespace blobscope::ui
