#include "core/mlf/pages/fit_page.h"

#include "core/base/text.h"
#include "core/targets/facts_folder.h"
#include "core/view/page_id.h"
#include "core/view/table_extras.h"

#include <algorithm>
#include <functional>
#include <memory>

namespace blobscope::mlf {
namespace {

using State = view::ChecklistPage::State;

/// RAM and flash of a board, or sizes that the user entered.
struct Limits {
  std::string name, chip, source;
  std::optional<uint64_t> ram, flash;
  std::string processor = {}; ///< empty: any
};
struct BoardChoice {
  std::optional<Limits> limits; ///< nothing: all boards
  std::optional<uint64_t> alignment;
};

/// What the page is made of for any choice.
struct FitInput {
  std::function<BoardUse(std::optional<uint64_t> alignment)> use;
  targets::FactsPtr facts;
};
using FitInputPtr = std::shared_ptr<const FitInput>;

Limits limitsOf(const targets::Board& board) {
  return {escaped(board.name), escaped(board.chip), escaped(board.source), board.ram, board.flash, board.processor};
}

struct Verdict {
  Fit ram = Fit::Unknown, flash = Fit::Unknown;
  bool otherProcessor = false; ///< objects are made for another one
  State state() const {
    if (otherProcessor || ram == Fit::TooLarge || flash == Fit::TooLarge) return State::Fails;
    return ram == Fit::Fits && flash == Fit::Fits ? State::Good : State::Unknown;
  }
  std::string text() const {
    if (state() == State::Good) return "fits";
    if (state() == State::Unknown) return "not known";
    if (otherProcessor) return "other processor";
    return ram != Fit::TooLarge     ? "flash too small"
           : flash != Fit::TooLarge ? "RAM too small"
                                    : "RAM and flash too small";
  }
};
Verdict verdictOf(const BoardUse& use, const Limits& limits) {
  const bool other = !limits.processor.empty() && std::ranges::any_of(use.processors, [&](const std::string& one) {
    return one != limits.processor;
  });
  return {fitOf(use.ramBytes(), use.ramKnown, limits.ram), fitOf(use.flashBytes(), use.flashKnown, limits.flash),
          other};
}

/// Boards as rows.
class BoardTable final : public view::TableSource {
public:
  enum Column : std::size_t { kBoard, kVerdict, kRamLeft, kFlashLeft, kRam, kFlash, kChip, kSource };

  BoardTable(BoardUse use, std::vector<Limits> boards) : m_use(std::move(use)), m_boards(std::move(boards)) {}
  std::vector<view::Column> columns() const override {
    return {{"board"},          {"verdict", false, false, true},
            {"RAM left", true}, {"flash left", true},
            {"RAM", true},      {"flash", true},
            {"chip"},           {"source"}};
  }
  uint64_t rowCount() const override { return m_boards.size(); }
  std::string cell(uint64_t row, std::size_t column) const override {
    const Limits& board = m_boards[row];
    switch (column) {
    case kBoard: return board.name;
    case kVerdict: return verdictOf(m_use, board).text();
    case kRamLeft: return left(board.ram, m_use.ramBytes());
    case kFlashLeft: return left(board.flash, m_use.flashBytes());
    case kRam: return board.ram ? groupedText(*board.ram) : "–";
    case kFlash: return board.flash ? groupedText(*board.flash) : "–";
    case kChip: return board.chip;
    default: return board.source;
    }
  }
  /// What is left can be negative, and is sorted like that.
  uint64_t number(uint64_t row, std::size_t column) const override {
    const Limits& board = m_boards[row];
    switch (column) {
    case kRamLeft: return order(board.ram, m_use.ramBytes());
    case kFlashLeft: return order(board.flash, m_use.flashBytes());
    case kRam: return board.ram.value_or(0);
    case kFlash: return board.flash.value_or(0);
    default: return 0;
    }
  }
  std::optional<bool> isGood(uint64_t row, std::size_t column) const override {
    if (column != kVerdict) return std::nullopt;
    const State state = verdictOf(m_use, m_boards[row]).state();
    return state == State::Unknown ? std::nullopt : std::optional(state == State::Good);
  }
  /// Whether the objects are made for another processor than that of each board.
  bool isForOthers() const {
    return !m_boards.empty() &&
           std::ranges::all_of(m_boards, [&](const Limits& board) { return verdictOf(m_use, board).otherProcessor; });
  }
  std::size_t fitting() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        m_boards, [&](const Limits& board) { return verdictOf(m_use, board).state() == State::Good; }));
  }

private:
  static std::string left(std::optional<uint64_t> limit, uint64_t used) {
    if (!limit) return "–";
    return used > *limit ? "-" + groupedText(used - *limit) : groupedText(*limit - used);
  }
  static uint64_t order(std::optional<uint64_t> limit, uint64_t used) {
    constexpr uint64_t kZero = uint64_t{1} << 63;
    if (!limit) return 0;
    return used > *limit ? kZero - std::min(used - *limit, kZero) : kZero + std::min(*limit - used, kZero - 1);
  }

  BoardUse m_use;
  std::vector<Limits> m_boards;
};

std::string joinedNames(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

/// Reads "NAME", "RAM, FLASH" or "RAM", each with ", align N" after it.
Result<BoardChoice> readChoice(const std::string& text, const targets::Facts& facts) {
  BoardChoice out;
  std::string_view rest = trimmed(text);
  constexpr std::string_view kAlign = "align ";
  const std::size_t place = rest.rfind(kAlign);
  if (place != std::string_view::npos && (place == 0 || trimmed(rest.substr(0, place)).ends_with(','))) {
    const auto number = parseNumber(trimmed(rest.substr(place + kAlign.size())));
    if (!number || !isAlignment(*number))
      return Error(DiagnosticId::PageSetting,
                   {arg("choice", text),
                    arg("page", view::page_id::kFit),
                    {"known", "as alignment a power of two up to " + std::to_string(kMostAlignment)}});
    out.alignment = number;
    rest = trimmed(rest.substr(0, place));
    if (rest.ends_with(',')) rest = trimmed(rest.substr(0, rest.size() - 1));
  }
  if (rest.empty()) return out;
  if (const targets::Board* const board = facts.findBoard(rest)) {
    out.limits = limitsOf(*board);
    return out;
  }
  const std::size_t comma = rest.find(',');
  const auto ram = parseSize(trimmed(rest.substr(0, comma)));
  const auto flash = comma == std::string_view::npos ? std::nullopt : parseSize(trimmed(rest.substr(comma + 1)));
  if (ram && (flash || comma == std::string_view::npos)) {
    out.limits = Limits{"chosen sizes", {}, {}, ram, flash};
    return out;
  }
  std::vector<std::string> names = facts.boardsLike(rest);
  if (names.empty())
    for (const targets::Board& board : facts.boards()) names.push_back(board.name);
  return Error(DiagnosticId::PageSetting, {arg("choice", text),
                                           arg("page", view::page_id::kFit),
                                           {"known", joinedNames(names) + "; sizes such as 256 KiB, 1 MiB"}});
}

/// What limits the sum of the RAM.
std::string ramNote(const BoardUse& use) {
  std::string out = use.ramKnown ? "" : "The metadata does not state the memory of every model. ";
  if (use.models > 1) out += "The memory of " + groupedText(use.models) + " models is added up. ";
  if (std::ranges::find(use.ram, "workspace", &BoardUse::Part::name) != use.ram.end())
    out += "Workspaces are rounded up to " + countText(use.alignment, "byte") + " (" + use.alignmentSource + ").";
  return std::string(trimmed(out));
}

std::string flashNote(const BoardUse& use) {
  std::string out = use.flashKnown ? "" : "Not every size is known. ";
  if (use.constantsInObjects) out += "The constants are in the objects. ";
  if (use.sources > 0)
    out += "The code of " + countText(use.sources, "C source") +
           " is not counted: its size is not known before it is compiled.";
  return std::string(trimmed(out));
}

view::MemoryFit::Group barsOf(std::string title, const std::vector<BoardUse::Part>& parts, std::string note) {
  view::MemoryFit::Group group{std::move(title), {}, {}, std::move(note)};
  for (const BoardUse::Part& part : parts) group.parts.push_back({part.name, part.source, part.bytes});
  return group;
}

/// The answer: about the chosen limits, or about all boards.
void answer(const BoardUse& use, const std::optional<Limits>& limits, const BoardTable& table, view::MemoryFit& fit) {
  fit.detail = "Not counted: stack, heap, the application and the runtime" +
               std::string(use.sources > 0 ? ", and the code of C sources." : ".");
  const std::string needs =
      "at least " + sizeText(use.ramBytes()) + " of RAM and " + sizeText(use.flashBytes()) + " of flash";
  const bool known = use.ramKnown && use.flashKnown;
  if (!limits) {
    fit.state = table.fitting() > 0 ? State::Good : known || table.isForOthers() ? State::Fails : State::Unknown;
    if (table.isForOthers())
      fit.sentence = "The archive fits none of " + countText(table.rowCount(), "board") +
                     ": its objects are made for " + joinedNames(use.processors) + ". It needs " + needs + ".";
    else
      fit.sentence = known ? "The archive fits " + groupedText(table.fitting()) + " of " +
                                 countText(table.rowCount(), "board") + ": it needs " + needs + "."
                           : "Which boards the archive fits is not known: it needs " + needs +
                                 ", and some sizes are "
                                 "missing.";
  } else {
    const Verdict verdict = verdictOf(use, *limits);
    fit.state = verdict.state();
    const std::string there = limits->chip.empty() ? "the chosen sizes" : limits->name;
    if (fit.state == State::Good)
      fit.sentence = "The archive fits " + there + ": it needs " + needs + ".";
    else if (fit.state == State::Fails)
      fit.sentence = "The archive does not fit " + there + ": " + verdict.text() + ", it needs " + needs + ".";
    else
      fit.sentence = "Whether the archive fits " + there + " is not known: it needs " + needs +
                     (known ? ", and no size of the flash was given." : ", and some sizes are missing.");
  }
  if (use.sources == 0 || fit.state != State::Good) return;
  fit.sentence.replace(0, 1, "t");
  fit.sentence = "Without the code of its C sources, " + fit.sentence;
}

Result<view::TablePage> tableFor(const FitInputPtr& input, const std::string& text);

std::shared_ptr<view::TableExtras> extrasFor(const FitInputPtr& input, const std::string& text,
                                             const BoardChoice& choice) {
  const auto extras = std::make_shared<view::TableExtras>();
  extras->thing = "board";
  extras->choiceTitle = "Board";
  extras->choiceHint = "A board, or RAM and flash such as 256 KiB, 1 MiB; align 8 after a comma sets the alignment";
  extras->setting = "board";
  extras->options.push_back({"", "all boards"});
  for (const targets::Board& board : input->facts->boards())
    extras->options.push_back({escaped(board.name), escaped(board.name)});
  extras->choice =
      choice.limits && !choice.limits->chip.empty() && !choice.alignment ? choice.limits->name : escaped(trimmed(text));
  if (std::ranges::find(extras->options, extras->choice, &view::TableExtras::Option::value) == extras->options.end())
    extras->options.push_back({extras->choice, extras->choice});
  extras->choose = [input](const std::string& other, Monitor&) { return tableFor(input, other); };
  return extras;
}

Result<view::TablePage> tableFor(const FitInputPtr& input, const std::string& text) {
  BLOBSCOPE_TRY(choice, readChoice(text, *input->facts));
  const BoardUse use = input->use(choice.alignment);
  std::vector<Limits> boards;
  for (const targets::Board& board : input->facts->boards()) boards.push_back(limitsOf(board));
  if (choice.limits && choice.limits->chip.empty()) boards.insert(boards.begin(), *choice.limits);
  const auto table = std::make_shared<const BoardTable>(use, std::move(boards));
  const auto extras = extrasFor(input, text, choice);
  if (use.sources > 0) extras->note = "code of C sources is not counted";
  extras->summary = groupedText(table->fitting()) + " of " + countText(table->rowCount(), "board") + " fit";
  extras->summaryNote = "RAM and flash of the boards are all that programs can use; what boot loaders, radio stacks "
                        "and file systems take is not subtracted.";
  const auto fit = std::make_shared<view::MemoryFit>(memoryOf(use));
  const Limits limits = choice.limits.value_or(Limits());
  fit->groups[0].limit = limits.ram;
  fit->groups[1].limit = limits.flash;
  answer(use, choice.limits, *table, *fit);
  extras->fit = fit;
  return view::TablePage{table, false, extras};
}

} // namespace

view::MemoryFit memoryOf(const BoardUse& use) {
  view::MemoryFit out;
  out.groups.push_back(barsOf("RAM", use.ram, ramNote(use)));
  out.groups.push_back(barsOf("Flash", use.flash, flashNote(use)));
  return out;
}

view::Page fitPage(ArchivePtr archive, library::PackagePtr package) {
  const auto make = [archive = std::move(archive), package = std::move(package)](Monitor&) -> Result<view::Page> {
    const auto input = std::make_shared<FitInput>();
    input->use = [archive, package](std::optional<uint64_t> alignment) {
      return boardUse(*archive, *package, alignment);
    };
    BLOBSCOPE_TRY(facts, targets::loadUsableFacts());
    input->facts = std::move(facts);
    BLOBSCOPE_TRY(table, tableFor(input, {}));
    return view::Page{view::page_id::kFit, std::move(table)};
  };
  return {view::page_id::kFit, view::DeferredPage{"table", make}};
}

} // namespace blobscope::mlf
