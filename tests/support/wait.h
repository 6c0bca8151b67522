#pragma once

namespace blobscope::test {

/// A limit against hanging for waits in tests, in milliseconds: what usually takes a second takes many on a busy
/// machine. No test judges by it how fast something is.
constexpr int kWaitMs = 180'000;

} // namespace blobscope::test
