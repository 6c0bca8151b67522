#pragma once

#include <string_view>

/// Ids of the pages that code looks for or leads to. The id is Page::name: unique among the pages of a node, the same
/// in links, bookmarks and `show --page`. pageTitle() is the text that a window shows for it.
namespace blobscope::view::page_id {

inline constexpr char kFields[] = "Fields";
inline constexpr char kFunctions[] = "Functions";
inline constexpr char kHex[] = "Hex";
inline constexpr char kHost[] = "Host";
inline constexpr char kMembers[] = "Members";
inline constexpr char kMemory[] = "Memory";
inline constexpr char kMetadata[] = "Metadata";
inline constexpr char kModules[] = "Modules";
inline constexpr char kOperators[] = "Operators";
inline constexpr char kOverview[] = "Overview";
inline constexpr char kParameters[] = "Parameters";
inline constexpr char kProblems[] = "Problems";
inline constexpr char kSections[] = "Sections";
inline constexpr char kSymbols[] = "Symbols";

} // namespace blobscope::view::page_id

namespace blobscope::view {

/// The title of a page: its id, or more words where the id alone is not clear.
constexpr std::string_view pageTitle(std::string_view id) { return id == page_id::kHost ? "Host functions" : id; }

} // namespace blobscope::view
