#include "app/cli/command.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/describe/node.h"
#include "core/graph/svg.h"
#include "core/view/render.h"

#include <CLI/CLI.hpp>

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
    app.add_option("--svg", m_svg, "Also write the page to this file, as a picture; only graphs")->type_name("FILE");
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
    if (!m_svg.empty()) BLOBSCOPE_CHECK(writePicture(session, ref, *page));
    if (json) return writeDocument(session, ref, pages, *page);
    session.print("pages: " + pageNames(pages) + "\n" + page->name + ":\n");
    BLOBSCOPE_CHECK(view::renderText(*page, [&](std::string_view text) { session.print(text); }, session.monitor()));
    return kFine;
  }

private:
  static std::string pageNames(const view::PageList& pages) {
    std::string out;
    for (const view::Page& page : pages) out += (out.empty() ? "" : ", ") + page.name;
    return out;
  }

  Result<Done> writePicture(Session& session, const Ref& ref, const view::Page& page) const {
    BLOBSCOPE_TRY(made, view::resolvePage(page, session.monitor()));
    const auto* const graph = std::get_if<view::GraphPage>(&made.content);
    if (!graph)
      return Error(DiagnosticId::Usage, {{"what", "--svg needs a page that is a graph; '" + page.name + "' is not."}});
    BLOBSCOPE_TRY(out, OutputFile::create(pathFrom(m_svg), {{pathFrom(file)}}));
    std::string text;
    BLOBSCOPE_CHECK(graph::writeSvg(
        *graph, {}, graph::Colouring::Operator, (ref == Ref::file() ? std::string() : ref.shown() + ": ") + page.name,
        [&text](std::string_view piece) { text += piece; }, session.monitor()));
    BLOBSCOPE_CHECK(out.write(Bytes::copyOf(text), session.monitor()));
    return out.commit();
  }

  Result<Exit> writeDocument(Session& session, const Ref& ref, const view::PageList& pages, const view::Page& shown) {
    const auto writer = beginDocument(session);
    writer->member("ref", ref.toString());
    writer->key("pages").beginArray();
    for (const view::Page& page : pages) {
      writer->beginObject();
      if (&page == &shown) {
        BLOBSCOPE_CHECK(view::renderJson(page, *writer, session.monitor()));
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

  std::string m_ref, m_page, m_svg;
};

} // namespace

std::unique_ptr<Command> makeShow() { return std::make_unique<ShowCommand>(); }

} // namespace blobscope::cli
