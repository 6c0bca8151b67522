#include "app/cli/command.h"

#include "core/base/text.h"
#include "core/describe/node.h"
#include "core/view/render.h"

#include <CLI/CLI.hpp>

namespace blobscope::cli {
namespace {

class SymbolsCommand final : public Command {
public:
  std::string_view name() const override { return "symbols"; }
  std::string_view summary() const override { return "List the host symbols, grouped by their role in TVM"; }
  std::string_view example() const override { return "model.so --host"; }
  void declare(CLI::App& app) override {
    declareFile(app);
    app.add_flag("--host", m_host, "List only the symbols of TVM, without the group 'other'");
  }
  Result<Exit> run(Session& session) override {
    BLOBSCOPE_TRY(package, openFile(session));
    if (!json) return print(session, package);
    const auto writer = beginDocument(session);
    writer->key("symbols").beginArray();
    BLOBSCOPE_CHECK(write(*writer, *package, session.monitor()));
    writer->endArray();
    writer->endObject();
    writer->finish();
    return kFine;
  }

private:
  /// Prints the table of the file, or one table per member that is a container.
  Result<Exit> print(Session& session, const library::PackagePtr& package) const {
    if (!package->memberPath.empty()) session.print("member '" + escaped(package->memberPath.back()) + "'\n");
    if (package->image.kind != container::Kind::Archive && package->image.format != container::Format::Raw) {
      const view::Page page =
          describe::symbolsPage(package, m_host ? describe::Symbols::OfHostCode : describe::Symbols::All);
      BLOBSCOPE_CHECK(view::renderText(page, [&](std::string_view text) { session.print(text); }, session.monitor()));
    }
    for (const library::PackageMember& member : package->members)
      if (member.package) BLOBSCOPE_CHECK(print(session, member.package));
    return kFine;
  }

  Result<Done> write(json::Writer& writer, const library::Package& package, Monitor& monitor) const {
    const container::Image& image = package.image;
    for (uint32_t i = 0; i < image.symbols.size(); ++i) {
      if (i % 4096 == 0 && monitor.stopRequested()) return Error(DiagnosticId::Cancelled, {});
      const container::Symbol& symbol = image.symbols[i];
      const host::Group group = package.host.groups[i];
      if (m_host && group == host::Group::Other) continue;
      writer.beginObject();
      writer.member("ref", package.ref(Ref::named(Ref::Kind::Symbol, symbol.name)).toString());
      writer.member("name", symbol.name);
      writer.member("group", host::groupName(group));
      writer.member("type", container::symbolTypeName(symbol.type));
      writer.member("binding", container::bindingName(symbol.binding));
      writer.member("defined", symbol.defined);
      writer.member("value", symbol.value);
      writer.member("size", symbol.size);
      if (symbol.defined && symbol.section < image.sections.size())
        writer.member("section", image.sections[symbol.section].name);
      else
        writer.nullMember("section");
      writer.member("table", symbol.dynamic ? "dynamic" : "static");
      writer.endObject();
    }
    for (const library::PackageMember& member : package.members)
      if (member.package) BLOBSCOPE_CHECK(write(writer, *member.package, monitor));
    return Done{};
  }

private:
  bool m_host = false;
};

} // namespace

std::unique_ptr<Command> makeSymbols() { return std::make_unique<SymbolsCommand>(); }

} // namespace blobscope::cli
