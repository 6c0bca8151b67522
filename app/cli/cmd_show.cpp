#include "app/cli/command.h"

#include "core/base/output_file.h"
#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/describe/node.h"
#include "core/describe/page_picture.h"
#include "core/sizes/page.h"
#include "core/view/csv.h"
#include "core/view/page_id.h"
#include "core/view/plan_page.h"
#include "core/view/render.h"
#include "core/view/render_html.h"
#include "core/view/table_extras.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

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
    app.add_option("--svg", m_svg,
                   "Also write the picture of the page to this file, for graphs, plots, plans and calls")
        ->type_name("FILE");
    app.add_option("--gpu", m_gpu, "The GPU whose occupancy the page Kernels shows, such as sm_90")->type_name("GPU");
    app.add_option("--board", m_board,
                   "The board for the page \"Will it fit?\", or RAM and flash such as \"256 KiB, 1 MiB\"")
        ->type_name("BOARD");
    app.add_option("--csv", m_csv,
                   "Also write the page to this file as comma-separated values, if it is a table or a plot")
        ->type_name("FILE");
    app.add_option("--set", m_sizes, "The value of a symbolic size for the page Memory plan; can be repeated")
        ->type_name("NAME=N")
        ->allow_extra_args(false);
    app.add_option("--slice", m_slice,
                   "Only some values of a tensor: an index or \":\" for each axis, such as \":,:,1,0\"")
        ->type_name("SLICE");
    app.add_flag("--exact", m_exact, "Read all values of a tensor that is larger than 64 MiB for its statistics");
    app.add_option("--html", m_html, "Also write the page and its picture to this file, as one HTML page")
        ->type_name("FILE");
  }
  Result<Exit> run(Session& session) override {
    BLOBSCOPE_TRY(ref, parseRef(m_ref));
    BLOBSCOPE_TRY(pages, readPages(ref, session));
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
    if (!m_gpu.empty()) BLOBSCOPE_CHECK(choose(shown, "GPU", m_gpu, session.monitor()));
    if (!m_board.empty()) BLOBSCOPE_CHECK(choose(shown, "Board", m_board, session.monitor()));
    if (!m_sizes.empty()) BLOBSCOPE_CHECK(chooseSizes(shown, session.monitor()));
    BLOBSCOPE_CHECK(chooseSlice(shown));
    if (!m_html.empty() || !m_svg.empty() || !m_csv.empty()) {
      BLOBSCOPE_TRY(made, view::resolvePage(shown, session.monitor()));
      shown = std::move(made);
      if (!m_html.empty() || !m_svg.empty()) BLOBSCOPE_CHECK(summarizeOnce(shown, session.monitor()));
      BLOBSCOPE_CHECK(writeFiles(session, ref, shown));
    }
    if (json) return writeDocument(session, ref, pages, *page, shown);
    session.print("pages: " + pageNames(pages) + "\n" + page->name + ":\n");
    BLOBSCOPE_CHECK(view::renderText(shown, [&](std::string_view text) { session.print(text); }, session.monitor()));
    return kFine;
  }

private:
  /// The pages of a part; of a folder that is no unpacked archive, the page Size of its files if it is asked for.
  Result<view::PageList> readPages(const Ref& ref, Session& session) {
    auto package = openFile(session);
    if (package) return describe::pagesOf(*package, ref, session.monitor());
    std::error_code failure;
    const bool isFolder = equalsIgnoringCase(m_page, view::page_id::kSize) &&
                          package.error().id() == DiagnosticId::FileNotRegular &&
                          std::filesystem::is_directory(pathFrom(file), failure);
    if (!isFolder || ref != Ref::file()) return package.takeError();
    const auto make = [folder = pathFrom(file)](Monitor& monitor) -> Result<view::Page> {
      BLOBSCOPE_TRY(made, sizes::folderSizes(folder, monitor));
      return view::Page{view::page_id::kSize, std::make_shared<const view::TreemapPage>(std::move(made))};
    };
    return view::PageList{{view::page_id::kSize, view::DeferredPage{"treemap", make}}};
  }
  static std::string pageNames(const view::PageList& pages) {
    std::string out;
    for (const view::Page& page : pages) out += (out.empty() ? "" : ", ") + page.name;
    return out;
  }

  /// Makes the page for the value of --gpu or --board. `title`: of the choice that the page must offer.
  static Result<Done> choose(view::Page& page, std::string_view title, const std::string& value, Monitor& monitor) {
    BLOBSCOPE_TRY(made, view::resolvePage(page, monitor));
    const auto* const table = std::get_if<view::TablePage>(&made.content);
    if (!table || !table->extras || !table->extras->choose || table->extras->choiceTitle != title)
      return Error(DiagnosticId::PageSetting, {arg("choice", value), arg("page", page.name), {"known", "nothing"}});
    BLOBSCOPE_TRY(chosen, table->extras->choose(value, monitor));
    page.content = std::move(chosen);
    return Done{};
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

  /// Applies --slice and --exact to the page of a tensor.
  Result<Done> chooseSlice(view::Page& page) const {
    auto* const grid = std::get_if<view::GridPage>(&page.content);
    if (!grid) return m_slice.empty() ? Result<Done>(Done{}) : usage("--slice needs the page of a tensor");
    grid->exact = m_exact;
    if (m_slice.empty()) return Done{};
    grid->slice = view::parseSlice(m_slice, grid->shape);
    if (grid->slice) return Done{};
    return usage("--slice needs one or two ':' and an index for each other axis of the shape " +
                 view::placeText(grid->shape) + ", not '" + escaped(m_slice) + "'");
  }

  /// Reads the statistics of a tensor now, so that its picture and its texts do not read it again.
  static Result<Done> summarizeOnce(view::Page& page, Monitor& monitor) {
    auto* const grid = std::get_if<view::GridPage>(&page.content);
    if (!grid || !grid->summarize) return Done{};
    BLOBSCOPE_TRY(summary, grid->summarize(grid->exact, monitor));
    grid->summarize = [known = std::move(summary)](bool, Monitor&) { return Result<view::GridSummary>(known); };
    return Done{};
  }

  /// Writes the page, which is no DeferredPage, to the files of --html, --svg and --csv.
  Result<Done> writeFiles(Session& session, const Ref& ref, const view::Page& page) const {
    const std::string title =
        page.name + " of " + (m_ref.empty() ? "" : ref.shown() + " in ") + escaped(pathText(pathFrom(file).filename()));
    Monitor& monitor = session.monitor();
    const std::shared_ptr<const view::TableSource> table = view::rowsOf(page);
    if (!m_csv.empty() && !table) return usage("--csv: the page '" + page.name + "' is not a table or a plot");
    std::string picture;
    if (!m_html.empty() || !m_svg.empty()) {
      BLOBSCOPE_TRY(drawn, describe::pagePicture(page, title, monitor));
      picture = std::move(drawn);
    }
    if (!m_svg.empty() && picture.empty()) return usage("--svg: the page '" + page.name + "' has no picture");
    using view::TextSink;
    BLOBSCOPE_CHECK(write(m_html, session,
                          [&](const TextSink& sink) { return view::renderHtml(page, title, picture, sink, monitor); }));
    BLOBSCOPE_CHECK(write(m_svg, session, [&](const TextSink& sink) {
      sink(picture);
      return Result<Done>(Done{});
    }));
    return write(m_csv, session,
                 [&](const TextSink& sink) { return view::writeCsv(*table, std::nullopt, sink, monitor); });
  }

  /// Writes what `render` gives to the file at `path`, if one is wanted.
  Result<Done> write(const std::string& path, Session& session,
                     const std::function<Result<Done>(const view::TextSink&)>& render) const {
    if (path.empty()) return Done{};
    BLOBSCOPE_TRY(out, OutputFile::create(pathFrom(path), {{pathFrom(file)}}));
    std::string text;
    BLOBSCOPE_CHECK(render([&text](std::string_view piece) { text += piece; }));
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

  std::string m_ref, m_page, m_svg, m_gpu, m_board, m_csv, m_html, m_slice;
  bool m_exact = false;
  std::vector<std::string> m_sizes;
};

} // namespace

std::unique_ptr<Command> makeShow() { return std::make_unique<ShowCommand>(); }

} // namespace blobscope::cli
