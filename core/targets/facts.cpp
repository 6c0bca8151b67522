#include "core/targets/facts.h"

#include "core/base/limits.h"
#include "core/base/path_text.h"
#include "core/base/source.h"
#include "core/base/text.h"
#include "core/targets/table_files.h"
#include "core/targets/table_source.h"
#include "core/targets/table_value.h"
#include "core/targets/tables.h"

#include <algorithm>
#include <iterator>
#include <system_error>

namespace blobscope::targets {
namespace {

/// As in the table "messages", in the order of Message.
constexpr std::array<std::string_view, kMessages> kMessageNames = {
    "FileNotReadable",    "NoFileLoader",     "NoFileFormat",    "NoLoader",       "NoFunction",   "NoPackedFunction",
    "NoCompiledFunction", "NoRelayPrimitive", "NoGraphFunction", "NoHostFunction", "VmMagic",      "VmVersion",
    "VmConstant",         "UndefinedSymbol",  "WrongCount",      "FailedCheck",    "TooFewRead",   "NoDeviceApi",
    "CudaNeedsCompiler",  "UnknownLaunchTag", "OpenClDelimiter", "OpenClFormat",   "PushConstants"};

} // namespace

bool contains(const Ranges& ranges, std::size_t release) {
  return std::ranges::any_of(ranges, [&](const Range& range) { return range.contains(release); });
}

std::string_view textOf(const std::vector<RangedText>& texts, std::size_t release) {
  const auto found =
      std::ranges::find_if(texts, [&](const RangedText& one) { return contains(one.releases, release); });
  return found == texts.end() ? std::string_view() : std::string_view(found->text);
}

/// Reads the tables into Facts.
class FactsLoader {
public:
  explicit FactsLoader(std::filesystem::path folder) : m_folder(std::move(folder)) {}
  Result<FactsPtr> load();

private:
  struct Table {
    std::string path; ///< for messages
    json::Value root;
  };
  static Result<json::Value> parse(const std::string& path, const Bytes& text);
  Result<Table> read(std::string_view name) const;
  std::optional<std::size_t> release(std::string_view name); ///< only after addReleases()
  Result<Ranges> ranges(const TableValue& value);
  Result<Ranges> ranges(std::string_view text, const TableValue& place);
  Result<std::vector<RangedText>> texts(const TableValue& value);
  Result<ByName<Ranges>> rangesByName(const TableValue& value);

  Result<Done> addReleases(const TableValue& list);
  Result<Done> addRuntimes(const TableValue& root);
  Result<ByName<ExportedSymbol>> symbolsOf(const TableValue& object);
  Result<Done> addMachines(const TableValue& list);
  Result<Done> addMessages(const TableValue& object);
  Result<Done> addFunctions(const TableValue& root);
  Result<Done> addArguments(const TableValue& root);
  Result<RangedCount> readCount(const TableValue& record);
  Result<Done> addGpus(const TableValue& root);
  Result<Done> addArchitecture(const TableValue& row);
  Result<uint32_t> driverOf(const TableValue& architecture) const; ///< the first one
  Result<Done> addFfi(const TableValue& root);
  Result<Done> addBoards(const TableValue& root);
  Result<Done> addSystems(const TableValue& root);

  std::filesystem::path m_folder;
  Facts m_facts;
  Tables m_tables;
  // Of texts that were read before: hundreds of entries have a few different ones.
  ByName<std::optional<std::size_t>> m_releases;
  ByName<Ranges> m_ranges;
};

Result<json::Value> FactsLoader::parse(const std::string& path, const Bytes& text) {
  auto parsed = json::parse(text);
  if (!parsed) return Error(DiagnosticId::PreFacts, {arg("path", path), {"why", parsed.error().message()}});
  const TableValue root(path, *parsed);
  BLOBSCOPE_TRY(date, root.text("date"));
  const bool written = date.size() == 10 && date[4] == '-' && date[7] == '-' &&
                       date.find_first_not_of("0123456789-") == std::string::npos;
  if (!written) return root.fail("its date is not written as 2026-01-31");
  return std::move(*parsed);
}

Result<FactsLoader::Table> FactsLoader::read(std::string_view name) const {
  const auto files = tableFiles();
  const auto file = std::ranges::find(files, name, &TableFile::name);
  std::string text;
  for (const std::string_view piece : file->pieces) text += piece;
  Table table{std::string(name), {}};
  BLOBSCOPE_TRY(built, parse(table.path, Bytes::copyOf(text)));
  table.root = std::move(built);
  if (m_folder.empty()) return table;
  const std::filesystem::path path = m_folder / pathFrom(std::string(name));
  std::error_code failure;
  if (!std::filesystem::exists(path, failure)) return table;
  const std::string shown = pathText(path);
  auto source = ByteSource::openPrivate(path, limits::kFactsTable);
  if (!source) return Error(DiagnosticId::PreFacts, {arg("path", shown), {"why", source.error().message()}});
  const Bytes bytes = ByteSource::all(*source);
  if (bytes.size() > limits::kFactsTable)
    return Error(DiagnosticId::PreFacts,
                 {arg("path", shown),
                  {"why", "it has " + sizeText(bytes.size()) + ", more than " + sizeText(limits::kFactsTable)}});
  BLOBSCOPE_TRY(own, parse(shown, bytes));
  if (own.find("date")->text() > table.root.find("date")->text()) table = {shown, std::move(own)};
  return table;
}

std::optional<std::size_t> FactsLoader::release(std::string_view name) {
  const auto known = m_releases.find(name);
  if (known != m_releases.end()) return known->second;
  return m_releases.emplace(name, m_facts.findRelease(name)).first->second;
}

Result<Ranges> FactsLoader::ranges(const TableValue& value) {
  BLOBSCOPE_TRY(text, value.text());
  return ranges(text, value);
}

/// "0.6..0.20 0.22 tirx-0.1.0a4".
Result<Ranges> FactsLoader::ranges(std::string_view text, const TableValue& place) {
  const auto known = m_ranges.find(text);
  if (known != m_ranges.end()) return known->second;
  Ranges out;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t dots = word.find("..");
    const auto first = release(word.substr(0, dots));
    const auto last = dots == std::string_view::npos ? first : release(word.substr(dots + 2));
    if (!first || !last || *first > *last)
      return place.fail("'" + escaped(word) + "' is not a range of releases; an example is 0.16..0.27");
    if (!out.empty() && *first <= out.back().last) return place.fail("its ranges are not in order");
    out.push_back({*first, *last});
  }
  return m_ranges.emplace(text, std::move(out)).first->second;
}

/// {"0.6..0.20": "text"}.
Result<std::vector<RangedText>> FactsLoader::texts(const TableValue& value) {
  std::vector<RangedText> out;
  BLOBSCOPE_CHECK(value.forMembers([&](std::string_view name, const TableValue& member) -> Result<Done> {
    BLOBSCOPE_TRY(releases, ranges(name, member));
    BLOBSCOPE_TRY(text, member.text());
    out.push_back({std::move(releases), std::move(text)});
    return Done{};
  }));
  return out;
}

Result<ByName<Ranges>> FactsLoader::rangesByName(const TableValue& value) {
  ByName<Ranges> out;
  BLOBSCOPE_CHECK(value.forMembers([&](std::string_view name, const TableValue& member) -> Result<Done> {
    BLOBSCOPE_TRY(releases, ranges(member));
    out.insert_or_assign(std::string(name), std::move(releases));
    return Done{};
  }));
  return out;
}

Result<Done> FactsLoader::addReleases(const TableValue& list) {
  BLOBSCOPE_CHECK(list.forItems([&](const TableValue& item) -> Result<Done> {
    BLOBSCOPE_TRY(name, item.text("name"));
    BLOBSCOPE_TRY(label, item.text("label"));
    BLOBSCOPE_TRY(version, item.text("version"));
    constexpr std::size_t kReleases = 200;
    if (m_facts.m_releases.size() >= kReleases) return item.fail("there are more than 200 releases");
    if (escaped(name + label + version) != name + label + version) return item.fail("its name is not plain text");
    if (name.empty() || label.empty() || m_facts.findRelease(name)) return item.fail("its name is empty or not new");
    m_facts.m_releases.push_back({std::move(name), std::move(label), std::move(version)});
    return Done{};
  }));
  const auto ofTvm = [](const Release& release) { return release.name.starts_with('v'); };
  if (!std::ranges::any_of(m_facts.m_releases, ofTvm)) return list.fail("it has no release of TVM");
  return Done{};
}

Result<ByName<ExportedSymbol>> FactsLoader::symbolsOf(const TableValue& object) {
  ByName<ExportedSymbol> out;
  BLOBSCOPE_CHECK(object.forMembers([&](std::string_view name, const TableValue& member) -> Result<Done> {
    ExportedSymbol symbol;
    BLOBSCOPE_TRY(in, member.member("in"));
    BLOBSCOPE_TRY(releases, ranges(in));
    BLOBSCOPE_TRY(library, member.text("library"));
    symbol.releases = std::move(releases);
    symbol.library = std::move(library);
    if (member.has("maybe")) {
      BLOBSCOPE_TRY(maybe, member.member("maybe"));
      BLOBSCOPE_TRY(maybeReleases, ranges(maybe));
      symbol.maybe = std::move(maybeReleases);
    }
    out.insert_or_assign(std::string(name), std::move(symbol));
    return Done{};
  }));
  return out;
}

Result<Done> FactsLoader::addMachines(const TableValue& list) {
  return list.forItems([&](const TableValue& item) -> Result<Done> {
    Machine machine;
    BLOBSCOPE_TRY(word, item.text("machine"));
    if (word != "relay" && word != "relax") return item.fail("its machine is neither relay nor relax");
    machine.relay = word == "relay";
    BLOBSCOPE_TRY(in, item.member("in"));
    BLOBSCOPE_TRY(releases, ranges(in));
    machine.releases = std::move(releases);
    BLOBSCOPE_TRY(magics, item.member("magics"));
    BLOBSCOPE_CHECK(magics.forItems([&](const TableValue& magic) -> Result<Done> {
      BLOBSCOPE_TRY(number, magic.hexNumber());
      machine.format.magics.push_back(number);
      return Done{};
    }));
    if (!machine.relay) {
      BLOBSCOPE_TRY(version, item.text("version"));
      BLOBSCOPE_TRY(pool, item.text("pool"));
      machine.format.version = std::move(version);
      machine.format.pool = std::move(pool);
    }
    m_tables.machines.push_back(std::move(machine));
    return Done{};
  });
}

Result<Done> FactsLoader::addMessages(const TableValue& object) {
  for (std::size_t i = 0; i < kMessages; ++i) {
    BLOBSCOPE_TRY(member, object.member(kMessageNames[i]));
    BLOBSCOPE_TRY(list, texts(member));
    m_tables.messages[i] = std::move(list);
  }
  return Done{};
}

Result<Done> FactsLoader::addRuntimes(const TableValue& root) {
  BLOBSCOPE_TRY(releases, root.member("releases"));
  BLOBSCOPE_CHECK(addReleases(releases));
  for (const auto& [name, into] : {std::pair{"defaults", &m_tables.defaults}, std::pair{"slots", &m_tables.slots},
                                   std::pair{"launch_tags", &m_tables.launchTags}}) {
    BLOBSCOPE_TRY(object, root.member(name));
    BLOBSCOPE_TRY(names, rangesByName(object));
    *into = std::move(names);
  }
  for (const auto& [name, into] :
       {std::pair{"carriers", &m_tables.carriers}, std::pair{"loaders", &m_tables.loaders}}) {
    BLOBSCOPE_TRY(object, root.member(name));
    BLOBSCOPE_CHECK(object.forMembers([&](std::string_view text, const TableValue& member) -> Result<Done> {
      BLOBSCOPE_TRY(in, ranges(member));
      into->push_back({std::move(in), std::string(text)});
      return Done{};
    }));
  }
  BLOBSCOPE_TRY(symbols, root.member("symbols"));
  BLOBSCOPE_TRY(exported, symbolsOf(symbols));
  m_tables.symbols = std::move(exported);
  if (root.has("web_imports")) { // tables of users may be older
    BLOBSCOPE_TRY(modules, root.member("web_imports"));
    BLOBSCOPE_CHECK(modules.forMembers([&](std::string_view module, const TableValue& member) -> Result<Done> {
      BLOBSCOPE_TRY(names, symbolsOf(member));
      m_tables.webImports.insert_or_assign(std::string(module), std::move(names));
      return Done{};
    }));
  }
  if (root.has("system_prefix")) {
    BLOBSCOPE_TRY(member, root.member("system_prefix"));
    BLOBSCOPE_TRY(in, ranges(member));
    m_tables.systemPrefix = std::move(in);
  }
  BLOBSCOPE_TRY(libraries, root.member("libraries"));
  BLOBSCOPE_CHECK(libraries.forMembers([&](std::string_view flag, const TableValue& member) -> Result<Done> {
    BLOBSCOPE_TRY(names, texts(member));
    m_tables.libraries.insert_or_assign(std::string(flag), std::move(names));
    return Done{};
  }));
  BLOBSCOPE_TRY(machines, root.member("machines"));
  BLOBSCOPE_CHECK(addMachines(machines));
  if (root.has("cuda_versions")) { // tables of users may be older
    BLOBSCOPE_TRY(versions, root.member("cuda_versions"));
    BLOBSCOPE_TRY(list, texts(versions));
    m_tables.cudaVersions = std::move(list);
  }
  BLOBSCOPE_TRY(layouts, root.member("layouts"));
  BLOBSCOPE_CHECK(layouts.forMembers([&](std::string_view key, const TableValue& member) -> Result<Done> {
    auto& names = m_tables.layouts[std::string(key)];
    return member.forMembers([&](std::string_view layout, const TableValue& value) -> Result<Done> {
      BLOBSCOPE_TRY(in, ranges(value));
      names.emplace_back(std::string(layout), std::move(in));
      return Done{};
    });
  }));
  BLOBSCOPE_TRY(messages, root.member("messages"));
  return addMessages(messages);
}

Result<Done> FactsLoader::addFunctions(const TableValue& root) {
  BLOBSCOPE_TRY(functions, root.member("functions"));
  return functions.forMembers([&](std::string_view group, const TableValue& names) -> Result<Done> {
    const auto number = static_cast<uint32_t>(m_tables.groups.size());
    m_tables.groups.emplace_back(group);
    return names.forMembers([&](std::string_view text, const TableValue& list) -> Result<Done> {
      BLOBSCOPE_TRY(in, ranges(text, list));
      return list.forItems([&](const TableValue& item) -> Result<Done> {
        BLOBSCOPE_TRY(name, item.text());
        m_tables.functions[std::move(name)].push_back({number, in});
        return Done{};
      });
    });
  });
}

Result<RangedCount> FactsLoader::readCount(const TableValue& record) {
  RangedCount out;
  BLOBSCOPE_TRY(in, record.member("in"));
  BLOBSCOPE_TRY(releases, ranges(in));
  out.releases = std::move(releases);
  ArgumentCount& count = out.count;
  BLOBSCOPE_TRY(minimum, record.optionalNumber("min"));
  BLOBSCOPE_TRY(maximum, record.optionalNumber("max"));
  count.minimum = minimum;
  count.maximum = maximum;
  if (minimum && maximum && *minimum > *maximum) return record.fail("its minimum is above its maximum");
  BLOBSCOPE_TRY(by, record.text("by"));
  if (by != "signature" && by != "check" && by != "read")
    return record.fail("'" + escaped(by) + "' is not signature, check or read");
  count.by = by == "signature" ? ArgumentCount::By::Signature
             : by == "check"   ? ArgumentCount::By::Check
                               : ArgumentCount::By::Read;
  count.typed = count.by == ArgumentCount::By::Signature;
  count.python = record.has("python");
  if (record.has("depends")) {
    BLOBSCOPE_TRY(depends, record.member("depends"));
    std::vector<uint64_t> numbers;
    BLOBSCOPE_CHECK(depends.forItems([&](const TableValue& item) -> Result<Done> {
      BLOBSCOPE_TRY(number, item.number());
      numbers.push_back(number);
      return Done{};
    }));
    if (numbers.size() != 3) return depends.fail("it does not have three numbers");
    count.depends = {numbers[0], numbers[1], numbers[2]};
  }
  return out;
}

Result<Done> FactsLoader::addArguments(const TableValue& root) {
  BLOBSCOPE_TRY(functions, root.member("functions"));
  BLOBSCOPE_CHECK(functions.forItems([&](const TableValue& record) -> Result<Done> {
    BLOBSCOPE_TRY(count, readCount(record));
    BLOBSCOPE_TRY(names, record.member("names"));
    return names.forItems([&](const TableValue& item) -> Result<Done> {
      BLOBSCOPE_TRY(name, item.text());
      m_tables.arguments[std::move(name)].counts.push_back(count);
      return Done{};
    });
  }));
  for (const auto& [name, into] :
       {std::pair{"signatures", &FunctionArguments::signatures}, std::pair{"checks", &FunctionArguments::checks}}) {
    BLOBSCOPE_TRY(object, root.member(name));
    BLOBSCOPE_CHECK(object.forMembers([&](std::string_view function, const TableValue& member) -> Result<Done> {
      const auto found = m_tables.arguments.find(function);
      if (found == m_tables.arguments.end()) return member.fail("its function has no number of arguments");
      BLOBSCOPE_TRY(list, texts(member));
      found->second.*into = std::move(list);
      return Done{};
    }));
  }
  return Done{};
}

Result<uint32_t> FactsLoader::driverOf(const TableValue& architecture) const {
  if (!architecture.has("cuda")) return architecture.smallNumber("driver"); // tables of users may be older
  BLOBSCOPE_TRY(version, architecture.text("cuda"));
  const auto driver = m_facts.driverOf(version);
  if (!driver) return architecture.fail("its version of CUDA is not in the table");
  return *driver;
}

Result<Done> FactsLoader::addArchitecture(const TableValue& row) {
  GpuArchitecture gpu;
  BLOBSCOPE_TRY(name, row.text("name"));
  BLOBSCOPE_TRY(shared, row.optionalNumber("shared"));
  BLOBSCOPE_TRY(driver, driverOf(row));
  const auto sm = name.starts_with("sm_") ? parseNumber(name.substr(3)) : std::nullopt;
  if (!sm || *sm > 9999 || m_facts.findGpu(name)) return row.fail("its name is not a new one such as sm_90");
  gpu.name = std::move(name);
  gpu.sm = static_cast<uint32_t>(*sm);
  gpu.tegra = row.has("tegra");
  gpu.sharedPerBlock = shared.value_or(0);
  gpu.minDriver = driver;
  if (row.has("last_driver")) {
    BLOBSCOPE_TRY(last, row.smallNumber("last_driver"));
    if (last < driver) return row.fail("its last driver is before its first one");
    gpu.lastDriver = last;
  }
  for (const auto& [member, into] : {std::pair{"title", &gpu.title}, std::pair{"example", &gpu.example},
                                     std::pair{"family", &gpu.family}, std::pair{"alias", &gpu.alias}})
    if (row.has(member)) {
      BLOBSCOPE_TRY(text, row.text(member));
      *into = std::move(text);
    }
  m_facts.m_gpus.push_back(std::move(gpu));
  return Done{};
}

Result<Done> FactsLoader::addGpus(const TableValue& root) {
  BLOBSCOPE_TRY(cuda, root.member("cuda"));
  BLOBSCOPE_CHECK(cuda.forItems([&](const TableValue& row) -> Result<Done> {
    BLOBSCOPE_TRY(version, row.text("version"));
    BLOBSCOPE_TRY(ptx, row.smallNumber("ptx"));
    BLOBSCOPE_TRY(driver, row.smallNumber("driver"));
    if (!m_facts.m_cuda.empty() && (m_facts.m_cuda.back().ptx > ptx || m_facts.m_cuda.back().driver > driver))
      return row.fail("it is not after the version before it");
    m_facts.m_cuda.push_back({std::move(version), ptx, driver});
    return Done{};
  }));
  if (m_facts.m_cuda.empty()) return cuda.fail("it is empty");
  BLOBSCOPE_TRY(architectures, root.member("architectures"));
  BLOBSCOPE_CHECK(architectures.forItems([&](const TableValue& row) { return addArchitecture(row); }));
  BLOBSCOPE_TRY(targets, root.member("targets"));
  return targets.forMembers([&](std::string_view name, const TableValue& member) -> Result<Done> {
    BLOBSCOPE_TRY(ptx, member.smallNumber());
    m_facts.m_oldestPtx.insert_or_assign(std::string(name), ptx);
    return Done{};
  });
}

Result<Done> FactsLoader::addFfi(const TableValue& root) {
  BLOBSCOPE_TRY(releases, root.member("releases"));
  BLOBSCOPE_CHECK(releases.forItems([&](const TableValue& item) -> Result<Done> {
    BLOBSCOPE_TRY(version, item.text());
    m_facts.m_ffiReleases.push_back(std::move(version));
    return Done{};
  }));
  const auto version = [&](const TableValue& of, std::string_view name) -> Result<std::string> {
    if (!of.has(name)) return std::string();
    BLOBSCOPE_TRY(text, of.text(name));
    if (std::ranges::find(m_facts.m_ffiReleases, text) == m_facts.m_ffiReleases.end())
      return of.fail("'" + escaped(text) + "' is not a release of libtvm_ffi");
    return text;
  };
  const auto number = [&](std::string_view text, const TableValue& place) -> Result<std::size_t> {
    const auto found = std::ranges::find(m_facts.m_ffiReleases, text);
    if (found == m_facts.m_ffiReleases.end())
      return place.fail("'" + escaped(text) + "' is not a release of libtvm_ffi");
    return static_cast<std::size_t>(found - m_facts.m_ffiReleases.begin());
  };
  const auto open = static_cast<std::size_t>(-1);
  for (const auto& [name, into] :
       {std::pair{"exports", &m_tables.ffiExports}, std::pair{"registered", &m_tables.ffiFunctions}}) {
    if (!root.has(name)) continue; // tables of users may be older
    BLOBSCOPE_TRY(object, root.member(name));
    BLOBSCOPE_CHECK(object.forMembers([&](std::string_view range, const TableValue& list) -> Result<Done> {
      const std::size_t dots = range.find("..");
      if (dots == std::string_view::npos) return list.fail("its range is not written as 0.1.5.. or 0.1.6..0.1.8");
      BLOBSCOPE_TRY(first, number(range.substr(0, dots), list));
      const std::string_view end = range.substr(dots + 2);
      Range releases{first, open};
      if (!end.empty()) {
        BLOBSCOPE_TRY(last, number(end, list));
        releases.last = last;
      }
      return list.forItems([&](const TableValue& item) -> Result<Done> {
        BLOBSCOPE_TRY(one, item.text());
        into->insert_or_assign(std::move(one), releases);
        return Done{};
      });
    }));
  }
  if (root.has("gone")) {
    BLOBSCOPE_TRY(gone, root.member("gone"));
    BLOBSCOPE_CHECK(gone.forMembers([&](std::string_view name, const TableValue& member) -> Result<Done> {
      BLOBSCOPE_TRY(text, member.text());
      BLOBSCOPE_TRY(last, number(text, member));
      m_tables.ffiExports.insert_or_assign(std::string(name), Range{0, last});
      return Done{};
    }));
  }
  BLOBSCOPE_TRY(fits, root.member("fits"));
  return fits.forMembers([&](std::string_view name, const TableValue& member) -> Result<Done> {
    const auto release = m_facts.findRelease(name);
    if (!release) return member.fail("it is not a release of TVM");
    BLOBSCOPE_TRY(declared, version(member, "declares"));
    BLOBSCOPE_TRY(first, version(member, "from"));
    BLOBSCOPE_TRY(last, version(member, "to"));
    m_facts.m_ffiFits.push_back({*release, std::move(declared), std::move(first), std::move(last)});
    return Done{};
  });
}

Result<Done> FactsLoader::addBoards(const TableValue& root) {
  BLOBSCOPE_TRY(boards, root.member("boards"));
  BLOBSCOPE_CHECK(boards.forItems([&](const TableValue& row) -> Result<Done> {
    Board board;
    for (const auto& [member, into] :
         {std::pair{"name", &board.name}, std::pair{"chip", &board.chip}, std::pair{"processor", &board.processor}}) {
      BLOBSCOPE_TRY(text, row.text(member));
      *into = std::move(text);
    }
    BLOBSCOPE_TRY(ram, row.number("ram"));
    BLOBSCOPE_TRY(flash, row.number("flash"));
    BLOBSCOPE_TRY(source, sourceLine(row));
    if (!m_facts.isNewBoard(board.name)) return row.fail("its name is empty or not new");
    if (ram == 0 || flash == 0) return row.fail("a size is 0");
    board.ram = ram;
    board.flash = flash;
    board.source = std::move(source);
    m_facts.m_boards.push_back(std::move(board));
    return Done{};
  }));
  return m_facts.m_boards.empty() ? Result<Done>(boards.fail("it is empty")) : Result<Done>(Done{});
}

/// Words of lines, in order.
Result<std::vector<std::string>> wordsOf(const TableValue& root, std::string_view name) {
  BLOBSCOPE_TRY(lines, root.member(name));
  std::vector<std::string> out;
  BLOBSCOPE_CHECK(lines.forItems([&](const TableValue& line) -> Result<Done> {
    BLOBSCOPE_TRY(text, line.text());
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      if (end > 0) out.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return Done{};
  }));
  return out;
}

Result<Done> FactsLoader::addSystems(const TableValue& root) {
  const auto add = [](const TableValue& row, std::string_view name, std::string& into) -> Result<Done> {
    if (!row.has(name)) return Done{};
    BLOBSCOPE_TRY(text, row.text(name));
    into = std::move(text);
    return Done{};
  };
  BLOBSCOPE_TRY(gcc, root.member("gcc"));
  BLOBSCOPE_CHECK(gcc.forItems([&](const TableValue& row) -> Result<Done> {
    GccRow out;
    BLOBSCOPE_TRY(version, row.text("version"));
    out.version = std::move(version);
    BLOBSCOPE_CHECK(add(row, "glibcxx", out.glibcxx));
    BLOBSCOPE_CHECK(add(row, "cxxabi", out.cxxabi));
    m_facts.m_gcc.push_back(std::move(out));
    return Done{};
  }));
  BLOBSCOPE_TRY(systems, root.member("systems"));
  BLOBSCOPE_CHECK(systems.forItems([&](const TableValue& row) -> Result<Done> {
    SystemRow out;
    for (const auto& [name, into] : {std::pair{"name", &out.name}, std::pair{"title", &out.title},
                                     std::pair{"os", &out.os}, std::pair{"library", &out.library}}) {
      BLOBSCOPE_TRY(text, row.text(name));
      *into = std::move(text);
    }
    BLOBSCOPE_CHECK(add(row, "alias", out.alias));
    BLOBSCOPE_CHECK(add(row, "version", out.version));
    BLOBSCOPE_CHECK(add(row, "glibcxx", out.glibcxx));
    BLOBSCOPE_CHECK(add(row, "cxxabi", out.cxxabi));
    if (row.has("gcc")) {
      BLOBSCOPE_TRY(version, row.text("gcc"));
      const auto found = std::ranges::find(m_facts.m_gcc, version, &GccRow::version);
      if (found == m_facts.m_gcc.end()) return row.fail("its version of GCC is not in the table");
      out.glibcxx = found->glibcxx;
      out.cxxabi = found->cxxabi;
    }
    if (m_facts.findSystem(out.name)) return row.fail("its name is not new");
    m_facts.m_systems.push_back(std::move(out));
    return Done{};
  }));
  for (const std::string_view list : {"c_library", "c_plus_plus", "libgcc", "musl"}) {
    BLOBSCOPE_TRY(words, wordsOf(root, list));
    std::vector<std::string>& into = list == "musl" ? m_facts.m_muslNames : m_facts.m_systemNames;
    std::ranges::move(words, std::back_inserter(into));
  }
  std::ranges::sort(m_facts.m_systemNames);
  std::ranges::sort(m_facts.m_muslNames);
  BLOBSCOPE_TRY(linked, root.member("linked"));
  return linked.forItems([&](const TableValue& row) -> Result<Done> {
    BLOBSCOPE_TRY(by, row.text("by"));
    BLOBSCOPE_TRY(names, row.text("names"));
    for (std::string_view rest = names; !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(name.size() + 1, rest.size()));
      if (name.find_first_of("*?") == std::string_view::npos)
        m_facts.m_linked.insert_or_assign(std::string(name), by);
      else
        m_facts.m_linkedPatterns.push_back({std::string(name), by});
    }
    return Done{};
  });
}

Result<FactsPtr> FactsLoader::load() {
  using Add = Result<Done> (FactsLoader::*)(const TableValue&);
  constexpr std::array<std::pair<std::string_view, Add>, 7> kTables = {{
      {"runtimes.json", &FactsLoader::addRuntimes}, // first: it has the releases
      {"functions.json", &FactsLoader::addFunctions},
      {"arguments.json", &FactsLoader::addArguments},
      {"gpus.json", &FactsLoader::addGpus},
      {"ffi.json", &FactsLoader::addFfi},
      {"boards.json", &FactsLoader::addBoards},
      {"systems.json", &FactsLoader::addSystems},
  }};
  for (const auto& [name, add] : kTables) {
    BLOBSCOPE_TRY(table, read(name));
    BLOBSCOPE_CHECK((this->*add)(TableValue(table.path, table.root)));
  }
  m_facts.m_tables = std::make_shared<const Tables>(std::move(m_tables));
  return std::make_shared<const Facts>(std::move(m_facts));
}

Result<FactsPtr> Facts::load(const std::filesystem::path& folder) {
  const auto isReplaced = [&](const TableFile& file) {
    std::error_code failure;
    return std::filesystem::exists(folder / pathFrom(std::string(file.name)), failure);
  };
  if (!folder.empty() && std::ranges::any_of(tableFiles(), isReplaced)) return FactsLoader(folder).load();
  // Those of the program never change, so a process reads them once.
  static const Result<FactsPtr> builtIn = FactsLoader({}).load();
  return builtIn ? Result<FactsPtr>(*builtIn) : Error(builtIn.error());
}

} // namespace blobscope::targets
