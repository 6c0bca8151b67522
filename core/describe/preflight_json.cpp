#include "core/describe/preflight_json.h"

namespace blobscope::describe {
namespace {

void writeMissing(json::Writer& writer, const preflight::Missing& missing) {
  writer.beginObject();
  writer.member("id", check::row(missing.rule).id);
  writer.member("kind", missing.kind);
  writer.member("name", missing.name);
  writer.member("step", static_cast<unsigned>(missing.step));
  writer.member("message", missing.message());
  writer.member("explanation", missing.sentence);
  writer.member("certain", missing.certain);
  writer.member("crashes", missing.crashes);
  writer.member("reached", missing.reached);
  writer.listMember("affected", missing.affected);
  missing.fix.empty() ? writer.nullMember("fix") : writer.member("fix", missing.fix);
  missing.ref ? writer.member("ref", missing.ref->toString()) : writer.nullMember("ref");
  writer.endObject();
}

void writeOutcome(json::Writer& writer, const preflight::Outcome& outcome) {
  writer.beginObject();
  writer.member("runtime", outcome.runtime);
  writer.listMember("flags", outcome.flags);
  outcome.device ? writer.member("device", *outcome.device) : writer.nullMember("device");
  outcome.system ? writer.member("system", *outcome.system) : writer.nullMember("system");
  writer.member("verdict", preflight::verdictName(outcome.verdict));
  outcome.step ? writer.member("step", static_cast<unsigned>(*outcome.step)) : writer.nullMember("step");
  outcome.message.empty() ? writer.nullMember("message") : writer.member("message", outcome.message);
  writer.key("missing").beginArray();
  for (const preflight::Missing& missing : outcome.missing) writeMissing(writer, missing);
  writer.endArray();
  writer.endObject();
}

} // namespace

void writeFiles(json::Writer& writer, const preflight::FilesReport& report) {
  writer.key("files").beginArray();
  for (const preflight::FileOutcomes& file : report.files) {
    writer.beginObject();
    writer.member("path", file.path);
    writer.member("size", file.size);
    writer.member("library", file.ofTvm);
    writer.member("kind", library::fileKindName(file.kind));
    file.error.empty() ? writer.nullMember("error") : writer.member("error", file.error);
    if (!file.checked.empty()) writer.member("weights", file.checked);
    writer.key("targets").beginArray();
    for (const preflight::Outcome& outcome : file.outcomes) writeOutcome(writer, outcome);
    writer.endArray();
    writer.endObject();
  }
  writer.endArray();
  writer.key("counted").beginObject();
  using library::FileKind;
  for (const FileKind kind : {FileKind::PythonExtension, FileKind::Runtime, FileKind::Source, FileKind::Other})
    writer.member(library::fileKindName(kind), report.notJudged(kind));
  writer.endObject();
}

} // namespace blobscope::describe
