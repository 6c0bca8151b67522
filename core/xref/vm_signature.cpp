#include "core/xref/vm_signature.h"

#include "core/base/text.h"
#include "core/host/literal.h"

namespace blobscope::xref {
namespace {

/// The longest annotation that is shown completely; a tuple of all weights has 42,000 bytes.
constexpr std::size_t kAnnotationBytes = 120;

/// Returns the position of the bracket that closes the one at `open`; npos when there is none. Ignores brackets in
/// quotes.
std::size_t closingOf(std::string_view text, std::size_t open) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted) continue;
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && --depth == 0) return i;
  }
  return std::string_view::npos;
}

bool readShape(std::string_view text, std::vector<host::Dimension>& out) {
  std::size_t from = 0;
  int depth = 0;
  const auto add = [&](std::size_t end) {
    std::string_view item = text.substr(from, end - from);
    while (item.starts_with(' ')) item.remove_prefix(1);
    if (!item.empty()) out.push_back(host::dimensionOf(item));
    from = end + 1;
    return out.size() <= host::kRank;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (text[i] == ',' && depth == 0 && !add(i)) return false;
  }
  return add(text.size()); // "(4,)" ends with an empty item
}

bool readTensor(std::string_view annotation, host::Parameter& out) {
  if (annotation.starts_with("R.")) annotation.remove_prefix(2);
  constexpr std::string_view kTensor = "Tensor(", kTuple = "T.Tuple", kType = "dtype=\"";
  if (!annotation.starts_with(kTensor)) return false;
  const std::size_t close = closingOf(annotation, kTensor.size() - 1);
  if (close == std::string_view::npos || close + 1 != annotation.size()) return false;
  std::string_view inner = annotation.substr(kTensor.size(), close - kTensor.size());
  out.kind = host::Parameter::Kind::Tensor;
  if (inner.starts_with(kTuple)) inner.remove_prefix(kTuple.size());
  if (inner.starts_with('(')) {
    const std::size_t end = closingOf(inner, 0);
    if (end == std::string_view::npos || !readShape(inner.substr(1, end - 1), out.shape)) {
      out.shape.clear();
    } else {
      out.rankKnown = true;
    }
  } else if (const std::size_t ndim = inner.find("ndim="); ndim != std::string_view::npos) {
    const auto rank = parseNumber(inner.substr(ndim + 5, inner.find_first_of(",)", ndim) - ndim - 5));
    if (rank && *rank <= host::kRank) {
      out.rankKnown = true;
      out.shape.resize(*rank);
    }
  }
  if (const std::size_t at = inner.find(kType); at != std::string_view::npos) {
    const std::string_view rest = inner.substr(at + kType.size());
    out.dtype = escapedWithin(rest.substr(0, rest.find('"')), kAnnotationBytes);
  }
  return true;
}

/// "R.Shape([m, 2])".
bool readShapeParameter(std::string_view annotation, host::Parameter& out) {
  constexpr std::string_view kShape = "R.Shape([";
  if (!annotation.starts_with(kShape)) return false;
  const std::size_t close = closingOf(annotation, kShape.size() - 1);
  if (close == std::string_view::npos || annotation.substr(close) != "])") return false;
  if (!readShape(annotation.substr(kShape.size(), close - kShape.size()), out.shape)) return false;
  out.kind = host::Parameter::Kind::Shape;
  out.rankKnown = true;
  return true;
}

constexpr std::size_t kItems = 10'000;
constexpr int kTupleDepth = 4;

host::Parameter itemOf(std::string_view annotation, int depth);

/// "R.Tuple(R.Tensor((2,), dtype="int8"), R.Object)"; v0.27 writes "T.Tuple(".
bool readTuple(std::string_view annotation, int depth, host::Parameter& out) {
  constexpr std::string_view kTuple = "R.Tuple(", kNewTuple = "T.Tuple(";
  if ((!annotation.starts_with(kTuple) && !annotation.starts_with(kNewTuple)) || depth == 0) return false;
  const std::size_t close = closingOf(annotation, kTuple.size() - 1);
  if (close == std::string_view::npos || close + 1 != annotation.size()) return false;
  std::string_view inner = annotation.substr(kTuple.size(), close - kTuple.size());
  std::size_t from = 0;
  int open = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= inner.size(); ++i) {
    const char c = i < inner.size() ? inner[i] : ',';
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '(' || c == '[') ++open;
    if (c == ')' || c == ']') --open;
    if (c != ',' || open != 0) continue;
    std::string_view item = inner.substr(from, i - from);
    while (item.starts_with(' ')) item.remove_prefix(1);
    from = i + 1;
    if (item.empty()) continue;
    if (out.items.size() == kItems) return false;
    out.items.push_back(itemOf(item, depth - 1));
  }
  out.kind = host::Parameter::Kind::Tuple;
  out.dtype = shortened(annotation, kAnnotationBytes);
  return true;
}

/// "T.int64", "R.Prim("float32")": the type of a number.
bool readNumber(std::string_view annotation, host::Parameter& out) {
  std::string_view type = annotation;
  for (const std::string_view begin : {"T.", "R.Prim(\""})
    if (type.starts_with(begin)) type.remove_prefix(begin.size());
  if (type.size() == annotation.size()) return false;
  if (type.starts_with("int") || type.starts_with("uint"))
    out.kind = host::Parameter::Kind::Integer;
  else if (type.starts_with("float"))
    out.kind = host::Parameter::Kind::Float;
  else if (type.starts_with("bool"))
    out.kind = host::Parameter::Kind::Boolean;
  else
    return false;
  out.dtype = shortened(annotation, kAnnotationBytes); // as the text states it
  return true;
}

host::Parameter itemOf(std::string_view annotation, int depth) {
  host::Parameter out;
  if (readTensor(annotation, out) || readShapeParameter(annotation, out) || readNumber(annotation, out) ||
      readTuple(annotation, depth, out))
    return out;
  out = {};
  out.dtype = shortened(annotation, kAnnotationBytes);
  return out;
}

} // namespace

host::Parameter parameterOf(std::string_view name, std::string_view annotation) {
  host::Parameter out = itemOf(annotation, kTupleDepth);
  out.name = name;
  return out;
}

host::Signature signatureOf(const modules::Caller& caller) {
  host::Signature out;
  out.function = caller.name;
  out.source = caller.parameters.empty() ? host::Signature::Source::Bytecode : host::Signature::Source::None;
  for (const modules::CalledParameter& stored : caller.parameters) {
    host::Parameter parameter = parameterOf(stored.name, stored.annotation);
    const bool checked = stored.rank || !stored.shape.empty() || !stored.dtype.empty();
    if (stored.annotation.empty() && checked) {
      parameter.kind = host::Parameter::Kind::Tensor;
      parameter.dtype = stored.dtype;
      for (const std::string& dimension : stored.shape) parameter.shape.push_back(host::dimensionOf(dimension));
      parameter.rankKnown = stored.rank || !stored.shape.empty();
      if (stored.shape.empty() && stored.rank) parameter.shape.resize(static_cast<std::size_t>(*stored.rank));
    }
    if (checked || !stored.annotation.empty()) out.source = host::Signature::Source::Bytecode;
    out.parameters.push_back(std::move(parameter));
  }
  out.collectVariables();
  return out;
}

host::Signature signatureOf(const modules::GraphArguments& stored) {
  host::Signature out;
  out.function = stored.function;
  out.source = host::Signature::Source::Graph;
  for (const modules::GraphArguments::Tensor& tensor : stored.arguments) {
    host::Parameter parameter;
    parameter.name = escapedWithin(tensor.name, kAnnotationBytes);
    parameter.kind = host::Parameter::Kind::Tensor;
    parameter.dtype = escapedWithin(tensor.dtype, kAnnotationBytes);
    if (tensor.shape) {
      parameter.rankKnown = true;
      for (const int64_t extent : *tensor.shape) parameter.shape.push_back(host::dimensionOf(std::to_string(extent)));
    }
    out.parameters.push_back(std::move(parameter));
  }
  return out;
}

} // namespace blobscope::xref
