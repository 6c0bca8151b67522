#include "ui/compare/pair_words.h"

#include "core/base/memory.h"

#include <QElapsedTimer>
#include <QPromise>
#include <QThreadPool>
#include <QTimerEvent>

#include <algorithm>

namespace blobscope::ui {
namespace {

constexpr qint64 kWordsMs = 5;
constexpr uint64_t kWordsStep = 65'536;
/// Number of cached lines.
constexpr std::size_t kKept = 4'096;

std::string_view lineOf(const syntax::LineIndex& index, uint64_t line) {
  const Extent extent = index.line(line);
  return index.text().view().substr(extent.offset, extent.size);
}

} // namespace

PairWords::PairWords(QObject* parent) : QObject(parent), m_language(&syntax::language({})) {
  connect(&m_finding, &QFutureWatcherBase::finished, this, [this] {
    if (!m_finding.future().isResultReadyAt(0)) return;
    if (m_marks.size() >= kKept) m_marks.clear();
    for (auto& [lines, marks] : m_finding.result()) m_marks.insert_or_assign(lines, marks);
    Q_EMIT changed();
  });
}

void PairWords::setText(TextPairPtr text) {
  m_text = std::move(text);
  m_language = &syntax::language(m_text ? std::string_view(m_text->language) : std::string_view());
  for (SideWords& side : m_sides) {
    side.states = std::make_unique<syntax::LineStates>(*m_language);
    side.lines.clear();
    side.guessed.reset();
  }
  m_finding.setFuture({});
  m_marks.clear();
  m_wanted.clear();
}

const std::vector<syntax::Token>& PairWords::tokens(Side side, uint64_t line) {
  SideWords& words = m_sides[side == Side::A ? 0 : 1];
  syntax::LineState before{};
  const auto here = words.lines.find(line);
  if (const auto above = line > 0 ? words.lines.find(line - 1) : words.lines.end(); above != words.lines.end()) {
    before = above->second.after;
  } else if (here != words.lines.end() && !words.guessed) {
    return here->second.tokens;
  } else {
    before = words.states->before(index(side), line);
    if (!words.states->knows(line)) words.guessed = std::max(words.guessed.value_or(0), line);
  }
  if (here != words.lines.end() && here->second.before == before) return here->second.tokens;
  if (words.lines.size() >= kKept) words.lines.clear();
  SideWords::Line& entry = words.lines[line];
  entry.before = before;
  entry.after = syntax::lexLine(*m_language, lineOf(index(side), line), before, entry.tokens);
  return entry.tokens;
}

const diff::WordMarks* PairWords::marks(uint64_t lineA, uint64_t lineB) {
  if (const auto ready = m_text->marks.find(lineB); ready != m_text->marks.end()) return &ready->second;
  const LinePair lines(lineA, lineB);
  if (const auto found = m_marks.find(lines); found != m_marks.end()) return &found->second;
  m_wanted.insert(lines);
  return nullptr;
}

void PairWords::startWork() {
  if (!m_work.isActive() && (m_sides[0].guessed || m_sides[1].guessed)) m_work.start(0, this);
  // Lines that are requested during a job are computed by the next one, after the next repaint.
  if (m_wanted.empty() || m_finding.isRunning()) return;
  const auto promise = std::make_shared<QPromise<Found>>();
  promise->start();
  m_finding.setFuture(promise->future());
  QThreadPool::globalInstance()->start([promise, text = m_text, wanted = std::exchange(m_wanted, {})] {
    // If memory runs out, there is no result, and the lines have no marks.
    const auto done = withinMemory([&]() -> Result<Done> {
      Found found;
      for (const LinePair& lines : wanted)
        found.emplace_back(lines, diff::compareWords(lineOf(*text->indexA, lines.first),
                                                     lineOf(*text->indexB, lines.second), text->masks));
      promise->addResult(std::move(found));
      return Done{};
    });
    (void)done;
    promise->finish();
  });
}

void PairWords::timerEvent(QTimerEvent* event) {
  if (event->timerId() != m_work.timerId()) {
    QObject::timerEvent(event);
    return;
  }
  QElapsedTimer clock;
  clock.start();
  bool left = false, known = false;
  for (const Side side : {Side::A, Side::B}) {
    SideWords& words = m_sides[side == Side::A ? 0 : 1];
    if (!words.guessed) continue;
    while (!words.states->advance(index(side), *words.guessed, kWordsStep) && clock.elapsed() < kWordsMs) {}
    if (words.states->knows(*words.guessed)) {
      words.guessed.reset();
      words.lines.clear();
      known = true;
    } else {
      left = true;
    }
  }
  if (!left) m_work.stop();
  if (known) Q_EMIT changed();
}

} // namespace blobscope::ui
