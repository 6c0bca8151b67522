#include "ui/widgets/find/find_bar.h"

#include "ui/text/plain_text.h"
#include "ui/text/plurals.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/filter_keys.h"
#include "ui/widgets/find/find_replace.h"
#include "ui/widgets/find/find_target.h"
#include "ui/widgets/find/finder.h"
#include "ui/widgets/labels.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QLocale>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr int kHeight = 40, kButton = 26, kEditWidth = 260, kProgressHeight = 3;
/// Narrower bars place the search and the replacement below one another.
constexpr int kOneRow = 760;
/// Shorter searches show no progress.
constexpr int kSlowMs = 150;

class Separator : public QWidget {
public:
  explicit Separator(QWidget* parent) : QWidget(parent) { setFixedSize(9, 18); }

protected:
  void paintEvent(QPaintEvent*) override {
    QPainter(this).fillRect(QRect(4, 0, 1, height()), theme().color(Role::Rule));
  }
};

/// A label in a theme colour that is determined when it paints.
class StatusLabel : public PlainLabel {
public:
  using PlainLabel::PlainLabel;

protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setPen(theme().color(property("error").toBool() ? Role::Error : Role::Secondary));
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(text(), Qt::ElideRight, width()));
  }
};

} // namespace

FindBar::FindBar(FindTarget* target, QWidget* parent)
    : QWidget(parent), m_target(target), m_finder(new Finder(this)), m_edit(new QLineEdit(this)),
      m_label(new StatusLabel(this)), m_searchBox(new QWidget(this)) {
  setFixedHeight(kHeight);
  auto* const columns = new QGridLayout(this);
  columns->setContentsMargins(10, 1, 8, 0);
  columns->setHorizontalSpacing(4);
  columns->setVerticalSpacing(0);
  columns->setColumnStretch(2, 1);
  columns->addWidget(m_searchBox, 0, 0);
  auto* layout = new QHBoxLayout(m_searchBox);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);

  m_edit->setPlaceholderText(tr("Find"));
  m_edit->setAccessibleName(tr("Find"));
  m_edit->setMaximumWidth(kEditWidth);
  m_edit->setMinimumWidth(kEditWidth / 2);
  m_edit->setFixedHeight(28);
  addFindIcon(*m_edit);
  layout->addWidget(m_edit, 1);
  layout->addSpacing(4);
  m_label->setFont(textFont(TextRole::Secondary));
  m_label->setMinimumWidth(QFontMetrics(m_label->font()).horizontalAdvance(QStringLiteral("00 of 000")));
  layout->addWidget(m_label);
  layout->addSpacing(4);
  QToolButton* const previous = addButton(QStringLiteral("back"), {}, tr("Previous"));
  QToolButton* const next = addButton(QStringLiteral("forward"), {}, tr("Next"));
  layout->addWidget(new Separator(this));
  m_case = addToggle(tr("Aa"), tr("Match case"));
  if (target->findsLines()) {
    m_word = addToggle(tr("W"), tr("Whole word"));
    m_regex = addToggle(QStringLiteral(".*"), tr("Regular expression"));
  } else {
    m_hex = addToggle(tr("0x"), tr("Bytes in hex"));
  }
  QToolButton* const close = addButton(QStringLiteral("cancel"), {}, tr("Close"));
  layout->removeWidget(close);
  columns->addWidget(close, 0, 3);

  connect(m_edit, &QLineEdit::textChanged, this, &FindBar::begin);
  connect(previous, &QToolButton::clicked, this, &FindBar::findPrevious);
  connect(next, &QToolButton::clicked, this, &FindBar::findNext);
  connect(close, &QToolButton::clicked, this, &FindBar::closeBar);
  connect(m_finder, &Finder::found, this, &FindBar::take);
  connect(m_finder, &Finder::finished, this, &FindBar::end);
  connect(m_finder, &Finder::progressed, this, [this](quint64 done, quint64 total) {
    if (m_slow.isActive() || total == 0) return;
    m_progress = static_cast<double>(done) / static_cast<double>(total);
    update();
  });
  if (target->findsLines()) makeReplaceBox();
  updateStatus();
}

FindBar::~FindBar() = default;

void FindBar::makeReplaceBox() {
  m_replaceBox = new QWidget(this);
  auto* const row = new QHBoxLayout(m_replaceBox);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  m_with = new QLineEdit(m_replaceBox);
  m_with->setPlaceholderText(tr("Replace with"));
  m_with->setAccessibleName(tr("Replace with"));
  m_with->setMinimumWidth(kEditWidth / 2);
  m_with->setMaximumWidth(kEditWidth);
  m_with->setFixedHeight(28);
  row->addWidget(m_with, 1);
  const auto add = [&](const QString& text, const QString& name, void (FindBar::*run)()) {
    QToolButton* const button = addButton({}, text, name);
    row->addWidget(button);
    connect(button, &QToolButton::clicked, this, run);
    return button;
  };
  m_replaceOne = add(tr("Replace"), tr("Replace this match and go to the next one"), &FindBar::replaceCurrent);
  m_replaceAll = add(tr("All"), tr("Replace all matches"), &FindBar::replaceAll);
  connect(m_with, &QLineEdit::textChanged, this, [this] {
    m_error.clear();
    updateStatus();
  });
  connect(m_finder, &Finder::replaced, this, [this](const FindHits& hits, const std::vector<std::string>& texts) {
    m_target->replaceHits(hits, texts);
    refresh();
  });
  m_replaceBox->hide();
}

QToolButton* FindBar::addButton(const QString& iconName, const QString& text, const QString& name) {
  auto* button = new QToolButton(this);
  button->setAutoRaise(true);
  button->setToolTip(plainTip(name));
  button->setAccessibleName(plainLine(name));
  button->setFixedHeight(kButton);
  if (iconName.isEmpty()) {
    button->setText(text);
    button->setMinimumWidth(kButton + 8);
  } else {
    button->setIcon(icon(iconName));
    button->setFixedWidth(kButton);
  }
  m_searchBox->layout()->addWidget(button);
  return button;
}

QToolButton* FindBar::addToggle(const QString& text, const QString& name) {
  QToolButton* const button = addButton({}, text, name);
  button->setCheckable(true);
  connect(button, &QToolButton::toggled, this, &FindBar::begin);
  return button;
}

void FindBar::open(const QString& pattern) {
  setVisible(true);
  if (!pattern.isEmpty() && pattern != m_edit->text())
    m_edit->setText(pattern);
  else if (!m_hits)
    begin();
  m_edit->setFocus(Qt::ShortcutFocusReason);
  m_edit->selectAll();
}

void FindBar::openReplace() {
  if (m_replaceBox && m_target->canReplace()) {
    m_replaceBox->show();
    arrange();
  }
  open();
}

bool FindBar::isReplacing() const { return m_replaceBox && !m_replaceBox->isHidden(); }

void FindBar::arrange() {
  const bool below = isReplacing() && width() < kOneRow;
  auto* const columns = static_cast<QGridLayout*>(layout());
  if (m_replaceBox) {
    columns->removeWidget(m_replaceBox);
    columns->addWidget(m_replaceBox, below ? 1 : 0, below ? 0 : 1);
  }
  setFixedHeight(below ? 2 * kHeight - 6 : kHeight);
}

QSize FindBar::minimumSizeHint() const { return {m_searchBox->minimumSizeHint().width() + kButton + 26, height()}; }

void FindBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (isReplacing()) arrange();
}

bool FindBar::checkReplacement() {
  if (!m_hits || m_hits->empty() || !m_target->canReplace()) return false;
  m_error = replacementProblem(query(), m_with->text());
  updateStatus();
  return m_error.isEmpty();
}

void FindBar::replaceCurrent() {
  if (!m_current || !checkReplacement()) return;
  const FindHits hit = {(*m_hits)[*m_current]};
  const auto texts = replacementsOf(m_target->findBytes(), hit, query(), m_with->text(), [] { return false; });
  if (!texts) return;
  m_target->replaceHits(hit, *texts);
  m_origin = hit.front().offset + texts->front().size();
  m_current = 0; // so that the search continues from there
  begin();
}

void FindBar::replaceAll() {
  if (isSearching() || !checkReplacement()) return;
  m_finder->startReplacing(m_target->findBytes(), *m_hits, query(), m_with->text());
}

void FindBar::setReplacement(const QString& text) {
  if (m_with) m_with->setText(text);
}

void FindBar::refresh() {
  if (isHidden() || m_edit->text().isEmpty()) return;
  m_current.reset();
  begin();
  m_keepsPlace = isSearching();
}

void FindBar::continueSearch(bool backwards) {
  if (isHidden())
    open();
  else
    step(backwards ? -1 : 1);
}

void FindBar::closeBar() {
  m_finder->cancel();
  m_slow.stop();
  m_progress = -1;
  m_hits.reset();
  m_current.reset();
  m_target->showHits(nullptr, std::nullopt);
  setVisible(false);
  if (m_replaceBox) m_replaceBox->hide();
  arrange();
  showLimited({});
  Q_EMIT closed();
}

void FindBar::restart() {
  if (isVisible()) begin();
}

FindQuery FindBar::query() const {
  FindQuery query;
  query.pattern = m_edit->text();
  query.lines = m_target->findsLines();
  query.matchCase = m_case->isChecked();
  query.wholeWord = m_word && m_word->isChecked();
  if (m_regex && m_regex->isChecked()) query.kind = FindQuery::Kind::Regex;
  if (m_hex && m_hex->isChecked()) query.kind = FindQuery::Kind::Hex;
  return query;
}

void FindBar::setQuery(const FindQuery& query) {
  {
    const QSignalBlocker noText(m_edit);
    m_edit->setText(query.pattern);
    for (const auto& [button, on] : {std::pair{m_case, query.matchCase},
                                     {m_word, query.wholeWord},
                                     {m_regex, query.kind == FindQuery::Kind::Regex},
                                     {m_hex, query.kind == FindQuery::Kind::Hex}}) {
      if (!button) continue;
      const QSignalBlocker noToggle(button);
      button->setChecked(on);
    }
  }
  begin();
}

void FindBar::begin() {
  m_finder->cancel();
  m_keepsPlace = false;
  showLimited({});
  m_slow.stop();
  m_progress = -1;
  // While the user types a word, the search starts where the first letters were found.
  if (!m_current) m_origin = m_target->findOrigin();
  m_current.reset();
  m_end = {};
  m_hits = std::make_shared<FindHits>();
  const FindQuery wanted = query();
  m_error = wanted.pattern.isEmpty() ? QString() : queryProblem(wanted);
  m_target->showHits(nullptr, std::nullopt);
  if (!wanted.pattern.isEmpty() && m_error.isEmpty()) {
    m_slow.start(kSlowMs, this);
    m_finder->start(m_target->findBytes(), wanted);
  }
  updateStatus();
  update();
}

void FindBar::take(const FindHits& hits) {
  const std::size_t before = m_hits->size();
  m_hits->insert(m_hits->end(), hits.begin(), hits.end());
  if (!m_current) {
    const auto first = std::partition_point(m_hits->begin() + static_cast<std::ptrdiff_t>(before), m_hits->end(),
                                            [&](const FindHit& hit) { return hit.offset < m_origin; });
    if (first != m_hits->end()) {
      show(static_cast<std::size_t>(first - m_hits->begin()));
      return;
    }
  }
  m_target->showHits(m_hits, m_current);
  updateStatus();
}

void FindBar::end(const FindEnd& end) {
  m_end = end;
  m_slow.stop();
  m_progress = -1;
  update();
  if (!m_current && !m_hits->empty()) show(0); // all hits are before the origin
  m_keepsPlace = false;
  updateStatus();
  const QLocale locale(QLocale::English);
  if (end.outOfMemory)
    showLimited(tr("Blobscope ran out of memory. The search is incomplete."));
  else if (end.capped)
    showLimited(tr("Only the first %1 matches are shown. Use a longer pattern to find fewer.")
                    .arg(locale.toString(qulonglong{kFindHits})));
  else if (end.skippedLines > 0)
    showLimited(tr("%n line(s) took too long with this pattern and (was|were) skipped.", nullptr,
                   pluralCount(end.skippedLines)));
}

void FindBar::step(int by) {
  if (!m_hits || m_hits->empty()) return;
  m_keepsPlace = false;
  const std::size_t count = m_hits->size();
  std::size_t next = 0;
  if (m_current) next = (*m_current + (by > 0 ? 1 : count - 1)) % count;
  show(next);
}

void FindBar::show(std::size_t hit) {
  m_current = hit;
  m_origin = (*m_hits)[hit].offset;
  m_target->showHits(m_hits, m_current);
  if (!m_keepsPlace) m_target->goToHit((*m_hits)[hit]);
  updateStatus();
}

QString FindBar::status() const {
  if (!m_error.isEmpty()) return m_error;
  if (m_edit->text().isEmpty()) return {};
  const QLocale locale(QLocale::English);
  const auto number = [&](std::size_t value) { return locale.toString(static_cast<qulonglong>(value)); };
  if (!m_hits || m_hits->empty()) return isSearching() ? QString() : tr("No matches");
  const QString count = number(m_hits->size());
  if (!m_current) return tr("%n (match|matches)", nullptr, pluralCount(m_hits->size()));
  const QString current = number(*m_current + 1);
  if (m_end.capped) return tr("%1 of the first %2").arg(current, count);
  return isSearching() ? tr("%1 of %2 so far").arg(current, count) : tr("%1 of %2").arg(current, count);
}

void FindBar::showLimited(const QString& sentence) {
  if (std::exchange(m_limited, !sentence.isEmpty()) || !sentence.isEmpty()) Q_EMIT limited(sentence);
}

bool FindBar::isSearching() const { return m_finder->isRunning(); }

std::size_t FindBar::hitCount() const { return m_hits ? m_hits->size() : 0; }

void FindBar::updateStatus() {
  if (m_replaceBox) {
    const bool can = m_hits && !m_hits->empty() && m_target->canReplace();
    m_replaceOne->setEnabled(can && m_current);
    m_replaceAll->setEnabled(can && !isSearching());
  }
  m_label->setProperty("error", !m_error.isEmpty());
  m_label->setText(status());
  m_label->setToolTip(plainTip(m_error)); // may be too long for the label
  m_label->setAccessibleName(plainLine(status()));
  m_label->update();
}

void FindBar::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    if (m_with && m_with->hasFocus())
      event->modifiers() & Qt::ControlModifier ? replaceAll() : replaceCurrent();
    else
      step(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
  } else if (event->key() == Qt::Key_Escape) {
    if (isSearching()) {
      m_finder->cancel();
      m_slow.stop();
      m_progress = -1;
      updateStatus();
      update();
    } else {
      closeBar();
    }
  } else {
    QWidget::keyPressEvent(event);
  }
}

void FindBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme().color(Role::Window));
  painter.fillRect(QRect(0, 0, width(), 1), theme().color(Role::Rule));
  if (m_progress >= 0)
    painter.fillRect(QRectF(0, 0, width() * m_progress, kProgressHeight), theme().color(Role::Accent));
}

void FindBar::timerEvent(QTimerEvent* event) {
  if (event->timerId() != m_slow.timerId()) return;
  m_slow.stop();
  m_progress = 0;
  updateStatus();
  update();
}

} // namespace blobscope::ui
