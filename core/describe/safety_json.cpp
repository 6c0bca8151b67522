#include "core/describe/safety_json.h"

namespace blobscope::describe {
namespace {

void textOrNull(json::Writer& writer, std::string_view key, const std::string& text) {
  text.empty() ? writer.nullMember(key) : writer.member(key, text);
}

void writeReached(json::Writer& writer, const safety::Reached& one) {
  writer.beginObject();
  writer.member("name", one.name);
  writer.member("group", safety::groupName(one.group));
  writer.member("at", one.at);
  writer.listMember("path", one.path);
  textOrNull(writer, "text", one.text);
  writer.member("by_known", one.byKnown);
  writer.member("computed", one.computed);
  writer.endObject();
}

void writePiece(json::Writer& writer, const safety::Piece& piece) {
  writer.beginObject();
  writer.member("kind", safety::triggerName(piece.trigger));
  writer.member("ref", piece.ref.toString());
  textOrNull(writer, "symbol", piece.symbol);
  writer.member("slot", piece.slot);
  writer.member("address", piece.address);
  writer.member("size", piece.size);
  writer.member("verdict", safety::verdictName(piece.verdict));
  textOrNull(writer, "known", piece.known);
  writer.listMember("incomplete", piece.incomplete);
  writer.key("reaches").beginArray();
  for (const safety::Reached& one : piece.reaches) writeReached(writer, one);
  writer.endArray();
  writer.key("functions").beginArray();
  for (const safety::ReachedFunction& one : piece.functions) {
    writer.beginObject();
    writer.member("address", one.address);
    textOrNull(writer, "digest", one.digest);
    textOrNull(writer, "known", one.known);
    writer.endObject();
  }
  writer.endArray();
  writer.listMember("system_calls", piece.systemCalls);
  writer.listMember("indirect", piece.indirect);
  writer.member("calls", piece.calls);
  writer.member("instructions", piece.instructions);
  writer.member("depth", piece.depth);
  writer.endObject();
}

void writeImports(json::Writer& writer, const safety::Report& report) {
  writer.key("imports").beginArray();
  for (const safety::Import& one : report.imports) {
    writer.beginObject();
    writer.member("name", one.name);
    textOrNull(writer, "library", one.library);
    writer.member("group", safety::groupName(one.group));
    writer.member("ref", one.ref.toString());
    writer.member("expected", one.expected);
    writer.member("delayed", one.delayed);
    writer.endObject();
  }
  writer.endArray();
  writer.key("calls_by_name").beginArray();
  for (const safety::PackedCall& one : report.packedCalls) {
    writer.beginObject();
    writer.member("name", one.name);
    textOrNull(writer, "acts", one.act);
    writer.member("ref", one.ref.toString());
    writer.endObject();
  }
  writer.endArray();
}

void writeSignature(json::Writer& writer, const safety::Signature& one) {
  writer.beginObject();
  writer.member("kind", one.kind);
  textOrNull(writer, "path", one.path);
  if (one.path.empty()) {
    writer.member("offset", one.extent.offset);
    writer.member("size", one.extent.size);
  } else {
    writer.nullMember("offset");
    writer.nullMember("size");
  }
  textOrNull(writer, "signer", one.signer);
  textOrNull(writer, "key", one.key);
  textOrNull(writer, "covers", one.covers);
  one.matches ? writer.member("matches", *one.matches) : writer.nullMember("matches");
  writer.member("verified", false); // no key and no certificate is checked
  textOrNull(writer, "problem", one.problem);
  writer.endObject();
}

void writeIdentity(json::Writer& writer, const safety::Report& report) {
  const safety::Identity& identity = report.identity;
  writer.key("digests").beginObject();
  writer.member("file", identity.file);
  textOrNull(writer, "code", identity.code);
  textOrNull(writer, "content", identity.content);
  writer.key("blobs").beginArray();
  for (const safety::BlobDigest& one : identity.blobs) {
    writer.beginObject();
    writer.member("ref", one.ref.toString());
    writer.member("sha256", one.sha256);
    writer.member("content", one.content);
    writer.endObject();
  }
  writer.endArray();
  writer.endObject();
  writer.key("identity").beginObject();
  textOrNull(writer, "build_id", identity.buildId);
  writer.listMember("compilers", identity.compilers);
  writer.listMember("times", identity.times);
  writer.listMember("users", identity.users);
  writer.endObject();
}

void writeBytes(json::Writer& writer, const safety::Report& report) {
  writer.key("unowned").beginArray();
  for (const safety::UnownedRange& one : report.unowned) {
    writer.beginObject();
    writer.member("offset", one.extent.offset);
    writer.member("size", one.extent.size);
    writer.key("entropy").raw(safety::entropyText(one.entropy));
    textOrNull(writer, "looks_like", one.looksLike);
    writer.member("where", one.where);
    writer.member("ref", one.ref.toString());
    writer.endObject();
  }
  writer.endArray();
  writer.key("sections").beginArray();
  for (const safety::OddSection& one : report.sections) {
    writer.beginObject();
    writer.member("name", one.name);
    writer.member("offset", one.extent.offset);
    writer.member("size", one.extent.size);
    writer.key("entropy").raw(safety::entropyText(one.entropy));
    textOrNull(writer, "looks_like", one.looksLike);
    writer.endObject();
  }
  writer.endArray();
  writer.key("inside").beginArray();
  for (const safety::InsideFile& one : report.inside) {
    writer.beginObject();
    writer.member("looks_like", one.looksLike);
    writer.member("offset", one.at);
    writer.member("ref", one.ref.toString());
    writer.endObject();
  }
  writer.endArray();
  writer.key("texts").beginArray();
  for (const safety::FoundText& one : report.texts) {
    writer.beginObject();
    writer.member("kind", safety::textKindName(one.kind));
    writer.member("text", one.text);
    writer.member("ref", one.ref.toString());
    writer.endObject();
  }
  writer.endArray();
}

} // namespace

void writeSafety(json::Writer& writer, const safety::Report& report) {
  writer.member("answer", report.sentence());
  writer.key("runs_at_load").beginArray();
  for (const safety::Piece& piece : report.pieces) writePiece(writer, piece);
  writer.endArray();
  writeImports(writer, report);
  writer.listMember("libraries", report.libraries);
  writer.listMember("search_paths", report.searchPaths);
  writer.listMember("loader_settings", report.environment);
  writer.member("writable_code", report.protection.writableCode());
  writer.member("executable_stack", report.protection.executableStack);
  writer.member("text_relocations", report.protection.textRelocations);
  textOrNull(writer, "relro", report.protection.relro);
  writer.key("system_calls").beginArray();
  for (const safety::Report::SystemCall& one : report.systemCalls) {
    writer.beginObject();
    writer.member("address", one.address);
    writer.member("text", one.text);
    writer.member("ref", one.ref.toString());
    writer.endObject();
  }
  writer.endArray();
  writer.key("signature");
  report.signatures.empty() ? (void)writer.null() : writeSignature(writer, report.signatures.front());
  writer.key("signatures").beginArray();
  for (const safety::Signature& one : report.signatures) writeSignature(writer, one);
  writer.endArray();
  writeIdentity(writer, report);
  writeBytes(writer, report);
  writer.listMember("not_read", report.notRead);
  check::writeFindings(report.findings, writer);
}

std::string safetyJson(const safety::Report& report) {
  std::string text;
  json::Writer writer([&](std::string_view piece) { text += piece; });
  writer.beginObject();
  writer.member("schema", "blobscope.safety/1");
  writeSafety(writer, report);
  writer.endObject();
  writer.finish();
  return text;
}

} // namespace blobscope::describe
