#include "ui/text/state_text.h"

#include <QCoreApplication>

namespace blobscope::ui {
namespace {

class StateText {
  Q_DECLARE_TR_FUNCTIONS(blobscope::ui::StateText)
public:
  static QString of(view::ChecklistPage::State state, unsigned step);
};

QString StateText::of(view::ChecklistPage::State state, unsigned step) {
  using State = view::ChecklistPage::State;
  switch (state) {
  case State::Good: return tr("loads");
  case State::Empty: return tr("loads without modules");
  case State::Later:
    return step > 0 ? tr("loads, fails later at step %1").arg(step) : tr("loads, fails later at step N");
  case State::Fails: return step > 0 ? tr("fails at step %1").arg(step) : tr("fails at step N");
  case State::Crashes: return step > 0 ? tr("crashes at step %1").arg(step) : tr("crashes");
  case State::Unknown: return tr("not certain");
  case State::NotNeeded: break;
  }
  return tr("not needed");
}

} // namespace

QString stateText(view::ChecklistPage::State state, unsigned step) { return StateText::of(state, step); }

} // namespace blobscope::ui
