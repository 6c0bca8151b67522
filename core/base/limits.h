#pragma once

#include <cstdint>

/// Every cap in one place. A cap is far above what real files need and keeps hostile ones from costing time or memory;
/// reaching one gives a diagnostic that names it, never a crash.
namespace blobscope::limits {

/// Module records of one blob. Largest real tree seen has 5; every record costs at least 12 bytes of file.
constexpr uint64_t kModules = 65'536;
/// Edges of the import tree of one blob.
constexpr uint64_t kImportEdges = 1'048'576;
/// Items of one counted list inside a module (functions, arguments, shaders). Largest real one seen: 75.
constexpr uint64_t kListItems = 1'048'576;
/// Carriers of one file: one per system-lib prefix.
constexpr uint64_t kCarriers = 4'096;
/// Diagnostics kept per file; the last one then says how many were left out.
constexpr uint64_t kDiagnostics = 1'000;
/// Nesting of JSON text (nlohmann_json overflows the stack when it copies 100,000 levels).
constexpr uint64_t kJsonDepth = 256;

/// Places where a record may begin that are collected behind an unknown payload of a classic stream.
constexpr uint64_t kSearchCandidates = 200'000;
/// Rows of one field tree, 56 bytes each; what comes behind is one row.
constexpr uint64_t kFieldRows = 4'194'304;

/// Steps of one search for the end of unknown payloads. What failed is remembered, at about 50 bytes a step.
constexpr uint64_t kSearchSteps = 1'000'000;
/// Modules that one search may leave undecoded.
constexpr uint64_t kSearchAllowance = 4;
/// Longest text taken for a module key when its codec is unknown.
constexpr uint64_t kKeyLength = 64;

/// Symbols of one table.
constexpr uint64_t kSymbols = 64'000'000;
/// Sections of one image.
constexpr uint64_t kSections = 200'000;

/// Rows of the drawn import tree: a module shown under each of its parents can multiply.
constexpr uint64_t kTreeRows = 100'000;

/// Members of one archive.
constexpr uint64_t kMembers = 100'000;
/// Archives inside archives.
constexpr unsigned kNesting = 4;
/// Longest name of a member: that of a path on Windows, which is the longest of all systems.
constexpr uint64_t kMemberName = 32'767;

/// The budget for what a file of n bytes may cost in memory and work: kBudgetBase + kBudgetRatio × n, of memory no more
/// than kBudgetMemory. A file of 5 MB gets 722 MB.
constexpr uint64_t kBudgetBase = uint64_t{384} << 20;
constexpr uint64_t kBudgetRatio = 64;
constexpr uint64_t kBudgetMemory = uint64_t{2} << 30;
/// Memory that a member of an archive costs beside its bytes and names.
constexpr uint64_t kMemberCost = 2'048;
/// What writing may hold in memory of one unpacked member.
constexpr uint64_t kUnpackedBytes = uint64_t{2} << 30;
/// Work of one step of a search, in bytes.
constexpr uint64_t kStepCost = 256;
/// Values of one JSON text; one takes 56 bytes, a member of an object 88, beside its text.
constexpr uint64_t kJsonValues = 2'097'152;
/// What all files of a folder that is opened like an archive may have.
constexpr uint64_t kFolderBytes = uint64_t{1} << 30;
/// Folders inside folders.
constexpr unsigned kFolderDepth = 64;

/// Files up to this size are read into memory where it matters that they stay what they were; larger ones are mapped.
constexpr uint64_t kPrivateBytes = uint64_t{64} << 20;

} // namespace blobscope::limits
