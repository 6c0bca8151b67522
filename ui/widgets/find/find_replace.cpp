#include "ui/widgets/find/find_replace.h"

#include "ui/widgets/find/find_piece.h"

#include <QCoreApplication>

namespace blobscope::ui {
namespace {

/// A part of a replacement: text, or what a group matched.
struct TemplatePart {
  std::string text;
  int group = -1; ///< negative for text
};

/// Returns the parts of a replacement for a regular expression; nullopt for an unknown escape, which `bad` returns.
std::optional<std::vector<TemplatePart>> partsOf(const QString& with, QString& bad) {
  std::vector<TemplatePart> parts;
  const auto add = [&](const QString& text) {
    if (parts.empty() || parts.back().group >= 0) parts.emplace_back();
    parts.back().text += text.toStdString();
  };
  for (qsizetype i = 0; i < with.size(); ++i) {
    qsizetype end = with.indexOf(QLatin1Char('\\'), i);
    if (end < 0) end = with.size();
    add(with.mid(i, end - i));
    i = end;
    if (i == with.size()) break;
    const QChar next = i + 1 < with.size() ? with[i + 1] : QChar();
    ++i;
    if (next >= QLatin1Char('0') && next <= QLatin1Char('9'))
      parts.push_back({{}, next.unicode() - '0'});
    else if (next == QLatin1Char('n'))
      add(QStringLiteral("\n"));
    else if (next == QLatin1Char('t'))
      add(QStringLiteral("\t"));
    else if (next == QLatin1Char('\\'))
      add(next);
    else {
      bad = QStringLiteral("\\") + (next.isNull() ? QString() : QString(next));
      return std::nullopt;
    }
  }
  return parts;
}

/// Expands a replacement at hits, whose lines are converted once.
class Expander {
public:
  Expander(std::string_view text, const FindQuery& query, std::vector<TemplatePart> parts)
      : m_text(text), m_expression(expressionOf(query)), m_parts(std::move(parts)) {
    m_expression.optimize();
  }

  std::string expand(const FindHit& hit) {
    if (!m_piece || hit.offset >= m_line.end() || hit.offset < m_line.offset) readLine(hit.offset);
    const qsizetype from = m_piece->position(hit.offset - m_line.offset);
    const QRegularExpressionMatch match = m_expression.match(m_piece->text(), from, QRegularExpression::NormalMatch,
                                                             QRegularExpression::AnchorAtOffsetMatchOption |
                                                                 QRegularExpression::DontCheckSubjectStringMatchOption);
    const uint64_t size = match.hasMatch() ? m_piece->offset(match.capturedEnd()) + m_line.offset - hit.offset : 0;
    if (size != hit.size) return std::string(m_text.substr(hit.offset, hit.size));
    std::string out;
    for (const TemplatePart& part : m_parts) {
      out += part.text;
      if (part.group < 0 || match.capturedStart(part.group) < 0) continue;
      const uint64_t start = m_piece->offset(match.capturedStart(part.group));
      const uint64_t end = m_piece->offset(match.capturedEnd(part.group));
      out += m_text.substr(m_line.offset + start, end - start);
    }
    return out;
  }

private:
  void readLine(uint64_t offset) {
    const std::size_t before = offset == 0 ? std::string_view::npos : m_text.rfind('\n', offset - 1);
    m_line.offset = before == std::string_view::npos ? 0 : before + 1;
    m_line.size = std::min(m_text.find('\n', offset), m_text.size()) - m_line.offset;
    m_piece.emplace(m_text.substr(m_line.offset, m_line.size));
  }

  std::string_view m_text;
  QRegularExpression m_expression;
  std::vector<TemplatePart> m_parts;
  Extent m_line;
  std::optional<Piece> m_piece;
};

} // namespace

QString replacementProblem(const FindQuery& query, const QString& with) {
  if (query.kind != FindQuery::Kind::Regex) return {};
  QString bad;
  const auto parts = partsOf(with, bad);
  if (!parts)
    return QCoreApplication::translate("FindBar", "Unknown escape sequence %1 in the replacement. Use \\\\ for a "
                                                  "backslash.")
        .arg(bad);
  const int groups = expressionOf(query).captureCount();
  for (const TemplatePart& part : *parts)
    if (part.group > groups)
      return QCoreApplication::translate("FindBar", "The pattern has no group \\%1.").arg(part.group);
  return {};
}

std::optional<std::vector<std::string>> replacementsOf(const Bytes& bytes, const FindHits& hits, const FindQuery& query,
                                                       const QString& with,
                                                       const std::function<bool()>& stopRequested) {
  if (query.kind != FindQuery::Kind::Regex) return std::vector<std::string>(hits.size(), with.toStdString());
  QString bad;
  auto parts = partsOf(with, bad);
  if (!parts) return std::nullopt;
  std::vector<std::string> out;
  out.reserve(hits.size());
  Expander expander(bytes.view(), query, std::move(*parts));
  for (const FindHit& hit : hits) {
    if (out.size() % 256 == 0 && stopRequested()) return std::nullopt;
    out.push_back(expander.expand(hit));
  }
  return out;
}

} // namespace blobscope::ui
