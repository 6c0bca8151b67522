#pragma once

#include "core/modules/codec.h"

#include <span>
#include <string_view>

namespace blobscope::modules {

/// The one table of kinds.
std::span<const ModuleCodec* const> codecs();
/// The codec of a type key, null when there is none.
const ModuleCodec* findCodec(std::string_view key);
/// Whether TVM itself ever wrote that type key, with or without a codec here. Helps to find where an unknown payload
/// ends. Source: core/formats/module-kinds.md 1.
bool isUpstreamKey(std::string_view key);
/// The body of a payload that a layout of `codec` explains to its last byte; `contexts` are tried in order, and of the
/// layouts the one called `preferred` first. The error is that of the layout that came furthest.
Result<BodyPtr> decodePayload(const ModuleCodec& codec, const Bytes& payload, std::span<const WireContext> contexts,
                              std::string_view preferred = {});
/// The body of a payload whose fields all decode and that goes on behind them, as a newer exporter writes it
/// (Body::unknownTail): in the layout called `preferred`, or else in the one that leaves the fewest bytes, if what was
/// read lists something, by names that are identifiers, with code that is what its format says. Null when there is no
/// such layout.
BodyPtr decodeNewerPayload(const ModuleCodec& codec, const Bytes& payload, std::span<const WireContext> contexts,
                           std::string_view preferred = {});
/// A body for bytes that no layout explains; encodes to the same bytes.
BodyPtr opaqueBody(Bytes bytes);
/// A body for bytes of a known kind that no layout fits: the fields of the layout that came furthest, then the bytes
/// that were not read. Encodes to the same bytes.
BodyPtr damagedBody(Bytes bytes, const ModuleCodec& codec, const WireContext& context);

} // namespace blobscope::modules
