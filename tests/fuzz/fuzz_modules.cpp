#include "core/modules/registry.h"
#include "core/view/page.h"
#include "tests/fuzz/step_limit.h"
#include "tests/support/test_support.h"

/// The first byte selects codec and layout, the second one the generation; the rest is a payload.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace blobscope;
  if (size < 2) return 0;
  const auto codecs = modules::codecs();
  const modules::ModuleCodec& codec = *codecs[data[0] % codecs.size()];
  const modules::Layout& layout = codec.layouts[data[0] / codecs.size() % codec.layouts.size()];
  const Bytes payload = test::bytes({reinterpret_cast<const char*>(data) + 2, size - 2});
  Reader reader(payload);
  const modules::BodyPtr body = layout.decode(reader, {(data[1] & 1) != 0, (data[1] & 2) != 0});
  if (!body) {
    (void)reader.error().message();
    // The fields before the damage are shown.
    if (!layout.describePrefix) return 0;
    const FieldTree prefix = layout.describePrefix(payload, {(data[1] & 1) != 0, (data[1] & 2) != 0});
    if (prefix.ownedBytes() > payload.size()) __builtin_trap();
    for (uint32_t row = 0; row < std::min<std::size_t>(prefix.rows.size(), 200); ++row) {
      if (prefix.rows[row].after <= row || prefix.rows[row].after > prefix.rows.size()) __builtin_trap();
      (void)prefix.path(row);
      (void)prefix.value(row);
    }
    const modules::BodyPtr damaged = modules::damagedBody(payload, codec, {(data[1] & 1) != 0, (data[1] & 2) != 0});
    Writer same;
    damaged->encode(same);
    if (same.size() != payload.size()) __builtin_trap();
    (void)damaged->kernels();
    if (modules::describeBody(*damaged, payload).ownedBytes() > payload.size()) __builtin_trap();
    return 0;
  }
  // A decoded payload round-trips, and the fields cover it.
  Writer writer;
  body->encode(writer);
  const uint64_t encoded = writer.size();
  if (encoded != reader.position()) __builtin_trap();
  test::StepLimit monitor(size);
  const auto difference = findDifference(writer.takePieces(), payload.slice(0, encoded), monitor);
  if (!difference || *difference) __builtin_trap();
  const FieldTree tree = modules::describeBody(*body, payload.slice(0, encoded));
  if (tree.ownedBytes() != encoded) __builtin_trap();
  for (uint32_t row = 0; row < std::min<std::size_t>(tree.rows.size(), 200); ++row) {
    if (tree.find(tree.path(row)).value_or(row + 1) > row) __builtin_trap();
    (void)tree.value(row);
  }
  view::PageList pages;
  body->pages(pages);
  (void)body->content();
  const auto touch = [&](const view::PageList& list) {
    for (const view::Page& page : list) {
      if (page.name == "SASS" || page.name == "Instruction mix") continue; // another program's work
      const auto made = view::resolvePage(page, monitor);
      const auto* const table = made ? std::get_if<view::TablePage>(&made->content) : nullptr;
      if (!table) continue;
      const std::size_t columns = table->source->columns().size();
      for (uint64_t row = 0; row < std::min<uint64_t>(table->source->rowCount(), 20); ++row)
        for (std::size_t column = 0; column < columns; ++column) (void)table->source->cell(row, column);
    }
  };
  touch(pages);
  for (const modules::Kernel& kernel : body->kernels()) {
    view::PageList own;
    body->kernelPages(kernel, own);
    touch(own);
  }
  for (const modules::PartGroup& group : body->parts())
    for (std::size_t i = 0; i < std::min<std::size_t>(group.parts.size(), 8); ++i) {
      if (group.parts[i].fieldRow.value_or(0) >= tree.rows.size() && !tree.rows.empty()) __builtin_trap();
      if (const auto content = body->part(group.kind, i, monitor)) touch(content->pages);
    }
  return 0;
}
