#include "app/cli/command.h"

#include "core/base/text.h"
#include "core/search/search.h"

#include <CLI/CLI.hpp>

namespace blobscope::cli {
namespace {

/// Prints hits as they are found, as text lines or as items of a JSON list.
class HitPrinter {
public:
  HitPrinter(Session& session, std::unique_ptr<json::Writer> writer, std::string_view list, uint64_t limit)
      : m_session(session), m_writer(std::move(writer)), m_limit(limit) {
    if (m_writer) m_writer->key(list).beginArray();
  }

  /// Returns false once the limit is reached.
  bool take(const search::Hit& hit) {
    if (m_count == m_limit) {
      m_more = true;
      return false;
    }
    ++m_count;
    if (m_writer) {
      m_writer->beginObject();
      m_writer->member("ref", hit.ref.toString());
      m_writer->member("offset", hit.offset);
      m_writer->member("size", hit.size);
      m_writer->member("text", hit.around.view());
      m_writer->endObject();
    } else {
      const std::string ref = hit.ref.shown();
      m_session.print(hexText(hit.offset) + "  " + (ref.empty() ? "-" : ref) + "  " + escapedWhole(hit.around.view()) +
                      "\n");
    }
    return true;
  }

  void finish() {
    if (m_writer) {
      m_writer->endArray();
      m_writer->member("complete", !m_more);
      m_writer->endObject();
      m_writer->finish();
    } else if (m_more) {
      m_session.complain({}, "stopped after " + groupedText(m_limit) + " results (--limit)");
    }
  }

private:
  Session& m_session;
  std::unique_ptr<json::Writer> m_writer;
  uint64_t m_limit, m_count = 0;
  bool m_more = false;
};

class FindCommand final : public Command {
public:
  std::string_view name() const override { return "find"; }
  std::string_view summary() const override { return "Find text or bytes, and the parts that contain them"; }
  std::string_view example() const override { return "model.so --hex 50ed55ba"; }
  bool takesRef() const override { return true; }
  void declare(CLI::App& app) override {
    declareFile(app);
    app.add_option("PATTERN", m_query.pattern, "The text or bytes to find")->type_name("")->required();
    auto* const hex = app.add_flag("--hex", m_hex, "Treat PATTERN as bytes in hex digits");
    app.add_flag(
           "--regex", m_regex,
           "Treat PATTERN as a POSIX extended regular expression, also with \\d \\s \\w \\b, matched within strings")
        ->excludes(hex);
    app.add_flag("--ignore-case", m_ignoreCase, "Ignore case")->excludes(hex);
    app.add_option("--in", m_in, "Search only the bytes of this part, such as m2 or section:.rodata")->type_name("REF");
    app.add_option("--limit", m_limit, "Stop after this number of matches")->type_name("N")->check(wholeNumber());
  }
  Result<Exit> run(Session& session) override {
    BLOBSCOPE_TRY(package, openFile(session));
    m_query.syntax = m_hex ? search::Syntax::Hex : m_regex ? search::Syntax::Regex : search::Syntax::Text;
    m_query.matchCase = !m_ignoreCase;
    if (!m_in.empty()) {
      BLOBSCOPE_TRY(ref, parseRef(m_in));
      m_query.in = std::move(ref);
    }
    // A pattern or a node that cannot be used is reported before the document begins.
    BLOBSCOPE_CHECK(search::check(*package, m_query, session.monitor()));
    HitPrinter printer(session, json ? beginDocument(session) : nullptr, "hits", m_limit);
    BLOBSCOPE_CHECK(
        search::find(*package, m_query, session.monitor(), [&](const search::Hit& hit) { return printer.take(hit); }));
    printer.finish();
    return kFine;
  }

private:
  search::Query m_query;
  std::string m_in;
  bool m_hex = false, m_regex = false, m_ignoreCase = false;
  uint64_t m_limit = UINT64_MAX;
};

class StringsCommand final : public Command {
public:
  std::string_view name() const override { return "strings"; }
  std::string_view summary() const override { return "List printable strings and the parts that contain them"; }
  std::string_view example() const override { return "model.so --min 8"; }
  void declare(CLI::App& app) override {
    declareFile(app);
    app.add_option("--min", m_minimum, "Minimum length of a string, in characters")
        ->type_name("N")
        ->check(wholeNumber(1, 65'536));
    app.add_option("--limit", m_limit, "Stop after this number of strings")->type_name("N")->check(wholeNumber());
  }
  Result<Exit> run(Session& session) override {
    BLOBSCOPE_TRY(package, openFile(session));
    HitPrinter printer(session, json ? beginDocument(session) : nullptr, "strings", m_limit);
    BLOBSCOPE_CHECK(search::strings(*package, m_minimum, session.monitor(),
                                    [&](const search::Hit& hit) { return printer.take(hit); }));
    printer.finish();
    return kFine;
  }

private:
  uint64_t m_minimum = 6;
  uint64_t m_limit = UINT64_MAX;
};

} // namespace

std::unique_ptr<Command> makeFind() { return std::make_unique<FindCommand>(); }
std::unique_ptr<Command> makeStrings() { return std::make_unique<StringsCommand>(); }

} // namespace blobscope::cli
