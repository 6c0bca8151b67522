#include "app/runner/system.h"

#include "app/runner/channel.h"
#include "core/base/windows_win32.h"

#include <bit>
#include <psapi.h>

namespace blobscope::runner::system {

void* reserveAddresses(uint64_t bytes) { return VirtualAlloc(nullptr, bytes, MEM_RESERVE, PAGE_NOACCESS); }

void* allocatePages(uint64_t bytes) { return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE); }

void releasePages(void* pages, uint64_t) { VirtualFree(pages, 0, MEM_RELEASE); }

// MinGW's linker reserves this much unless it is asked for another size.
uint64_t stackBytes() { return uint64_t{2} << 20; }

unsigned processorHere() { return GetCurrentProcessorNumber(); }

void placeThread(unsigned first, unsigned number) {
  DWORD_PTR allowed = 0, all = 0;
  if (!GetProcessAffinityMask(GetCurrentProcess(), &allowed, &all) || allowed == 0) return;
  unsigned skip = number % static_cast<unsigned>(std::popcount(allowed));
  for (unsigned i = 0; i < 8 * sizeof allowed; ++i) {
    const DWORD_PTR one = DWORD_PTR{1} << (first + i) % (8 * sizeof allowed);
    if (!(allowed & one) || skip-- > 0) continue;
    SetThreadAffinityMask(GetCurrentThread(), one); // only speed depends on it
    return;
  }
}

void moveThread(unsigned processor) {
  DWORD_PTR allowed = 0, all = 0;
  if (!GetProcessAffinityMask(GetCurrentProcess(), &allowed, &all)) return;
  placeThread(processor, 0);
  SetThreadAffinityMask(GetCurrentThread(), allowed);
}

// There is no such table for calls within a library.
void redirectCalls(void*, const std::function<void*(std::string_view)>&) {}

void sendRange(void* library) {
  MODULEINFO facts = {};
  if (!GetModuleInformation(GetCurrentProcess(), static_cast<HMODULE>(library), &facts, sizeof facts)) return;
  const auto begin = reinterpret_cast<uint64_t>(facts.lpBaseOfDll);
  setLibraryRange(begin, begin, begin + facts.SizeOfImage);
}

void allowFiles(process::Confinement&, const RunFiles& files) {
  // Files are not confined on Windows; temporary ones go to the folder all the same, which is removed after the run.
  for (const wchar_t* const name : {L"TEMP", L"TMP"}) SetEnvironmentVariableW(name, files.folder.c_str());
}

void allowCompilers(process::Confinement&, std::string_view, const std::string&) {}

} // namespace blobscope::runner::system
