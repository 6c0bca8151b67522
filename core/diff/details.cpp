#include "core/diff/details.h"

#include "core/base/text.h"
#include "core/diff/code_marks.h"
#include "core/diff/host_text.h"
#include "core/diff/listing.h"
#include "core/diff/tensors.h"
#include "core/library/host_code.h"
#include "core/syntax/disassembler.h"
#include "core/syntax/instruction_mix.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace blobscope::diff {
namespace {

constexpr std::size_t kDetail = 400, kValue = 120;
constexpr std::string_view kArrow = " → ";
/// Limits for bytes of texts that are compared line by line, and for the cost of one such comparison.
constexpr uint64_t kTextBytes = uint64_t{256} << 20, kLineCost = 4'000'000;
/// Limits for the symbols that are sorted to name the addresses in functions (for all functions together), and for the
/// size of a function.
constexpr uint64_t kCodeWork = uint64_t{1} << 25, kCodeBytes = uint64_t{1} << 20;

std::string counted(uint64_t count, std::string_view one, std::string_view several) {
  return groupedText(count) + " " + std::string(count == 1 ? one : several);
}

/// Returns line `number`, counted from 0, without blanks around it.
std::string lineAt(std::string_view text, uint64_t number) {
  for (; number > 0 && !text.empty(); --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return "'" + escapedWithin(text, 80) + "'";
}

/// Returns "3 lines differ", "2 lines removed, 5 added".
std::string changesText(const LineDiff& lines, std::string_view one, std::string_view several) {
  if (lines.removed == lines.added)
    return counted(lines.removed, one, several) + (lines.removed == 1 ? " differs" : " differ");
  if (lines.removed == 0) return counted(lines.added, one, several) + " added";
  return counted(lines.removed, one, several) + " removed" +
         (lines.added == 0 ? "" : ", " + groupedText(lines.added) + " added");
}

void append(std::string& out, std::string_view words) {
  if (!words.empty()) out += (out.empty() ? "" : "; ") + std::string(words);
}

} // namespace

std::string differenceText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

std::string differingFacts(const Item::Facts& a, const Item::Facts& b, std::size_t limit) {
  std::map<std::string_view, std::string_view> inA, inB;
  for (const auto& [label, value] : a) inA.try_emplace(label, value);
  for (const auto& [label, value] : b) inB.try_emplace(label, value);
  std::string out;
  const auto addChange = [&](std::string_view label, std::string_view before, std::string_view after) {
    if (out.size() > limit) return;
    append(out, std::string(label) + (label.empty() ? "" : " ") + shortened(before, kValue) + std::string(kArrow) +
                    shortened(after, kValue));
  };
  // In the order of appearance, each label once.
  for (const auto& [label, value] : a) {
    const auto own = inA.find(label), other = inB.find(label);
    if (own == inA.end()) continue;
    if (other == inB.end() || other->second != own->second)
      addChange(label, own->second, other == inB.end() ? "none" : other->second);
    inA.erase(own);
    if (other != inB.end()) inB.erase(other);
  }
  for (const auto& [label, value] : b)
    if (inB.erase(label) > 0) addChange(label, "none", value);
  return out;
}

Result<LineDiff> Details::linesOf(const Item& a, const Item& b) {
  if (a.listing && b.listing) return compareListings(*a.listing, *b.listing, m_masks, m_monitor, kLineCost);
  LineOptions options;
  options.cost = kLineCost;
  return compareLines(a.content, b.content, options, m_monitor);
}

Result<std::string> Details::textDetail(const Item& a, const Item& b, std::optional<LineDiff> lines) {
  m_textWork += a.content.size() + b.content.size();
  if (m_textWork > kTextBytes)
    return groupedText(a.content.size()) + std::string(kArrow) + groupedText(b.content.size()) + " bytes of text";
  if (!lines) {
    BLOBSCOPE_TRY(compared, linesOf(a, b));
    lines = std::move(compared);
  }
  const bool listings = a.listing && b.listing;
  const Bytes &textA = listings ? a.listing->text : a.content, &textB = listings ? b.listing->text : b.content;
  std::string out = changesText(*lines, "line", "lines");
  const auto first = std::find_if(lines->hunks.begin(), lines->hunks.end(),
                                  [](const Hunk& hunk) { return hunk.kind != HunkKind::Equal; });
  if (first == lines->hunks.end()) return out;
  out += ", from line " + groupedText(first->a.begin + 1) + ": ";
  out += first->a.count > 0 ? lineAt(textA.view(), first->a.begin) : "nothing";
  return out + kArrow.data() + (first->b.count > 0 ? lineAt(textB.view(), first->b.begin) : "nothing");
}

Result<PairDetail> Details::of(const Item& a, const Item& b) {
  PairDetail out;
  out.text = differingFacts(a.facts, b.facts, kDetail);
  if (a.shown != b.shown) {
    append(out.text, escapedWithin(a.shown, kValue) + std::string(kArrow) + escapedWithin(b.shown, kValue));
  } else if (a.naming == Item::Naming::Text && b.naming == Item::Naming::Text) {
    if (a.content == b.content) return out;
    std::optional<LineDiff> lines;
    if (a.listing && b.listing && out.text.empty() && a.content.size() + b.content.size() <= kTextBytes) {
      // Tensors with different values are compared as constants.
      BLOBSCOPE_TRY(compared, linesOf(a, b));
      out.same = compared.same();
      if (out.same) return out;
      lines = std::move(compared);
    }
    BLOBSCOPE_TRY(text, textDetail(a, b, std::move(lines)));
    append(out.text, text);
  } else if (a.content.size() != b.content.size()) {
    append(out.text, groupedText(a.content.size()) + std::string(kArrow) + groupedText(b.content.size()) + " bytes");
  } else {
    BLOBSCOPE_TRY(count, m_same.countDifferences(a.content, b.content, m_monitor));
    if (count.bytes > 0)
      append(out.text, groupedText(count.bytes) + " of " + groupedText(a.content.size()) +
                           (count.bytes == 1 ? " bytes differs" : " bytes differ"));
  }
  return out;
}

Result<PairDetail> Details::ofTensors(const Item& a, const Item& b, const payloads::Tensor& x,
                                      const payloads::Tensor& y, std::optional<double>& largest) {
  PairDetail out;
  out.text = differingFacts(a.facts, b.facts, kDetail);
  if (!out.text.empty()) return out;
  BLOBSCOPE_TRY(diff, compareTensors(x, y, m_monitor));
  if (!diff.compared) {
    BLOBSCOPE_TRY(bytes, of(a, b));
    append(bytes.text, diff.note);
    return bytes;
  }
  append(out.text, groupedText(diff.differing) + " of " + groupedText(diff.count) +
                       (diff.differing == 1 ? " values differs" : " values differ"));
  if (diff.maxAbsolute > 0) {
    out.text +=
        ", max difference " + differenceText(diff.maxAbsolute) + " (relative " + differenceText(diff.maxRelative) + ")";
    largest = std::max(largest.value_or(0), diff.maxAbsolute);
  }
  if (diff.nansA + diff.nansB > 0)
    append(out.text, "NaN " + groupedText(diff.nansA) + std::string(kArrow) + groupedText(diff.nansB));
  if (diff.infinitiesA + diff.infinitiesB > 0)
    append(out.text, "infinite " + groupedText(diff.infinitiesA) + std::string(kArrow) + groupedText(diff.infinitiesB));
  append(out.text, diff.note);
  return out;
}

Result<std::pair<view::TextPage, view::TextPage>> Details::codeTexts(const Item& a, const Item& b) {
  std::pair<view::TextPage, view::TextPage> out;
  m_textWork += a.content.size() + b.content.size();
  if (m_textWork > kTextBytes || a.content == b.content) return out;
  if (a.language == "ptx" && b.language == "ptx") {
    out = {{a.content, "ptx"}, {b.content, "ptx"}};
  } else if (!a.cubin.empty() && !b.cubin.empty()) {
    BLOBSCOPE_TRY(left, m_listings.sassOf(a.cubin, a.name, m_monitor));
    BLOBSCOPE_TRY(right, m_listings.sassOf(b.cubin, b.name, m_monitor));
    if (left && right) out = {{*left, "sass"}, {*right, "sass"}};
  }
  if (!isDeviceCode(out.first) || !isDeviceCode(out.second)) return std::pair<view::TextPage, view::TextPage>();
  if (m_rawNumbers) return out;
  BLOBSCOPE_TRY(markedA, markCode(std::move(out.first), m_monitor));
  BLOBSCOPE_TRY(markedB, markCode(std::move(out.second), m_monitor));
  return std::pair(std::move(markedA), std::move(markedB));
}

Result<PairDetail> Details::ofCode(const Item& a, const Item& b) {
  // --- 1. The resources. ---
  auto code = std::make_shared<CodeChange>();
  for (const auto& [label, value] : a.numbers) code->numbers.push_back({label, value, std::nullopt});
  for (const auto& [label, value] : b.numbers) {
    const auto own = std::find_if(code->numbers.begin(), code->numbers.end(),
                                  [&, &name = label](const NumberPair& one) { return one.label == name; });
    if (own != code->numbers.end())
      own->b = value;
    else
      code->numbers.push_back({label, std::nullopt, value});
  }
  const std::shared_ptr<const CodeChange> shared = code;

  // --- 2. The instructions. ---
  BLOBSCOPE_TRY(texts, codeTexts(a, b));
  const auto& [textA, textB] = texts;
  if (textA.text.empty() || textB.text.empty()) {
    BLOBSCOPE_TRY(out, of(a, b));
    if (!code->numbers.empty()) out.code = shared;
    return out;
  }
  LineOptions options;
  options.cost = kLineCost;
  BLOBSCOPE_TRY(lines, m_rawNumbers ? compareLines(textA.text, textB.text, options, m_monitor)
                                    : compareListings(textA, textB, m_masks, m_monitor, kLineCost));
  BLOBSCOPE_TRY(mixA, syntax::computeInstructionMix(textA.text.view(), textA.language, m_monitor));
  BLOBSCOPE_TRY(mixB, syntax::computeInstructionMix(textB.text.view(), textB.language, m_monitor));
  const bool ptx = textA.language == "ptx";
  code->listing = ptx ? "PTX" : "SASS";
  code->removed = lines.removed;
  code->added = lines.added;
  code->numbers.push_back({"instructions", mixA.total(), mixB.total()});
  for (std::size_t i = 0; i < syntax::kInstructionClasses; ++i)
    if (mixA.counts[i] + mixB.counts[i] > 0)
      code->instructions.push_back({std::string(syntax::instructionClassName(static_cast<syntax::InstructionClass>(i))),
                                    mixA.counts[i], mixB.counts[i]});

  // --- 3. The words. ---
  PairDetail out;
  out.code = shared;
  out.text = differingFacts(a.facts, b.facts, kDetail);
  if (lines.same()) {
    out.same = ptx && out.text.empty();
    append(out.text, ptx ? "same instructions with other numbers of registers and labels"
                         : "same instructions in other registers or with other scheduling");
  } else if (ptx) {
    BLOBSCOPE_TRY(text, textDetail(a, b, std::move(lines)));
    append(out.text, text);
  } else {
    if (a.content.size() != b.content.size())
      append(out.text, groupedText(a.content.size()) + std::string(kArrow) + groupedText(b.content.size()) + " bytes");
    append(out.text, changesText(lines, "instruction", "instructions"));
  }
  return out;
}

Result<PairDetail> Details::ofHostCode(const Item& a, const Item& b, const library::PackagePtr& packageA,
                                       uint32_t symbolA, const library::PackagePtr& packageB, uint32_t symbolB,
                                       bool ignoreAddresses) {
  BLOBSCOPE_TRY(out, of(a, b));
  m_codeWork += packageA->image.symbols.size() + packageB->image.symbols.size() + packageA->image.sections.size() +
                packageB->image.sections.size();
  if (!syntax::hasDisassemblerFactory() || m_codeWork > kCodeWork ||
      std::max(a.content.size(), b.content.size()) > kCodeBytes || a.content.empty() || b.content.empty())
    return out;
  const auto listing = [&](const library::PackagePtr& package, uint32_t symbol) -> Result<Bytes> {
    BLOBSCOPE_TRY(page,
                  view::resolvePage(
                      library::hostCodePage(std::shared_ptr<const container::Image>(package, &package->image), symbol),
                      m_monitor));
    const auto* const text = std::get_if<view::TextPage>(&page.content);
    return text && isHostText(text->text.view()) ? text->text : Bytes();
  };
  BLOBSCOPE_TRY(left, listing(packageA, symbolA));
  BLOBSCOPE_TRY(right, listing(packageB, symbolB));
  if (left.empty() || right.empty()) return out;
  BLOBSCOPE_TRY(lines, compareHostText(left, right, m_monitor, kLineCost));
  if (lines.same()) {
    append(out.text, "same instructions at different addresses");
    out.same = ignoreAddresses;
  } else {
    append(out.text, changesText(lines, "instruction", "instructions"));
  }
  return out;
}

} // namespace blobscope::diff
