#pragma once

#include "core/base/json.h"
#include "core/view/details.h"
#include "core/view/render.h"

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace blobscope::view {

/// A report about a file: an answer in one sentence, sections of rows that each say whether something is as expected,
/// and facts for the Details panel.
struct ReportPage {
  enum class Mark : uint8_t { Good, None, Note, Warning, Error };
  /// The word in --json: "good", "warning".
  static std::string_view markName(Mark mark);

  struct Link {
    std::string text;
    Ref ref; ///< the node to show
  };
  /// One step of the way from a row to what it reaches.
  struct Step {
    std::string text;
    std::optional<Ref> ref = {};
  };
  struct Row {
    Mark mark = Mark::Good;
    std::string title;
    std::string place; ///< an address, or a number of items
    std::optional<Ref> placeRef = {};
    std::string text;
    bool isNames = false; ///< `text` is a list of names from the file
    std::string remark = {};
    std::vector<std::vector<Step>> paths = {};
    std::vector<std::string> lines = {}; ///< sentences below the row
    std::vector<Link> links = {};
  };
  struct Section {
    std::string title, note;
    std::vector<Row> rows;
    std::vector<Span> spans = {}; ///< parts of the file for a bar; tile it, or empty
    uint64_t size = 0;            ///< of the file
  };
  /// A form in which the report can be saved.
  struct Export {
    std::string extension; ///< "html"
    std::string title;     ///< "HTML file"
    /// Makes the text; `version`: that of the program. Error: only Cancelled. Any thread may call it.
    std::function<Result<std::string>(std::string_view version, Monitor& monitor)> make;
  };

  std::string sentence, detail; ///< the answer, and a sentence about it
  Mark mark = Mark::None;
  std::vector<Section> sections;
  Details details;
  std::vector<Export> exports;
  /// The page that also says what is not in an earlier report on the disk. Null when reports cannot be compared. Any
  /// thread may call it. Errors: those of ByteSource::openFile, Usage when the file is no such report, Cancelled.
  std::function<Result<std::shared_ptr<const ReportPage>>(const std::filesystem::path& earlier, Monitor& monitor)>
      compare;
};

/// The answer, then each section with its rows, then the details.
void renderReportText(const ReportPage& page, const TextSink& sink);
/// The members "sentence", "detail", "mark", "sections" and "details".
void renderReportJson(const ReportPage& page, json::Writer& writer);

} // namespace blobscope::view
