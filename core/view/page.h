#pragma once

#include "core/base/bytes.h"
#include "core/base/extent.h"
#include "core/base/field_tree.h"
#include "core/base/monitor.h"
#include "core/base/ref.h"
#include "core/base/result.h"
#include "core/view/grid.h"
#include "core/view/listing.h"
#include "core/view/page_pointers.h"
#include "core/view/pictures.h"
#include "core/view/plot.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// What can be shown of a node, without its appearance. Sources are immutable and return rows on demand, so a page of a
/// million rows costs nothing until rows are requested.
namespace blobscope::view {

struct Column {
  std::string title;
  bool number = false;                     ///< right-aligned, sorted by value
  bool bar = false;                        ///< the most important number: a window draws a bar for it
  bool words = false;                      ///< a few words, separated by ", ", of which many rows have the same
  std::optional<unsigned> lowPercent = {}; ///< a percentage; a window marks those below this one
};

/// Rows of a table. Any thread may call it.
class TableSource {
public:
  virtual ~TableSource() = default;
  virtual std::vector<Column> columns() const = 0;
  virtual uint64_t rowCount() const = 0;
  /// One line; the caller escapes bytes that are not printable.
  virtual std::string cell(uint64_t row, std::size_t column) const = 0;
  /// The value by which a column of numbers is sorted and added up; 0 for a cell without a number.
  virtual uint64_t number(uint64_t row, std::size_t column) const;
  /// Whether the words of a cell are good or bad news; nothing for other words.
  virtual std::optional<bool> isGood(uint64_t row, std::size_t column) const;
  /// The node that a row refers to, if any. `node` is the node to which the table's page belongs.
  virtual std::optional<Ref> target(uint64_t row, const Ref& node) const {
    (void)row, (void)node;
    return std::nullopt;
  }
};

/// A few facts or fixed rows, created at once.
class FixedTable final : public TableSource {
public:
  /// `targets`: one per row, or empty.
  FixedTable(std::vector<Column> columns, std::vector<std::vector<std::string>> rows, std::vector<Ref> targets = {})
      : m_columns(std::move(columns)), m_rows(std::move(rows)), m_targets(std::move(targets)) {}
  std::vector<Column> columns() const override { return m_columns; }
  uint64_t rowCount() const override { return m_rows.size(); }
  std::string cell(uint64_t row, std::size_t column) const override { return m_rows[row][column]; }
  std::optional<Ref> target(uint64_t row, const Ref&) const override {
    return m_targets.empty() ? std::nullopt : std::optional(m_targets[row]);
  }

private:
  std::vector<Column> m_columns;
  std::vector<std::vector<std::string>> m_rows;
  std::vector<Ref> m_targets;
};

struct FieldsPage {
  std::shared_ptr<const FieldTree> tree;
};
struct TableExtras;
struct TablePage {
  std::shared_ptr<const TableSource> source;
  bool facts = false;                                  ///< two columns, label and value: a description, not a list
  std::shared_ptr<const TableExtras> extras = nullptr; ///< groups, pictures and a choice; null for most tables
};
struct TextPage {
  Bytes text;                                          ///< bytes as stored; usually UTF-8
  std::string language;                                ///< "ptx", "cuda", "opencl", "json", empty for plain text
  std::shared_ptr<const ListingMarks> marks = nullptr; ///< of a listing with marked numbers; else null
  bool isDraft = false; ///< not in the file; the user changes it and compiles it for the node
};
/// A part of some bytes, for the coverage bar.
struct Span {
  /// The purpose of a file's bytes.
  enum class Owner : uint8_t { Field, Module, Blob, HostCode, Data, Tables };
  std::string name;
  Extent extent;        ///< from the first byte of the page
  bool unknown = false; ///< no field or format describes it
  Owner owner = Owner::Field;
  std::string moduleKey = {};  ///< type key of a module
  std::optional<Ref> ref = {}; ///< the node that the bytes belong to
};
struct HexPage {
  Bytes bytes;
  std::shared_ptr<const FieldTree> fields; ///< may be null
  std::vector<Span> spans;                 ///< tile the bytes, in order; may be empty
  std::optional<Extent> damage = {};       ///< the damaged field, from the first byte of the page
};
/// Says why there is nothing to show and what would change that.
struct NoticePage {
  std::string text;
};

/// Amounts of memory as bars of parts, in groups. The user can set a budget for a group that has one.
struct BarsPage {
  struct Part {
    std::string name; ///< parts with the same name have the same colour
    uint64_t bytes = 0;
  };
  struct Bar {
    std::string name, note;
    std::vector<Part> parts;
    std::optional<Ref> target = {}; ///< the node that it represents
    uint64_t bytes() const;
  };
  struct Group {
    std::string title;
    std::string budget; ///< "RAM", "ROM": the memory that its bars use; empty when no budget applies
    std::string note;   ///< a sentence below the bars
    std::vector<Bar> bars;
  };
  std::vector<Group> groups;
};

/// The answer to whether something works with a target, step by step, and how other targets compare.
struct ChecklistPage {
  enum class State : uint8_t {
    Good,
    Empty, ///< nothing fails, and nothing is found either
    Later, ///< works at first and fails at a later step
    Fails,
    Crashes, ///< ends without a message
    Unknown,
    NotNeeded
  };
  /// The word in --json: "good", "not-needed".
  static std::string_view stateName(State state);
  /// A target in the strip of all of them.
  struct Cell {
    std::string label;  ///< "0.27"
    std::string choice; ///< the value of `Choice::target` for it
    State state = State::Unknown;
    unsigned step = 0;    ///< that fails; 0 for none
    std::string sentence; ///< "loads; then main fails at step 8."
    std::string message;  ///< what the runtime prints; may be empty
  };
  struct Link {
    std::string text;
    std::optional<Ref> ref; ///< the node to show
    std::string choice;     ///< the target to choose; empty for none
    bool asksFile = false;  ///< asks for a runtime on disk, and chooses it
  };
  /// Something that is missing, or that is not known.
  struct Item {
    State state = State::Fails;
    std::string message;
    bool verbatim = false; ///< the words of a runtime, shown in the code font
    std::string note;      ///< a sentence below it
    std::vector<Link> links;
  };
  struct Step {
    unsigned number = 1;
    std::string title, summary;
    State state = State::Good;
    std::vector<Item> items;
  };
  /// A small table beside the steps.
  struct Table {
    struct Row {
      std::vector<std::string> cells;
      State state = State::Good;
      std::string choice; ///< the value of `Choice::device` for it; empty for none
    };
    std::string title;
    std::vector<std::string> columns; ///< empty for labels with values
    std::vector<Row> rows;
    std::string note;
  };
  struct Choice {
    std::string target;      ///< a release, or a path
    std::string device;      ///< empty for none
    std::string driver;      ///< empty for none
    std::string system = {}; ///< "debian12", "this"; empty for one that fits the file
  };
  struct Option {
    std::string value, text;
  };

  std::string sentence, detail; ///< the answer: first one sentence, then what else helps
  State state = State::Unknown;
  std::string stripTitle, stripNote; ///< "All releases"; "24 checked, by reading only"
  std::vector<Cell> cells;
  std::string stepsTitle;
  uint64_t met = 0, missing = 0, unknown = 0; ///< requirements
  std::vector<Step> steps;
  std::vector<Table> tables;
  std::vector<Option> targets, devices, drivers, systems; ///< what can be chosen
  Choice choice;                                          ///< what this page is about
  /// Makes the page for another choice. Any thread may call it; null when nothing can be chosen.
  std::function<Result<ChecklistPage>(const Choice& choice, Monitor& monitor)> choose;
};

struct Page;
/// A page that takes long to make, or that another program makes: it is made when it is first shown.
struct DeferredPage {
  std::string kind; ///< pageKind() of the page that it makes
  /// Never null. Makes a page with the same name; a NoticePage when there is nothing to show. Any thread may call it,
  /// more than once.
  std::function<Result<Page>(Monitor& monitor)> make;
};

struct Page {
  std::string name; ///< unique in its list: "Functions", "Source", "Fields", "Hex"
  std::variant<FieldsPage, TablePage, TextPage, HexPage, NoticePage, DeferredPage, BarsPage, ChecklistPage, GraphPage,
               ReportPagePtr, PlotPage, PlanPagePtr, CallsPagePtr, GridPage, TreemapPagePtr>
      content;
};
using PageList = std::vector<Page>;
/// The place of the first page with one of these names; the number of pages when there is none.
std::size_t placeOf(const PageList& pages, std::initializer_list<std::string_view> names);
/// "fields", "table", "text", "hex", "bars", "plot", "checklist", "graph", "report", "plan", "calls", "grid", "treemap"
/// or "notice"; for a DeferredPage the kind that it will have.
std::string_view pageKind(const Page& page);
/// The page itself; a DeferredPage is made now.
Result<Page> resolvePage(const Page& page, Monitor& monitor);

/// A listing of a virtual machine's instructions.
Page listingPage(std::string name, Listing listing, std::shared_ptr<const ListingConstants> constants);
/// A page of labels and values.
Page factsPage(std::string name, std::vector<std::vector<std::string>> rows);
/// A table that is created at once.
Page tablePage(std::string name, std::vector<Column> columns, std::vector<std::vector<std::string>> rows,
               std::vector<Ref> targets = {});

/// The topmost fields of a tree as spans that tile its bytes. Small neighbours of one kind are joined to one span;
/// bytes that no field owns are unknown.
std::vector<Span> spansOf(const FieldTree& tree);

} // namespace blobscope::view
