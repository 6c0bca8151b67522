#include "app/cli/repacking.h"

#include "core/base/digest.h"
#include "core/base/path_text.h"

#include <CLI/CLI.hpp>

#include <optional>

namespace blobscope::cli {
void RepackingCommand::declareWriting(CLI::App& app) {
  app.add_option("-o,--output", m_output, "The file to write; it may be the library itself")->type_name("FILE");
  app.add_flag("--dry-run", m_dryRun, "Print the plan and write nothing");
  app.add_option("--verify", m_verify, "How much of the written file to read back and compare")
      ->type_name("HOW")
      ->check(oneOf({"full", "sampled"}))
      ->capture_default_str();
  app.add_flag("--scrub", m_scrub, "Fill the old blob with zeros if the blob moves");
  app.add_flag("--backup", m_backup, "Keep the previous output file as OUT.bak");
  app.add_option("--signature", m_signature, "What to do with a signature that becomes invalid")
      ->type_name("HOW")
      ->check(oneOf({"adhoc", "remove"}));
  app.add_flag("--force", m_force, "Write the file even if the plan is refused, where possible");
}

Result<Exit> RepackingCommand::repack(const library::PackagePtr& package, std::span<const edit::Edit> edits,
                                      edit::ApplyOptions options, std::vector<std::filesystem::path> inputs,
                                      Session& session, RepackExtra extra) {
  if (m_output.empty() && !m_dryRun)
    return Error(DiagnosticId::Usage, {{"what", "missing option --output; with --dry-run, nothing is written"}});
  using Signature = write::PlanOptions::Signature;
  options.force = m_force;
  write::PlanOptions planOptions;
  planOptions.scrub = m_scrub;
  planOptions.force = m_force;
  planOptions.signature = m_signature == "adhoc"    ? Signature::AdHoc
                          : m_signature == "remove" ? Signature::Remove
                                                    : Signature::Keep;
  BLOBSCOPE_TRY(planned, write::planRepack(package, edits, options, planOptions, session.monitor()));
  auto& consequences = planned.plan.consequences;
  consequences.insert(consequences.end(), extra.consequences.begin(), extra.consequences.end());
  BLOBSCOPE_TRY(images, describe::addImageChange(planned, session.monitor()));
  BLOBSCOPE_TRY(findings, describe::checkResult(planned, session.monitor()));
  // Before writing: the output may replace files that are read here.
  std::string before;
  if (json) {
    BLOBSCOPE_TRY(digest, computeSha256(package->bytes, session.monitor()));
    before = std::move(digest);
  }
  if (!m_dryRun) {
    write::WriteOptions writeOptions;
    writeOptions.backup = m_backup;
    writeOptions.inputs = std::move(inputs);
    writeOptions.verify = m_verify == "full" ? write::WriteOptions::Verify::Full : write::WriteOptions::Verify::Sampled;
    BLOBSCOPE_CHECK(write::writeRepack(planned, pathFrom(m_output), writeOptions, session.monitor()));
    releaseFiles();
  }
  const std::optional<std::string> path = m_dryRun ? std::nullopt : std::optional(m_output);
  if (!json) {
    describe::writeText(planned, {path, {}, {}, std::move(images), std::move(findings), std::move(extra.mended)},
                        session.output());
    return kFine;
  }
  std::optional<std::string> after;
  if (planned.plan.isIdentity()) {
    after = before;
  } else if (!m_dryRun) {
    BLOBSCOPE_TRY(source, ByteSource::openFile(pathFrom(m_output)));
    BLOBSCOPE_TRY(digest, computeSha256(ByteSource::all(source), session.monitor()));
    after = std::move(digest);
  }
  const auto writer = beginDocument(session);
  describe::writePlan(*writer, planned,
                      {path, before, after, std::move(images), std::move(findings), std::move(extra.mended)});
  writer->endObject();
  writer->finish();
  return kFine;
}

} // namespace blobscope::cli
