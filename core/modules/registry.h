#pragma once

#include "core/modules/codec.h"

#include <span>
#include <string_view>

namespace blobscope::modules {

/// The only table of module kinds.
std::span<const ModuleCodec* const> codecs();
/// Returns the codec of a type key; null when there is none.
const ModuleCodec* findCodec(std::string_view key);
/// Whether a release of TVM wrote that type key, with or without a codec here. Helps to find where an unknown payload
/// ends. Source: core/formats/module-kinds.md 1.
bool isUpstreamKey(std::string_view key);
/// Returns the body of a payload that a layout of `codec` decodes to the last byte. Tries `contexts` in order, and the
/// layout with the name `preferred` first. The error is that of the layout that decoded the most bytes.
Result<BodyPtr> decodePayload(const ModuleCodec& codec, const Bytes& payload, std::span<const WireContext> contexts,
                              std::string_view preferred = {});
/// Returns the body of a payload whose fields all decode and that has more bytes after them, as a newer exporter writes
/// it (Body::unknownTail). Uses the layout with the name `preferred`, or else the one that leaves the fewest bytes,
/// provided that the result lists something, its names are identifiers and its code has the declared format. Null when
/// there is no such layout.
BodyPtr decodeNewerPayload(const ModuleCodec& codec, const Bytes& payload, std::span<const WireContext> contexts,
                           std::string_view preferred = {});
/// Returns a body for bytes that no layout decodes; it encodes to the same bytes.
BodyPtr opaqueBody(Bytes bytes);
/// Returns a body for bytes of a known kind that fit no layout: the fields of the layout that decoded the most bytes,
/// then the bytes that were not read. It encodes to the same bytes.
BodyPtr damagedBody(Bytes bytes, const ModuleCodec& codec, const WireContext& context);

} // namespace blobscope::modules
