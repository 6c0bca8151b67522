#pragma once

#include "core/mlf/model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The time of the export in the metadata. Source: core/formats/model-library-format.md 6.1.
namespace blobscope::mlf {

/// Returns the seconds since 1970 of "YYYY-MM-DD HH:MM:SSZ"; nothing if it is not a valid date and time.
std::optional<int64_t> parseExportTime(std::string_view text);
/// The same for other spellings: with a T, without the Z, with fractions, which are dropped, or with an offset from
/// UTC.
std::optional<int64_t> parseSimilarTime(std::string_view text);
/// Returns "2022-08-01 12:00:00Z"; nothing for years that have not four digits.
std::optional<std::string> exportTimeText(int64_t seconds);
/// Returns the time stamp of the member metadata.json. Nothing if it has none: reproducible packers write zero.
std::optional<int64_t> metadataStamp(const Container& container);

} // namespace blobscope::mlf
