#pragma once

#include <cstdint>

/// All limits. A limit is far above what real files need and keeps crafted files from costing too much time or memory.
/// Reaching one gives a diagnostic that names it, never a crash.
namespace blobscope::limits {

/// Module records of one blob. Largest real tree seen has 5; every record costs at least 12 bytes of file.
constexpr uint64_t kModules = 65'536;
/// Edges of the import tree of one blob.
constexpr uint64_t kImportEdges = 1'048'576;
/// Items of one counted list inside a module (functions, arguments, shaders). Largest real one seen: 75.
constexpr uint64_t kListItems = 1'048'576;
/// Carriers of one file: one per prefix of a system library.
constexpr uint64_t kCarriers = 4'096;
/// Diagnostics kept per file; the last one then says how many were omitted.
constexpr uint64_t kDiagnostics = 1'000;
/// Nesting of JSON text (nlohmann_json overflows the stack when it copies 100,000 levels).
constexpr uint64_t kJsonDepth = 256;

/// Offsets at which a record may begin, collected after an unknown payload of a classic stream.
constexpr uint64_t kSearchCandidates = 200'000;
/// Rows of one field tree, 56 bytes each; everything after them is one row.
constexpr uint64_t kFieldRows = 4'194'304;

/// Steps of one search for the end of unknown payloads. Failed steps are remembered, at about 50 bytes a step.
constexpr uint64_t kSearchSteps = 1'000'000;
/// Modules that one search may leave undecoded.
constexpr uint64_t kSearchAllowance = 4;
/// Longest text taken for a module key when its codec is unknown.
constexpr uint64_t kKeyLength = 64;

/// Symbols of one table.
constexpr uint64_t kSymbols = 64'000'000;
/// Sections of one image.
constexpr uint64_t kSections = 200'000;

/// Rows of the drawn import tree: a module is shown under each of its parents, so rows can multiply.
constexpr uint64_t kTreeRows = 100'000;

/// Members of one archive.
constexpr uint64_t kMembers = 100'000;
/// Archives inside archives.
constexpr unsigned kNesting = 4;
/// Longest name of a member: the length limit of a path on Windows, which is the largest of all systems.
constexpr uint64_t kMemberName = 32'767;

/// The budget that limits memory and work for a file of n bytes: kBudgetBase + kBudgetRatio × n, for memory no more
/// than kBudgetMemory. A file of 5 MB gets 722 MB.
constexpr uint64_t kBudgetBase = uint64_t{384} << 20;
constexpr uint64_t kBudgetRatio = 64;
constexpr uint64_t kBudgetMemory = uint64_t{2} << 30;
/// Memory that a member of an archive costs in addition to its bytes and names.
constexpr uint64_t kMemberCost = 2'048;
/// Maximum memory that writing may use for one unpacked member.
constexpr uint64_t kUnpackedBytes = uint64_t{2} << 30;
/// Work of one step of a search, in bytes.
constexpr uint64_t kStepCost = 256;
/// Values of one JSON text; one takes 56 bytes, a member of an object 88, in addition to its text.
constexpr uint64_t kJsonValues = 2'097'152;
/// Maximum size of all files in a folder that is opened like an archive.
constexpr uint64_t kFolderBytes = uint64_t{1} << 30;
/// Folders inside folders.
constexpr unsigned kFolderDepth = 64;

/// Files up to this size are read into memory where their bytes must not change later; larger ones are mapped.
constexpr uint64_t kPrivateBytes = uint64_t{64} << 20;

/// Maximum size of a table of runtimes and devices; the largest has 60 KB.
constexpr uint64_t kFactsTable = uint64_t{16} << 20;

} // namespace blobscope::limits
