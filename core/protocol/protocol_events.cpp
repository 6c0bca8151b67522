#include "core/protocol/protocol.h"
#include "core/protocol/protocol_json.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace blobscope::protocol {
namespace {

constexpr std::array<std::string_view, 11> kStages = {"preflight", "limits",    "dlopen", "init", "driver",  "module",
                                                      "alloc",     "host-call", "launch", "sync", "readback"};
/// In the order of Event's alternatives.
constexpr std::array<std::string_view, std::variant_size_v<Event>> kNames = {
    "hello", "device", "stage", "log",  "sig",      "launch", "time",     "tensor",
    "call",  "error",  "crash", "done", "metadata", "node",   "node-time"};

/// Longest name and longest sentence; JSON may need six bytes for one.
constexpr std::size_t kNameBytes = 512;
constexpr std::size_t kTextBytes = 8'000;
/// A signature text names every parameter of a function.
constexpr std::size_t kLiteralBytes = 40'000;
constexpr std::size_t kFacts = 200;
/// Maximum number of dimensions of a result.
constexpr std::size_t kRank = 64;
/// Maximum number of outputs of a node that are reported.
constexpr std::size_t kNodeOutputs = 100;

/// One description for writing and reading, so that both have the same members.
class EventWriter {
public:
  explicit EventWriter(json::Writer& out) : m_out(out) {}
  void member(std::string_view name, std::string& value, std::size_t limit) {
    m_out.member(name, escapedOrText(value, limit));
  }
  template <std::integral T> void member(std::string_view name, T& value) { m_out.member(name, value); }
  template <std::integral T> void optional(std::string_view name, std::optional<T>& value) {
    if (value) m_out.member(name, *value);
  }
  void optional(std::string_view name, std::optional<std::string>& value) {
    if (value) m_out.member(name, escapedOrText(*value, kNameBytes));
  }
  void three(std::string_view name, std::array<uint64_t, 3>& value) { m_out.listMember(name, value); }
  void stage(Stage& stage) { m_out.member("stage", stageName(stage)); }
  void typeAndShape(std::optional<DataType>& type, std::vector<int64_t>& shape) {
    if (!type) return;
    m_out.listMember("type", std::array<unsigned, 3>{type->code, type->bits, type->lanes}).listMember("shape", shape);
  }
  template <class T, class F> void list(std::string_view name, std::vector<T>& items, std::size_t most, F&& each) {
    m_out.key(name).beginArray();
    for (std::size_t i = 0; i < items.size() && i < most; ++i) {
      m_out.beginObject();
      each(*this, items[i]);
      m_out.endObject();
    }
    m_out.endArray();
  }
  void texts(std::string_view name, std::vector<std::string>& values, std::size_t most) {
    m_out.key(name).beginArray();
    for (std::size_t i = 0; i < values.size() && i < most; ++i) m_out.value(escapedOrText(values[i], kNameBytes));
    m_out.endArray();
  }
  void times(std::string_view name, std::vector<double>& values) {
    m_out.key(name).beginArray();
    for (std::size_t i = 0; i < values.size() && i < kEventItems; ++i) {
      std::array<char, 64> text{};
      // A clock that returns nonsense must not make the line invalid.
      const double value = std::isfinite(values[i]) && std::abs(values[i]) < 1e15 ? values[i] : 0;
      std::snprintf(text.data(), text.size(), "%.3f", value);
      m_out.raw(text.data());
    }
    m_out.endArray();
  }

private:
  static std::string escapedOrText(const std::string& value, std::size_t limit) {
    return isUtf8(value) ? shortened(value, limit) : escapedWithin(value, limit);
  }
  json::Writer& m_out;
};

class EventReader {
public:
  explicit EventReader(MemberReader& in) : m_in(in) {}
  void member(std::string_view name, std::string& value, std::size_t) { value = m_in.text(name); }
  template <std::integral T> void member(std::string_view name, T& value) {
    if constexpr (std::same_as<T, bool>)
      value = m_in.truth(name);
    else
      value = m_in.number<T>(name);
  }
  template <std::integral T> void optional(std::string_view name, std::optional<T>& value) {
    value = m_in.numberIfNext<T>(name);
  }
  void optional(std::string_view name, std::optional<std::string>& value) {
    if (m_in.isNext(name)) value = m_in.text(name);
  }
  void three(std::string_view name, std::array<uint64_t, 3>& value) { value = m_in.three(name); }
  void stage(Stage& stage) {
    const std::string text = m_in.text("stage");
    for (std::size_t i = 0; i < kStages.size(); ++i)
      if (kStages[i] == text) {
        stage = static_cast<Stage>(i);
        return;
      }
    m_in.fail("'stage' is '" + escapedWithin(text, 40) + "'");
  }
  void typeAndShape(std::optional<DataType>& type, std::vector<int64_t>& shape) {
    if (!m_in.isNext("type")) return;
    const std::vector<uint64_t> numbers = m_in.numbers<uint64_t>("type", 3);
    if (m_in.fine() && (numbers.size() != 3 || numbers[0] > 255 || numbers[1] > 255 || numbers[2] > 65'535))
      m_in.fail("a data type does not fit");
    shape = m_in.numbers<int64_t>("shape", kRank);
    if (!m_in.fine()) return;
    type =
        DataType{static_cast<uint8_t>(numbers[0]), static_cast<uint8_t>(numbers[1]), static_cast<uint16_t>(numbers[2])};
    if (!dataBytes(*type, shape)) m_in.fail("a shape does not fit");
  }
  template <class T, class F> void list(std::string_view name, std::vector<T>& items, std::size_t most, F&& each) {
    m_in.list(name, most, [&](const json::Value& value) {
      MemberReader inner(value);
      EventReader reading(inner);
      each(reading, items.emplace_back());
      inner.end();
      m_in.within(name, inner);
    });
  }
  void texts(std::string_view name, std::vector<std::string>& values, std::size_t most) {
    values = m_in.texts(name, most);
  }
  void times(std::string_view name, std::vector<double>& values) {
    m_in.list(name, kEventItems, [&](const json::Value& value) {
      if (const auto* const real = std::get_if<double>(&value.data))
        values.push_back(*real);
      else if (const auto* const whole = std::get_if<uint64_t>(&value.data))
        values.push_back(static_cast<double>(*whole));
      else
        m_in.fail("a time is not a number");
      if (m_in.fine() && !std::isfinite(values.back())) m_in.fail("a time is not a number");
    });
  }

private:
  MemberReader& m_in;
};

template <class A> void members(A& a, Hello& e) {
  a.member("proto", e.protocol);
  a.member("pid", e.pid);
  a.member("version", e.version, kNameBytes);
}
template <class A> void members(A& a, DeviceFound& e) {
  a.member("kind", e.kind, kNameBytes);
  a.member("index", e.index);
  a.member("name", e.name, kNameBytes);
  a.member("driver", e.driver, kNameBytes);
  a.member("memory", e.memoryBytes);
  a.member("cpu", e.isCpu);
  a.list("facts", e.facts, kFacts, [](auto& inner, auto& fact) {
    inner.member("label", fact.first, kNameBytes);
    inner.member("value", fact.second, kNameBytes);
  });
  a.list("limits", e.limits, kFacts, [](auto& inner, auto& limit) {
    inner.member("name", limit.first, kNameBytes);
    inner.member("value", limit.second);
  });
}
template <class A> void members(A& a, StageEntered& e) {
  a.stage(e.stage);
  a.optional("call", e.call);
}
template <class A> void members(A& a, LogLine& e) { a.member("text", e.text, kTextBytes); }
template <class A> void members(A& a, ProbedSignature& e) {
  a.member("call", e.call);
  a.member("tries", e.tries);
  a.member("accepted", e.accepted);
  a.member("literal", e.literal, kLiteralBytes);
  a.list("args", e.arguments, kEventItems, [](auto& inner, ProbedArgument& probed) {
    inner.member("name", probed.name, kNameBytes);
    inner.member("kind", probed.kind, kNameBytes);
    inner.member("dtype", probed.dtype, kNameBytes);
    inner.member("rank_known", probed.rankKnown);
    inner.texts("shape", probed.shape, 64);
    inner.optional("device", probed.deviceType);
  });
}
template <class A> void members(A& a, LaunchEvent& e) {
  a.member("call", e.call);
  a.member("kernel", e.kernel, kNameBytes);
  a.three("grid", e.extents.grid);
  a.three("block", e.extents.block);
  a.three("cluster", e.extents.cluster);
  a.member("dyn", e.extents.dynamicShared);
  a.member("programmatic", e.programmatic);
  a.member("cooperative", e.cooperative);
  a.list("args", e.arguments, kEventItems, [](auto& inner, LaunchArgument& argument) {
    inner.optional("tensor", argument.tensor);
    inner.member("value", argument.value);
    inner.member("code", argument.type.code);
    inner.member("bits", argument.type.bits);
  });
}
template <class A> void members(A& a, TimesMeasured& e) {
  a.member("call", e.call);
  a.member("kernel", e.kernel);
  a.member("name", e.name, kNameBytes);
  a.member("launch", e.launch);
  a.times("us", e.microseconds);
}
template <class A> void members(A& a, TensorWritten& e) {
  a.member("call", e.call);
  a.member("name", e.name, kNameBytes);
  a.member("argument", e.argument);
  a.member("file", e.file, kNameBytes);
  a.member("bytes", e.bytes);
  a.member("overrun_before", e.overrunBefore);
  a.member("overrun_behind", e.overrunAfter);
  a.typeAndShape(e.type, e.shape);
}
template <class A> void members(A& a, CallEnded& e) {
  a.member("call", e.call);
  a.member("function", e.function, kNameBytes);
  a.member("code", e.code);
  a.member("launches", e.launches);
}
template <class A> void members(A& a, ErrorReported& e) {
  a.member("id", e.id, kNameBytes);
  a.member("message", e.message, kTextBytes);
  a.optional("call", e.call);
}
template <class A> void members(A& a, Crash& e) {
  a.member("signal", e.signal);
  a.member("addr", e.address);
  a.optional("library_offset", e.libraryOffset);
  a.stage(e.stage);
  a.optional("call", e.call);
}
template <class A> void members(A& a, Finished& e) { a.member("code", e.code); }

template <class A> void members(A& a, MetadataRead& e) {
  a.member("call", e.call);
  a.member("text", e.text, kMetadataPieceBytes);
  a.member("more", e.more);
}

template <class A> void members(A& a, NodeRan& e) {
  a.member("call", e.call);
  a.member("node", e.node);
  a.member("name", e.name, kNameBytes);
  a.member("function", e.function, kNameBytes);
  a.member("step", e.step);
  a.member("within", e.within, kNameBytes);
  a.member("first_launch", e.firstLaunch);
  a.member("launches", e.launches);
  a.member("read", e.bytesRead);
  a.list("outputs", e.outputs, kNodeOutputs, [](auto& inner, NodeRan::Output& output) {
    inner.member("file", output.file, kNameBytes);
    inner.member("bytes", output.bytes);
    // The writer reads this value, and the reader replaces it.
    std::optional<DataType> type = output.type;
    inner.typeAndShape(type, output.shape);
    output.type = type.value_or(DataType{});
  });
}
template <class A> void members(A& a, NodeTimes& e) {
  a.member("call", e.call);
  a.member("node", e.node);
  a.times("us", e.microseconds);
}

/// Calls `use` with an empty event of the kind that has this name; false when there is none.
template <std::size_t I = 0, class F> bool withNamed(std::string_view name, F&& use) {
  if constexpr (I < std::variant_size_v<Event>) {
    if (kNames[I] != name) return withNamed<I + 1>(name, use);
    use(std::variant_alternative_t<I, Event>{});
    return true;
  } else {
    return false;
  }
}

} // namespace

std::string_view stageName(Stage stage) { return kStages[static_cast<std::size_t>(stage)]; }

std::string writeEvent(const Event& event) {
  std::string line = oneLine([&](json::Writer& out) {
    out.beginObject().member("ev", kNames[event.index()]);
    std::visit(
        [&](auto content) {
          EventWriter writing(out);
          members(writing, content);
        },
        event);
    out.endObject();
  });
  line.pop_back(); // the newline
  if (line.size() <= kLineBytes) return line;
  return writeEvent(
      LogLine{"an event '" + std::string(kNames[event.index()]) + "' of " + sizeText(line.size()) + " was omitted"});
}

Result<Event> readEvent(std::string_view line) {
  const auto wrong = [](std::string reason) {
    return Error(DiagnosticId::RunProtocol, {{"reason", std::move(reason)}});
  };
  if (line.size() > kLineBytes) return wrong("a line of more than " + sizeText(kLineBytes));
  auto value = json::parse(Bytes::copyOf(line));
  if (!value) return wrong("'" + escapedWithin(line, 80) + "'");
  MemberReader reader(*value);
  const std::string name = reader.text("ev");
  Event event;
  const bool known = withNamed(name, [&](auto content) {
    EventReader reading(reader);
    members(reading, content);
    event = std::move(content);
  });
  if (!known) reader.fail("an event '" + escapedWithin(name, 40) + "'");
  reader.end();
  if (!reader.fine()) return wrong(known ? "event '" + name + "': " + reader.problem() : reader.problem());
  return event;
}

} // namespace blobscope::protocol
