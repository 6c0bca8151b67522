#include "app/cli/command.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/describe/node.h"
#include "core/view/page_id.h"
#include "core/view/plan_page.h"
#include "core/view/render.h"
#include "core/view/render_html.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace blobscope::cli {
namespace {

class ShowCommand final : public Command {
public:
  std::string_view name() const override { return "show"; }
  std::string_view summary() const override { return "List the pages of a part and print one of them"; }
  std::string_view example() const override { return "model.so m2 --page Functions"; }
  bool takesRef() const override { return true; }
  void declare(CLI::App& app) override {
    declareFile(app);
    app.add_option("REF", m_ref, "The part, by default the file")->type_name("");
    app.add_option("--page", m_page, "The page to print, by default the first")->type_name("PAGE");
    app.add_option("--set", m_sizes, "The value of a symbolic size for the page Memory plan; can be repeated")
        ->type_name("NAME=N")
        ->allow_extra_args(false);
    app.add_option("--html", m_html, "Also write the page to this file, as one HTML page")->type_name("FILE");
  }
  Result<Exit> run(Session& session) override {
    BLOBSCOPE_TRY(ref, parseRef(m_ref));
    BLOBSCOPE_TRY(package, openFile(session));
    BLOBSCOPE_TRY(pages, describe::pagesOf(package, ref, session.monitor()));
    const view::Page* page = &pages.front();
    if (!m_page.empty()) {
      page = nullptr;
      for (const view::Page& candidate : pages)
        if (!page && equalsIgnoringCase(candidate.name, m_page)) page = &candidate;
      if (!page)
        return Error(DiagnosticId::PageNotFound,
                     {arg("ref", ref.toString()), arg("page", m_page), {"pages", pageNames(pages)}}, ref);
    }
    view::Page shown = *page;
    if (!m_sizes.empty()) BLOBSCOPE_CHECK(chooseSizes(shown, session.monitor()));
    if (!m_html.empty()) BLOBSCOPE_CHECK(writeHtml(session, shown));
    if (json) return writeDocument(session, ref, pages, *page, shown);
    session.print("pages: " + pageNames(pages) + "\n" + page->name + ":\n");
    BLOBSCOPE_CHECK(view::renderText(shown, [&](std::string_view text) { session.print(text); }, session.monitor()));
    return kFine;
  }

private:
  static std::string pageNames(const view::PageList& pages) {
    std::string out;
    for (const view::Page& page : pages) out += (out.empty() ? "" : ", ") + page.name;
    return out;
  }

  /// Makes the plan of the page for the sizes of --set.
  Result<Done> chooseSizes(view::Page& page, Monitor& monitor) const {
    BLOBSCOPE_TRY(sizes, parseSizes(m_sizes));
    BLOBSCOPE_TRY(made, view::resolvePage(page, monitor));
    const auto* const plan = std::get_if<view::PlanPagePtr>(&made.content);
    if (!plan) return usage("--set needs --page \"" + std::string(view::page_id::kMemoryPlan) + "\"");
    std::string names;
    for (const view::PlanPage::Symbol& symbol : (*plan)->symbols) names += (names.empty() ? "" : ", ") + symbol.name;
    for (const auto& [name, value] : sizes)
      if (std::ranges::find((*plan)->symbols, name, &view::PlanPage::Symbol::name) == (*plan)->symbols.end())
        return usage("--set: the plan has no size '" + escaped(name) + "'; it has " + (names.empty() ? "none" : names));
    BLOBSCOPE_TRY(chosen, (*plan)->choose({(*plan)->function, std::move(sizes)}, monitor));
    page.content = std::move(chosen);
    return Done{};
  }

  Result<Done> writeHtml(Session& session, const view::Page& page) const {
    BLOBSCOPE_TRY(out, OutputFile::create(pathFrom(m_html), {{pathFrom(file)}}));
    std::string text;
    const std::string title = page.name + " of " + (m_ref.empty() ? "" : escaped(m_ref) + " in ") +
                              escaped(pathText(pathFrom(file).filename()));
    BLOBSCOPE_CHECK(view::renderHtml(page, title, [&](std::string_view piece) { text += piece; }, session.monitor()));
    BLOBSCOPE_CHECK(out.write(Bytes::copyOf(text), session.monitor()));
    return out.commit();
  }

  Result<Exit> writeDocument(Session& session, const Ref& ref, const view::PageList& pages, const view::Page& listed,
                             const view::Page& shown) {
    const auto writer = beginDocument(session);
    writer->member("ref", ref.toString());
    writer->key("pages").beginArray();
    for (const view::Page& page : pages) {
      writer->beginObject();
      if (&page == &listed) {
        BLOBSCOPE_CHECK(view::renderJson(shown, *writer, session.monitor()));
      } else {
        writer->member("name", page.name);
        writer->member("kind", view::pageKind(page));
      }
      writer->endObject();
    }
    writer->endArray();
    writer->endObject();
    writer->finish();
    return kFine;
  }

  std::string m_ref, m_page, m_html;
  std::vector<std::string> m_sizes;
};

} // namespace

std::unique_ptr<Command> makeShow() { return std::make_unique<ShowCommand>(); }

} // namespace blobscope::cli
