#pragma once

namespace blobscope {

/// The rule that a window's thread never waits: it does no work that reads, decodes, hashes, compares or writes a file.
/// A window calls forbidLongWork() for its thread; each function of core that does such work calls longWork() first. In
/// builds with BLOBSCOPE_CHECK_THREADS (all builds with tests) a violation ends the program and names the function; in
/// other builds the calls do nothing.
#ifdef BLOBSCOPE_CHECK_THREADS
void forbidLongWork();
/// `entry` is the function's name, a literal.
void longWork(const char* entry);
#else
inline void forbidLongWork() {}
inline void longWork(const char*) {}
#endif

} // namespace blobscope
