#include "core/base/text.h"
#include "core/check/baseline.h"
#include "core/describe/safety.h"
#include "core/describe/safety_json.h"
#include "core/library/section_use.h"
#include "core/safety/safety.h"
#include "core/view/page_id.h"
#include "core/view/report_page.h"

#include <algorithm>
#include <array>

namespace blobscope::describe {
namespace {

using view::ReportPage;
using Mark = ReportPage::Mark;

constexpr std::size_t kShownPaths = 12, kShownRows = 200, kShownNames = 12, kBarSections = 1'000;

std::string shortList(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < kShownNames; ++i)
    out += (i == 0 ? "" : ", ") + escapedWithin(names[i], 80);
  if (names.size() > kShownNames) out += ", …";
  return out;
}

Mark markOf(Severity severity) {
  return severity == Severity::Error ? Mark::Error : severity == Severity::Warning ? Mark::Warning : Mark::Note;
}

/// A row that only says something.
ReportPage::Row sentenceRow(Mark mark, std::string sentence) {
  ReportPage::Row row;
  row.mark = mark;
  row.title = std::move(sentence);
  return row;
}

ReportPage::Row damagedRow() { return sentenceRow(Mark::Warning, "Not known, because the file is damaged."); }

/// Makes the page from the report.
class SafetyPageMaker {
public:
  /// `accepted`: for each finding whether an accepted report has it; null without one.
  SafetyPageMaker(const library::PackagePtr& package, const safety::Report& report,
                  const std::vector<bool>* accepted = nullptr)
      : m_package(package), m_report(report), m_accepted(accepted) {}

  ReportPage make() {
    m_page.sentence = m_report.sentence();
    m_page.detail = "Read, not executed. This page says what is in the file. It does not say that its maker can be "
                    "trusted.";
    m_page.mark = m_report.findings.count(Severity::Error) > 0     ? Mark::Error
                  : m_report.findings.count(Severity::Warning) > 0 ? Mark::Warning
                                                                   : Mark::None;
    if (m_accepted) addComparison();
    addPieces();
    addGroups();
    addOwners();
    addFindings();
    addDetails();
    return std::move(m_page);
  }

private:
  // --- what runs
  void addPieces() {
    ReportPage::Section section{"Runs when loaded", {}, {}, {}, 0};
    uint64_t depth = 0, calls = 0;
    std::array<bool, 9> seen{};
    for (const safety::Piece& piece : m_report.pieces) {
      depth = std::max(depth, piece.depth);
      calls += piece.calls;
      seen[static_cast<std::size_t>(piece.trigger)] = true;
      if (section.rows.size() < kShownRows) section.rows.push_back(rowOf(piece));
    }
    if (!m_report.pieces.empty())
      section.note = "followed " + countText(depth, "level") + " deep, " + countText(calls, "call");
    const auto has = [&](safety::Trigger trigger) { return seen[static_cast<std::size_t>(trigger)]; };
    std::vector<std::string> absent;
    if (!has(safety::Trigger::Preinit)) absent.emplace_back("pre-initialisers");
    if (!has(safety::Trigger::Ifunc)) absent.emplace_back("IFUNC resolvers");
    if (!has(safety::Trigger::TlsCallback)) absent.emplace_back("TLS callbacks");
    if (!m_report.protection.textRelocations) absent.emplace_back("text relocations");
    std::string words;
    for (std::size_t i = 0; i < absent.size(); ++i)
      words += (i == 0 ? "No " : i + 1 == absent.size() ? " or " : ", ") + absent[i];
    if (!m_report.damage.empty())
      section.rows.push_back(damagedRow());
    else if (!words.empty())
      section.rows.push_back(sentenceRow(Mark::Good, words + "."));
    m_page.sections.push_back(std::move(section));
  }

  ReportPage::Row rowOf(const safety::Piece& piece) const {
    ReportPage::Row row;
    const bool unloads = piece.trigger == safety::Trigger::Destructor;
    row.mark = piece.verdict == safety::Verdict::Known       ? Mark::Good
               : piece.verdict == safety::Verdict::Contained ? Mark::Note
               : piece.verdict == safety::Verdict::Unknown   ? Mark::Warning
                                                             : Mark::Error;
    row.title = escapedWithin(piece.slot, 80);
    if (!piece.symbol.empty())
      row.title += "  " + escapedWithin(piece.symbol, 120);
    else if (piece.verdict != safety::Verdict::Known)
      row.title += piece.size ? "  no name, " + countText(*piece.size, "byte") : "  no name";
    if (piece.address != 0) row.place = hexText(piece.address);
    row.placeRef = piece.ref;
    row.text = piece.verdict == safety::Verdict::Known ? piece.known : pieceText(piece);
    if (unloads) row.remark = "when unloaded";
    if (piece.verdict == safety::Verdict::Known || piece.verdict == safety::Verdict::Contained) return row;
    row.text = "not known";
    for (const safety::Reached& one : piece.reaches)
      if (!one.byKnown && row.paths.size() < kShownPaths && safety::actsOn(one.group)) addPath(one, row);
    for (const uint64_t at : piece.systemCalls)
      row.lines.push_back("It calls the kernel directly at " + hexText(at) + ".");
    for (const std::string& why : piece.incomplete)
      row.lines.push_back("Not all of it could be followed: " + why + ".");
    if (!piece.indirect.empty())
      row.lines.push_back("The target of " + countText(piece.indirect.size(), "call") + " is not known, the first at " +
                          hexText(piece.indirect.front()) + ".");
    if (!piece.symbol.empty() && piece.address != 0)
      row.links.push_back({"Disassembly", m_package->ref(Ref::named(Ref::Kind::Symbol, piece.symbol))});
    row.links.push_back({"Bytes at " + hexText(piece.address), piece.ref});
    return row;
  }
  /// The bytes at an address in memory; nothing when the file has none there.
  std::optional<Ref> bytesAt(uint64_t address) const {
    const auto bytes = m_package->image.findBytesAt(address);
    if (!bytes || bytes->empty()) return std::nullopt;
    return m_package->ref(Ref::bytesAt(static_cast<uint64_t>(bytes->data() - m_package->image.file.data())));
  }
  void addPath(const safety::Reached& one, ReportPage::Row& row) const {
    std::vector<ReportPage::Step> path;
    for (const uint64_t address : one.path) path.push_back({hexText(address), bytesAt(address)});
    path.push_back({escapedWithin(one.name, 120)});
    row.paths.push_back(std::move(path));
    if (one.computed)
      row.lines.push_back("The name that it passes to " + escapedWithin(one.name, 120) + " at " + hexText(one.at) +
                          " is computed.");
    else if (!one.text.empty())
      row.lines.push_back("Text it passes to " + escapedWithin(one.name, 120) +
                          (one.textAt ? ", found at " + hexText(*one.textAt) : "") + ": \"" +
                          escapedWithin(one.text, 160) + "\"");
  }

  // --- what it could do
  void addGroups() {
    uint64_t unexpected = 0;
    ReportPage::Section section{"Could do", {}, {}, {}, 0};
    for (std::size_t group = 0; group < safety::kGroups; ++group) {
      std::vector<std::string> names, others;
      for (const safety::Import& one : m_report.imports) {
        if (static_cast<std::size_t>(one.group) != group) continue;
        (one.expected ? names : others).push_back(one.name);
      }
      unexpected += others.size();
      const uint64_t count = names.size() + others.size();
      ReportPage::Row row;
      const auto which = static_cast<safety::Group>(group);
      row.title = safety::groupTitle(which);
      row.place = count > 0 ? groupedText(count) : m_report.damage.empty() ? "–" : "?";
      row.isNames = true;
      row.mark = count == 0 ? Mark::None : others.empty() ? Mark::Good : markOfGroup(which);
      if (!others.empty()) row.remark = "not expected in a TVM export";
      if (others.empty() && count > 0) row.remark = "expected";
      others.insert(others.end(), names.begin(), names.end());
      row.text = shortList(others);
      section.rows.push_back(std::move(row));
    }
    section.note = countText(m_report.imports.size(), "imported function") +
                   (unexpected > 0 ? ", " + groupedText(unexpected) + " not expected" : "");
    addCalls(section);
    m_page.sections.push_back(std::move(section));
  }
  static Mark markOfGroup(safety::Group group) {
    switch (group) {
    case safety::Group::Process:
    case safety::Group::Network:
    case safety::Group::DynamicCode: return Mark::Error;
    case safety::Group::File:
    case safety::Group::Memory: return Mark::Warning;
    default: return Mark::Note;
    }
  }
  /// Functions of the runtime that the model calls by name and that act outside the process.
  void addCalls(ReportPage::Section& section) const {
    for (const safety::PackedCall& call : m_report.packedCalls) {
      if (call.act.empty() || section.rows.size() >= kShownRows) continue;
      ReportPage::Row row;
      row.mark = Mark::Warning;
      row.title = "Called by name";
      row.text = escapedWithin(call.name, 120);
      row.isNames = true;
      row.remark = call.act;
      row.links.push_back({"Show the caller", call.ref});
      section.rows.push_back(std::move(row));
    }
  }

  // --- who owns the bytes
  void addOwners() {
    ReportPage::Section section{"Owned by nothing", {}, {}, {}, 0};
    const uint64_t size = m_package->bytes.size();
    const double share = size == 0 ? 0 : 100.0 * static_cast<double>(m_report.unownedBytes) / static_cast<double>(size);
    const auto tenths = static_cast<uint64_t>(share * 10 + 0.5);
    if (m_report.damage.empty())
      section.note = std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " % of the file";
    section.size = size;
    section.spans = spans();
    for (const safety::UnownedRange& range : m_report.unowned) {
      if (section.rows.size() >= kShownRows) break;
      ReportPage::Row row;
      row.mark = range.zeros ? Mark::Note : Mark::Warning;
      row.title = countText(range.extent.size, "byte");
      row.place = hexText(range.extent.offset);
      row.placeRef = range.ref;
      row.text = range.where + (range.zeros ? ", zeros"
                                            : ", entropy " + safety::entropyText(range.entropy) +
                                                  (range.entropy > 7.5 ? ": compressed or encrypted" : ""));
      if (!range.looksLike.empty()) row.remark = "looks like " + range.looksLike;
      section.rows.push_back(std::move(row));
    }
    if (!m_report.damage.empty())
      section.rows.push_back(damagedRow());
    else if (m_report.unowned.empty())
      section.rows.push_back(sentenceRow(Mark::Good, "Every byte has an owner."));
    m_page.sections.push_back(std::move(section));
  }

  struct Layer {
    Extent extent;
    view::Span look;
  };
  /// The parts of the file by purpose, in its order; later layers cover earlier ones.
  std::vector<view::Span> spans() const {
    using Owner = view::Span::Owner;
    const container::Image& image = m_package->image;
    if (image.sections.size() > kBarSections || m_package->bytes.empty() || image.sections.empty()) return {};
    constexpr std::array<Owner, 5> kOwners = {Owner::HostCode, Owner::Data, Owner::Data, Owner::Tables, Owner::Data};
    std::vector<Layer> layers = {{{0, m_package->bytes.size()}, {"Tables", {}, false, Owner::Tables}}};
    for (const container::Section& section : image.sections) {
      const Owner owner = kOwners[static_cast<std::size_t>(library::useOf(section))];
      const char* const name = owner == Owner::HostCode ? "Host code" : owner == Owner::Data ? "Data" : "Tables";
      layers.push_back({section.file, {name, {}, false, owner}});
    }
    const uint64_t base = m_package->bytes.offset().value_or(0);
    for (const auto& blob : m_package->blobs)
      if (blob->bytes.offset())
        layers.push_back({{*blob->bytes.offset() - base, blob->bytes.size()}, {"Blob", {}, false, Owner::Blob}});
    for (const safety::UnownedRange& range : m_report.unowned)
      if (layers.size() < 2 * kBarSections) layers.push_back({range.extent, {"Nothing", {}, true, Owner::Tables}});
    return tiled(layers);
  }
  static std::vector<view::Span> tiled(const std::vector<Layer>& layers) {
    const uint64_t size = layers.front().extent.size;
    std::vector<uint64_t> cuts;
    for (const Layer& layer : layers) {
      cuts.push_back(std::min(layer.extent.offset, size));
      cuts.push_back(layer.extent.size > size - std::min(layer.extent.offset, size) ? size : layer.extent.end());
    }
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::vector<view::Span> out;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      const auto top = std::find_if(layers.rbegin(), layers.rend(),
                                    [&](const Layer& layer) { return layer.extent.contains(cuts[i]); });
      if (!out.empty() && out.back().name == top->look.name) {
        out.back().extent.size = cuts[i + 1] - out.back().extent.offset;
        continue;
      }
      out.push_back(top->look);
      out.back().extent = {cuts[i], cuts[i + 1] - cuts[i]};
    }
    return out;
  }

  // --- what an accepted report does not have
  void addComparison() {
    ReportPage::Section section{"Not in the accepted report", {}, {}, {}, 0};
    const std::vector<check::Issue>& issues = m_report.findings.issues;
    const auto news = static_cast<uint64_t>(std::ranges::count(*m_accepted, false));
    for (std::size_t i = 0; i < issues.size() && section.rows.size() < kShownRows; ++i)
      if (!(*m_accepted)[i]) section.rows.push_back(rowOf(issues[i]));
    if (news == 0) section.rows.push_back(sentenceRow(Mark::Good, "The accepted report has all findings."));
    section.note = groupedText(news) + " of " + countText(issues.size(), "finding");
    m_page.sections.push_back(std::move(section));
  }

  // --- all findings
  static ReportPage::Row rowOf(const check::Issue& issue) {
    ReportPage::Row row;
    row.mark = markOf(issue.severity);
    row.title = issue.rule;
    if (issue.ref && issue.ref->at) row.place = hexText(*issue.ref->at);
    if (!row.place.empty()) row.placeRef = issue.ref;
    row.text = issue.message;
    return row;
  }
  void addFindings() {
    if (m_report.findings.issues.empty()) return;
    ReportPage::Section section{"Findings", {}, {}, {}, 0};
    const std::vector<check::Issue>& issues = m_report.findings.issues;
    for (std::size_t i = 0; i < issues.size() && i < kShownRows; ++i) {
      section.rows.push_back(rowOf(issues[i]));
      if (m_accepted) section.rows.back().remark = (*m_accepted)[i] ? "accepted" : "new";
    }
    section.note = countText(m_report.findings.count(Severity::Error), "error") + ", " +
                   countText(m_report.findings.count(Severity::Warning), "warning") + ", " +
                   countText(m_report.findings.count(Severity::Note), "note");
    m_page.sections.push_back(std::move(section));
  }

  // --- identity and protection, for the Details panel
  void addDetails() {
    const safety::Identity& identity = m_report.identity;
    view::DetailGroup& digests = group("Identity");
    add(digests, "SHA-256", identity.file, true);
    add(digests, "Code only", identity.code, true);
    add(digests, "Content", identity.content, true);
    if (!identity.content.empty())
      digests.note = "Content stays the same when only order, padding, build paths or times change.";
    addSignatures();
    view::DetailGroup& producer = group("Producer");
    for (const std::string& one : identity.compilers) add(producer, "Compiler", escapedWithin(one, 200), false);
    add(producer, "Build id", identity.buildId, true);
    for (const std::string& one : m_report.libraries) add(producer, "Needs", escapedWithin(one, 200), false);
    if (producer.rows.empty()) add(producer, "Compiler", "not stated", false);
    view::DetailGroup& left = group("Left inside");
    const auto count = [&](safety::FoundText::Kind kind) {
      return static_cast<uint64_t>(std::ranges::count(m_report.texts, kind, &safety::FoundText::kind));
    };
    add(left, "Build paths", groupedText(count(safety::FoundText::Kind::Path)), false);
    add(left, "User names", identity.users.empty() ? "none" : shortList(identity.users), false);
    if (!identity.users.empty()) left.rows.back().severity = Severity::Note;
    add(left, "Addresses", groupedText(count(safety::FoundText::Kind::Url)), false);
    for (const std::string& one : identity.times) add(left, "Times", escapedWithin(one, 80), false);
    addProtection();
  }
  void addSignatures() {
    view::DetailGroup& out = group("Signature");
    if (m_report.signatures.empty()) add(out, "In the file", "none", false);
    for (const safety::Signature& one : m_report.signatures) {
      add(out, one.path.empty() ? "In the file" : "Beside it", one.kind, false);
      if (!one.problem.empty()) {
        add(out, "Problem", one.problem, false);
        out.rows.back().severity = Severity::Warning;
        continue;
      }
      add(out, "Covers", one.covers, false);
      if (one.matches) {
        add(out, "Digest", *one.matches ? "that of the file" : "not that of the file", false);
        if (!*one.matches) out.rows.back().severity = Severity::Error;
      }
      add(out, "Checked", "not: no public key", false);
      add(out, "Key", one.key, true);
      add(out, "States", escapedWithin(one.signer, 200), false);
    }
  }
  void addProtection() {
    const safety::Protection& protection = m_report.protection;
    view::DetailGroup& out = group("Protection");
    const auto yes = [&](const char* label, bool value, Severity severity) {
      add(out, label, value ? "yes" : "no", false);
      if (value) out.rows.back().severity = severity;
    };
    yes("Writable code", protection.writableCode(), Severity::Error);
    yes("Executable stack", protection.executableStack, Severity::Warning);
    add(out, "RELRO", protection.relro, false);
    if (protection.relro == "none") out.rows.back().severity = Severity::Note;
    for (const std::string& one : m_report.searchPaths) {
      add(out, "Search path", escapedWithin(one, 200), false);
      out.rows.back().severity = Severity::Warning;
    }
  }
  view::DetailGroup& group(std::string title) {
    m_page.details.push_back({std::move(title), {}, {}, {}, {}});
    return m_page.details.back();
  }
  static void add(view::DetailGroup& group, std::string label, std::string value, bool code) {
    if (value.empty()) return;
    view::DetailRow row;
    row.label = std::move(label);
    row.value = std::move(value);
    row.code = code;
    group.rows.push_back(std::move(row));
  }

  const library::PackagePtr& m_package;
  const safety::Report& m_report;
  const std::vector<bool>* m_accepted;
  ReportPage m_page;
};

using ReportPtr = std::shared_ptr<const safety::Report>;

/// The page with everything that can be done with it. `accepted`: as in SafetyPageMaker.
std::shared_ptr<const ReportPage> makePage(const library::PackagePtr& package, const ReportPtr& report,
                                           const std::vector<bool>* accepted) {
  auto page = std::make_shared<ReportPage>(SafetyPageMaker(package, *report, accepted).make());
  page->exports = {
      {"html", "HTML file",
       [package, report](std::string_view, Monitor&) { return Result<std::string>(safetyHtml(*package, *report)); }},
      {"json", "JSON file", [report](std::string_view, Monitor&) { return Result<std::string>(safetyJson(*report)); }},
      {"cdx.json", "CycloneDX file", [package, report](std::string_view version, Monitor& work) {
         return cycloneDx(package, *report, version, work);
       }}};
  page->compare = [package, report](const std::filesystem::path& earlier,
                                    Monitor&) -> Result<std::shared_ptr<const ReportPage>> {
    BLOBSCOPE_TRY(baseline, check::Baseline::read(earlier, "safety"));
    const std::vector<bool> known = baseline.known(report->findings.issues);
    return makePage(package, report, &known);
  };
  return page;
}

} // namespace

bool hasSafety(const library::Package& package) { return !package.blobs.empty() || safety::hasCode(package.image); }

view::Page safetyPage(const library::PackagePtr& package) {
  const auto make = [package](Monitor& monitor) -> Result<view::Page> {
    BLOBSCOPE_TRY(read, safety::assess(package, monitor));
    const auto report = std::make_shared<const safety::Report>(std::move(read));
    return view::Page{std::string(view::page_id::kSafety), makePage(package, report, nullptr)};
  };
  return {std::string(view::page_id::kSafety), view::DeferredPage{"report", make}};
}

} // namespace blobscope::describe
