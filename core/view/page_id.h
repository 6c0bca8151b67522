#pragma once

/// Ids of the pages that code searches for or links to. The id is Page::name: unique among the pages of a node, the
/// same in links, bookmarks, `show --page` and on the page bar.
namespace blobscope::view::page_id {

inline constexpr char kCallGraph[] = "Call graph";
inline constexpr char kCalls[] = "Calls";
inline constexpr char kEntropy[] = "Entropy";
inline constexpr char kFields[] = "Fields";
inline constexpr char kFit[] = "Will it fit?";
inline constexpr char kFunctions[] = "Functions";
inline constexpr char kGraph[] = "Graph";
inline constexpr char kHex[] = "Hex";
inline constexpr char kImages[] = "Images";
inline constexpr char kInstructionMix[] = "Instruction mix";
inline constexpr char kKernels[] = "Kernels";
inline constexpr char kMembers[] = "Members";
inline constexpr char kMemoryPlan[] = "Memory plan";
inline constexpr char kMemory[] = "Memory";
inline constexpr char kMetadata[] = "Metadata";
inline constexpr char kModules[] = "Modules";
inline constexpr char kNewSource[] = "New source";
inline constexpr char kOperators[] = "Operators";
inline constexpr char kOverview[] = "Overview";
inline constexpr char kParameters[] = "Parameters";
inline constexpr char kPreflight[] = "Will it load?";
inline constexpr char kProblems[] = "Problems";
inline constexpr char kRequirements[] = "Requirements";
inline constexpr char kSafety[] = "Safety";
inline constexpr char kSections[] = "Sections";
inline constexpr char kSize[] = "Size";
inline constexpr char kStrings[] = "Strings";
inline constexpr char kSymbols[] = "Symbols";

} // namespace blobscope::view::page_id
