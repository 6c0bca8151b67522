#include "app/cli/repacking.h"

#include "core/base/path_text.h"
#include "core/base/text.h"
#include "core/write/import_folder.h"

#include <CLI/CLI.hpp>

namespace blobscope::cli {
namespace {

class ImportCommand final : public RepackingCommand {
public:
  std::string_view name() const override { return "import"; }
  std::string_view summary() const override {
    return "Write a library from an exported folder, including the changes made there";
  }
  std::string_view example() const override { return "parts --into model.so -o edited.so"; }
  void declare(CLI::App& app) override {
    app.add_option("DIR", m_folder, "The folder that export wrote")->type_name("")->required();
    app.add_option("--into", file, "The library to change; by default the exported one")->type_name("FILE");
    app.add_flag("--json", json, "Write one JSON document instead of text");
    declareMemory(app);
    declareWriting(app);
  }

  Result<Exit> run(Session& session) override {
    const bool same = file.empty();
    auto read = write::readManifest(pathFrom(m_folder));
    if (!read) return inManifest(read.takeError());
    const write::Manifest manifest = std::move(*read);
    if (same) file = manifest.library;
    BLOBSCOPE_TRY(package, openFile(session));
    if (same)
      if (auto checked = write::checkLibrary(manifest, *package, session.monitor()); !checked)
        return inManifest(checked.takeError());
    auto edits = write::editsOfFolder(pathFrom(m_folder), manifest, package, session.monitor());
    if (!edits) return inManifest(edits.takeError());
    edit::ApplyOptions options;
    options.source = manifestText();
    options.names.resize(edits->size()); // an entry of the manifest can become several edits, or none
    return repack(package, *edits, std::move(options), write::filesOf(pathFrom(m_folder), manifest), session);
  }

private:
  /// The error with the path of the manifest in front, unless its message names that already.
  Error inManifest(Error error) const {
    if (error.id() != DiagnosticId::JsonText && error.id() != DiagnosticId::JsonDepth &&
        error.id() != DiagnosticId::EditFile && error.id() != DiagnosticId::RefNotFound)
      return error;
    return std::move(error).within(manifestText());
  }
  std::string manifestText() const { return "'" + shownPath(m_folder + "/manifest.json") + "'"; }

  std::string m_folder;
};

} // namespace

std::unique_ptr<Command> makeImport() { return std::make_unique<ImportCommand>(); }

} // namespace blobscope::cli
