#include "app/cli/repacking.h"

#include "core/base/text.h"
#include "core/write/import_folder.h"

#include <CLI/CLI.hpp>

namespace blobscope::cli {
namespace {

class ImportCommand final : public RepackingCommand {
public:
  std::string_view name() const override { return "import"; }
  std::string_view summary() const override {
    return "Pack a folder that export wrote, with your changes, into the library";
  }
  std::string_view example() const override { return "parts --into model.so -o edited.so"; }
  void declare(CLI::App& app) override {
    app.add_option("DIR", m_folder, "The folder that export wrote")->type_name("")->required();
    app.add_option("--into", file, "The library to pack it into; the exported one when omitted")->type_name("FILE");
    app.add_flag("--json", json, "Write one JSON document instead of text");
    declareMemory(app);
    declareWriting(app);
  }

  Result<Exit> run(Session& session) override {
    const bool same = file.empty();
    BLOBSCOPE_TRY(manifest, write::readManifest(m_folder));
    if (same) file = manifest.library;
    BLOBSCOPE_TRY(package, openFile(session));
    if (same) BLOBSCOPE_CHECK(write::checkLibrary(manifest, *package, session.monitor()));
    BLOBSCOPE_TRY(edits, write::editsOfFolder(m_folder, manifest, package, session.monitor()));
    return repack(package, edits, {}, write::filesOf(m_folder, manifest), session);
  }

private:
  std::string m_folder;
};

} // namespace

std::unique_ptr<Command> makeImport() { return std::make_unique<ImportCommand>(); }

} // namespace blobscope::cli
