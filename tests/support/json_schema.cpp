#include "tests/support/json_schema.h"

#include <algorithm>
#include <array>
#include <regex>

namespace blobscope::test {
namespace {

using json::Value;

std::string typeOf(const Value& value) {
  if (value.isNull()) return "null";
  if (std::holds_alternative<bool>(value.data)) return "boolean";
  if (std::holds_alternative<int64_t>(value.data) || std::holds_alternative<uint64_t>(value.data)) return "integer";
  if (std::holds_alternative<double>(value.data)) return "number";
  if (value.string()) return "string";
  return value.array() ? "array" : "object";
}

bool same(const Value& a, const Value& b) {
  if (a.string() && b.string()) return *a.string() == *b.string();
  return a.isNull() && b.isNull();
}

class Validator {
public:
  explicit Validator(const Value& root) : m_root(root) {}

  std::string check(const Value& value, const Value& schema, const std::string& path) const {
    constexpr std::array<std::string_view, 16> kKnown = {
        "type",    "const",   "enum", "oneOf", "properties", "required", "additionalProperties", "items", "minimum",
        "maximum", "pattern", "$ref", "$defs", "$schema",    "title",    "description"};
    for (const auto& [keyword, content] : *schema.object())
      if (std::find(kKnown.begin(), kKnown.end(), keyword) == kKnown.end()) return "unknown keyword " + keyword;
    if (const Value* ref = schema.find("$ref")) {
      const std::string name = ref->string()->substr(std::string("#/$defs/").size());
      return check(value, *m_root.find("$defs")->find(name), path);
    }
    if (const Value* type = schema.find("type")) {
      const Value::Array types = type->array() ? *type->array() : Value::Array{*type};
      if (std::none_of(types.begin(), types.end(), [&](const Value& one) {
            return *one.string() == typeOf(value) || (*one.string() == "number" && typeOf(value) == "integer");
          }))
        return path + ": " + typeOf(value) + " instead of " + *types.front().string();
    }
    if (const Value* constant = schema.find("const"))
      if (!same(value, *constant)) return path + ": not the constant";
    if (const Value* allowed = schema.find("enum"))
      if (std::none_of(allowed->array()->begin(), allowed->array()->end(),
                       [&](const Value& one) { return same(value, one); }))
        return path + ": none of the allowed values";
    if (const Value* choices = schema.find("oneOf")) {
      int fitting = 0;
      for (const Value& choice : *choices->array()) fitting += check(value, choice, path).empty();
      if (fitting != 1) return path + ": " + std::to_string(fitting) + " of the alternatives fit";
    }
    if (const Value* pattern = schema.find("pattern"))
      if (value.string() && !std::regex_search(*value.string(), std::regex(*pattern->string())))
        return path + ": does not match " + *pattern->string();
    if (schema.find("minimum") && std::holds_alternative<int64_t>(value.data) && std::get<int64_t>(value.data) < 0)
      return path + ": negative";
    if (const Value* const maximum = schema.find("maximum"); maximum && value.isWhole())
      if (value.number() > maximum->number()) return path + ": above " + std::to_string(maximum->number());
    if (value.array())
      if (const Value* items = schema.find("items"))
        for (std::size_t i = 0; i < value.array()->size(); ++i) {
          std::string why = check((*value.array())[i], *items, path + "[" + std::to_string(i) + "]");
          if (!why.empty()) return why;
        }
    return value.object() ? checkObject(value, schema, path) : std::string();
  }

private:
  std::string checkObject(const Value& value, const Value& schema, const std::string& path) const {
    if (const Value* required = schema.find("required"))
      for (const Value& name : *required->array())
        if (!value.find(*name.string())) return path + ": lacks " + *name.string();
    const Value* const properties = schema.find("properties");
    const Value* const additional = schema.find("additionalProperties");
    const bool* const allowed = additional ? std::get_if<bool>(&additional->data) : nullptr;
    const bool closed = allowed && !*allowed;
    for (const auto& [name, member] : *value.object()) {
      const Value* const property = properties ? properties->find(name) : nullptr;
      if (!property && closed) return path + ": unexpected " + name;
      if (!property) continue;
      std::string why = check(member, *property, path + "." + name);
      if (!why.empty()) return why;
    }
    return {};
  }

  const Value& m_root;
};

} // namespace

std::string whyInvalid(const Value& value, const Value& schema) { return Validator(schema).check(value, schema, "$"); }

} // namespace blobscope::test
