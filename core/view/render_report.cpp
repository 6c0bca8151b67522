#include "core/base/text.h"
#include "core/view/report_page.h"

#include <algorithm>

namespace blobscope::view {
namespace {

std::string stepsText(const std::vector<ReportPage::Step>& steps) {
  std::string out;
  for (const ReportPage::Step& step : steps) out += (out.empty() ? "" : " → ") + step.text;
  return out;
}

std::string rowText(const ReportPage::Row& row) {
  std::string out = "  " + std::string(ReportPage::markName(row.mark));
  out.resize(std::max<std::size_t>(out.size(), 11), ' ');
  out += row.title;
  for (const std::string& part : {row.place, row.text, row.remark})
    if (!part.empty()) out += "  " + part;
  return out + "\n";
}

void writeReportRow(const ReportPage::Row& row, json::Writer& writer) {
  writer.beginObject();
  writer.member("mark", ReportPage::markName(row.mark));
  writer.member("title", row.title);
  writer.member("place", row.place);
  row.placeRef ? writer.member("ref", row.placeRef->toString()) : writer.nullMember("ref");
  writer.member("text", row.text);
  writer.member("remark", row.remark);
  writer.key("paths").beginArray();
  for (const auto& path : row.paths) {
    writer.beginArray();
    for (const ReportPage::Step& step : path) writer.value(step.text);
    writer.endArray();
  }
  writer.endArray();
  writer.listMember("lines", row.lines);
  writer.key("links").beginArray();
  for (const ReportPage::Link& link : row.links) {
    writer.beginObject();
    writer.member("text", link.text);
    writer.member("ref", link.ref.toString());
    writer.endObject();
  }
  writer.endArray();
  writer.endObject();
}

} // namespace

std::string_view ReportPage::markName(Mark mark) {
  constexpr std::array<std::string_view, 5> kNames = {"good", "none", "note", "warning", "error"};
  return kNames[static_cast<std::size_t>(mark)];
}

void renderReportText(const ReportPage& page, const TextSink& sink) {
  sink(page.sentence + "\n");
  if (!page.detail.empty()) sink(page.detail + "\n");
  for (const ReportPage::Section& section : page.sections) {
    sink("\n" + section.title + (section.note.empty() ? "" : ": " + section.note) + "\n");
    for (const ReportPage::Row& row : section.rows) {
      sink(rowText(row));
      for (const auto& path : row.paths) sink("             " + stepsText(path) + "\n");
      for (const std::string& line : row.lines) sink("             " + line + "\n");
    }
  }
  for (const DetailGroup& group : page.details) {
    sink("\n" + group.title + "\n");
    for (const DetailRow& row : group.rows) sink("  " + row.label + ": " + row.value + "\n");
    if (!group.note.empty()) sink("  " + group.note + "\n");
  }
}

void renderReportJson(const ReportPage& page, json::Writer& writer) {
  writer.member("sentence", page.sentence);
  writer.member("detail", page.detail);
  writer.member("mark", ReportPage::markName(page.mark));
  writer.key("sections").beginArray();
  for (const ReportPage::Section& section : page.sections) {
    writer.beginObject();
    writer.member("title", section.title);
    writer.member("note", section.note);
    writer.key("rows").beginArray();
    for (const ReportPage::Row& row : section.rows) writeReportRow(row, writer);
    writer.endArray();
    writer.endObject();
  }
  writer.endArray();
  writer.key("details").beginArray();
  for (const DetailGroup& group : page.details) {
    writer.beginObject();
    writer.member("title", group.title);
    writer.key("rows").beginArray();
    for (const DetailRow& row : group.rows) {
      writer.beginObject();
      writer.member("label", row.label);
      writer.member("value", row.value);
      writer.endObject();
    }
    writer.endArray();
    writer.member("note", group.note);
    writer.endObject();
  }
  writer.endArray();
}

} // namespace blobscope::view
