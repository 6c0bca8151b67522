#pragma once

#include "core/base/field_tree.h"
#include "core/base/reader.h"
#include "core/base/writer.h"

#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

/// One function per structure reads, writes and describes its bytes:
///
///     template <class A> void wire(A& ar, wire_ref<A, FunctionInfo> v) {
///       ar.string("name", v.name);
///       ar.list("arg_types", v.argTypes, 4, [](A& ar, auto& type) { wire(ar, type); });
///     }
///
/// The archives: ReadArchive (bytes → values), WriteArchive (values → bytes), DescribeArchive (values → field tree).
/// Names are literals and become the names shown and the paths of refs.
namespace blobscope {

/// `T&` for the reading archive, `const T&` for the others.
template <class A, class T> using wire_ref = std::conditional_t<A::kReads, T&, const T&>;

template <class T> constexpr FieldType fieldTypeOf() {
  if constexpr (std::is_enum_v<T>)
    return fieldTypeOf<std::underlying_type_t<T>>();
  else if constexpr (std::is_floating_point_v<T>)
    return FieldType::F64;
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 4 ? FieldType::I32 : FieldType::I64;
  else
    return sizeof(T) == 1   ? FieldType::U8
           : sizeof(T) == 2 ? FieldType::U16
           : sizeof(T) == 4 ? FieldType::U32
                            : FieldType::U64;
}

/// What a structure needs to know about its stream, because its own bytes do not say it.
struct WireContext {
  bool extraTags = false; ///< FunctionInfo has its fourth field (v0.21 on)
  bool dlpack = false;    ///< data type codes 6 and above are DLPack's (v0.21 on)
};

class ReadArchive {
public:
  static constexpr bool kReads = true;
  ReadArchive(Reader& reader, WireContext context) : m_reader(reader), m_context(context) {}
  const WireContext& context() const { return m_context; }

  bool ok() const { return m_reader.ok(); }
  Reader& reader() { return m_reader; }

  template <class T> void number(const char* name, T& value, FieldRole = FieldRole::Number) {
    value = m_reader.number<T>(name);
  }
  void string(const char* name, Bytes& value, FieldRole = FieldRole::Text) { value = m_reader.string(name); }
  void data(const char* name, Bytes& value) { value = m_reader.string(name); }
  void words(const char* name, Bytes& value) { value = m_reader.array(name, 4); }
  /// Bytes without a stored length; other fields say how many.
  void raw(const char* name, Bytes& value, uint64_t size) { value = m_reader.raw(name, size); }
  void words64(const char* name, Bytes& value) { value = m_reader.array(name, 8); }
  void dataType(const char* name, uint32_t& value, bool) { value = m_reader.number<uint32_t>(name); }

  /// `item(archive, element)` reads one element of at least `minimumSize` bytes.
  template <class T, class F> void list(const char* name, std::vector<T>& values, uint64_t minimumSize, F item) {
    const uint64_t count = m_reader.count(name, minimumSize);
    m_reader.enter(name);
    for (uint64_t i = 0; i < count && ok(); ++i) {
      m_reader.enterItem(i);
      item(*this, values.emplace_back());
      m_reader.leave();
    }
    m_reader.leave();
  }
  /// A list whose `count` is in other fields. Fails above limits::kListItems or when the items do not fit into the
  /// bytes left.
  template <class T, class F>
  void items(const char* name, std::vector<T>& values, uint64_t count, uint64_t minimumSize, F item) {
    if (!ok()) return;
    if (count > limits::kListItems || count > m_reader.left() / minimumSize) {
      m_reader.failValue(name, m_reader.position(), count, "a number of items that fit into the bytes left");
      return;
    }
    m_reader.enter(name);
    for (uint64_t i = 0; i < count && ok(); ++i) {
      m_reader.enterItem(i);
      item(*this, values.emplace_back());
      m_reader.leave();
    }
    m_reader.leave();
  }
  template <class F> void group(const char* name, F fields) {
    m_reader.enter(name);
    fields(*this);
    m_reader.leave();
  }
  /// u64 byte length, then the fields, which must use exactly that many bytes.
  template <class F> void sized(const char* name, F fields) {
    const uint64_t start = m_reader.position();
    const Bytes inner = m_reader.string(name);
    if (!ok()) return;
    const uint64_t end = m_reader.position();
    m_reader.enter(name);
    m_reader.seek(start + 8);
    fields(*this);
    m_reader.leave();
    if (ok() && m_reader.position() != end)
      m_reader.failValue(name, start, inner.size(), "the length of the structure it holds");
  }

private:
  Reader& m_reader;
  WireContext m_context;
};

class WriteArchive {
public:
  static constexpr bool kReads = false;
  explicit WriteArchive(Writer& writer) : m_writer(&writer) {}

  bool ok() const { return true; }
  template <class T> void number(const char*, const T& value, FieldRole = FieldRole::Number) {
    m_writer->number(value);
  }
  void string(const char*, const Bytes& value, FieldRole = FieldRole::Text) { m_writer->string(value); }
  void data(const char*, const Bytes& value) { m_writer->string(value); }
  void words(const char*, const Bytes& value) {
    m_writer->number<uint64_t>(value.size() / 4);
    m_writer->raw(value);
  }
  void raw(const char*, const Bytes& value, uint64_t) { m_writer->raw(value); }
  void words64(const char*, const Bytes& value) {
    m_writer->number<uint64_t>(value.size() / 8);
    m_writer->raw(value);
  }
  void dataType(const char*, uint32_t value, bool) { m_writer->number(value); }
  template <class T, class F> void list(const char*, const std::vector<T>& values, uint64_t, F item) {
    m_writer->number<uint64_t>(values.size());
    for (const T& value : values) item(*this, value);
  }
  template <class T, class F> void items(const char*, const std::vector<T>& values, uint64_t, uint64_t, F item) {
    for (const T& value : values) item(*this, value);
  }
  template <class F> void group(const char*, F fields) { fields(*this); }
  template <class F> void sized(const char*, F fields) {
    Writer inner;
    Writer* const outer = std::exchange(m_writer, &inner);
    fields(*this);
    m_writer = outer;
    m_writer->number<uint64_t>(inner.size());
    m_writer->append(std::move(inner));
  }

private:
  Writer* m_writer;
};

class DescribeArchive {
public:
  static constexpr bool kReads = false;
  explicit DescribeArchive(FieldTreeBuilder& builder) : m_builder(builder) {}

  bool ok() const { return true; }
  template <class T> void number(const char* name, const T& value, FieldRole role = FieldRole::Number) {
    uint64_t raw = 0;
    std::memcpy(&raw, &value, sizeof(T));
    m_builder.leaf(name, fieldTypeOf<T>(), role, sizeof(T), raw);
  }
  void string(const char* name, const Bytes& value, FieldRole role = FieldRole::Text) {
    m_builder.leaf(name, FieldType::String, role, 8 + value.size(), value.size());
  }
  void data(const char* name, const Bytes& value) {
    m_builder.leaf(name, FieldType::Data, FieldRole::Payload, 8 + value.size(), value.size());
  }
  void words(const char* name, const Bytes& value) {
    m_builder.leaf(name, FieldType::Words, FieldRole::Payload, 8 + value.size(), value.size() / 4);
  }
  void raw(const char* name, const Bytes& value, uint64_t) {
    m_builder.leaf(name, FieldType::Data, FieldRole::Payload, value.size(), value.size());
  }
  void words64(const char* name, const Bytes& value) {
    m_builder.leaf(name, FieldType::Words64, FieldRole::Payload, 8 + value.size(), value.size() / 8);
  }
  void dataType(const char* name, uint32_t value, bool dlpack) {
    m_builder.leaf(name, FieldType::DataType, FieldRole::TypeCode, 4, value | uint64_t{dlpack} << 32);
  }
  template <class T, class F> void list(const char* name, const std::vector<T>& values, uint64_t, F item) {
    m_builder.open(name, FieldType::List, FieldRole::Length, 8, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      m_builder.nextIndex(static_cast<uint32_t>(i));
      item(*this, values[i]);
    }
    m_builder.close();
  }
  template <class T, class F> void items(const char* name, const std::vector<T>& values, uint64_t, uint64_t, F item) {
    m_builder.open(name, FieldType::Items, FieldRole::Structure, 0, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      m_builder.nextIndex(static_cast<uint32_t>(i));
      item(*this, values[i]);
    }
    m_builder.close();
  }
  template <class F> void group(const char* name, F fields) {
    m_builder.open(name, FieldType::Group, FieldRole::Structure, 0, 0);
    fields(*this);
    m_builder.close();
  }
  template <class F> void sized(const char* name, F fields) {
    m_builder.open(name, FieldType::Sized, FieldRole::Length, 8, 0);
    fields(*this);
    m_builder.close();
  }

private:
  FieldTreeBuilder& m_builder;
};

} // namespace blobscope
