#include "core/view/html.h"

#include "core/base/text.h"

#include <algorithm>

namespace blobscope::view {
namespace {

constexpr std::string_view kPictureStyle = R"(
/* Each colour comes twice, for programs that do not know var(). */
:root { color-scheme: light dark; --text: #1b1f24; --faint: #57606a; --back: #ffffff; --box: #f3f5f7; --line: #d0d7de;
  --changed: #7d4e00; --added: #116329; --removed: #a40e26; --moved: #0550ae; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e9ed; --faint: #9aa4af; --back: #16191d; --box: #20252b; --line: #39414a;
    --changed: #e3b341; --added: #6fd087; --removed: #ff8a80; --moved: #8ab8ff; } }
svg { background: #ffffff; background: var(--back); }
svg text { font: 12px system-ui, sans-serif; fill: #1b1f24; fill: var(--text); }
svg .faint { fill: #57606a; fill: var(--faint); }
svg .line { stroke: #d0d7de; stroke: var(--line); fill: none; }
svg .peak { stroke: #0550ae; stroke: var(--moved); fill: none; stroke-width: 1.5; }
svg .reserved { fill: #4a7dbd; fill-opacity: .2; } svg .used { fill: #4a7dbd; fill-opacity: .75; }
svg .box { fill: #4a7dbd; fill-opacity: .14; stroke: #4a7dbd; } svg .weights { fill: #b98a3c; fill-opacity: .6; }
svg .cache, svg .function { fill: #8a63c9; fill-opacity: .45; } svg .constants { fill: #7d8894; fill-opacity: .5; }
svg .arguments, svg .kernel { fill: #2f9e6e; fill-opacity: .45; }
svg .packed, svg .builtins { fill: #4a7dbd; fill-opacity: .4; }
svg .limit { stroke: #57606a; stroke: var(--faint); stroke-dasharray: 4 3; }
svg .curve { fill: none; stroke-width: 1.8; }
svg .series0 { fill: #4a7dbd; stroke: #4a7dbd; } svg .series1 { fill: #b98a3c; stroke: #b98a3c; }
svg .series2 { fill: #2f9e6e; stroke: #2f9e6e; } svg .series3 { fill: #8a63c9; stroke: #8a63c9; }
svg .series4 { fill: #c2554e; stroke: #c2554e; } svg .series5 { fill: #7d8894; stroke: #7d8894; }
svg rect[class^="series"] { fill-opacity: .7; } svg .curve { fill: none; }
)";

constexpr std::string_view kStyle =
    R"(
body { margin: 2rem auto; padding: 0 1rem; max-width: 75rem; color: var(--text); background: var(--back);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
code { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
table { border-collapse: collapse; } th, td { padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; }
th { font-weight: 600; } tbody tr { border-top: 1px solid var(--line); } td.number { text-align: right; }
ul { list-style: none; padding-left: 1.25rem; margin: 0; border-left: 1px solid var(--line); }
ul.tree { padding-left: 0; border: 0; } li { padding: .15rem 0; } summary { cursor: pointer; }
.summary { background: var(--box); padding: .75rem 1rem; border-radius: 6px; } .summary ul { border: 0; padding: 0; }
.status { display: inline-block; min-width: 5rem; font-weight: 600; } .detail, .topic { color: var(--faint); }
.changed { color: var(--changed); } .added { color: var(--added); } .removed { color: var(--removed); }
.wide { width: 100%; }
.answer { background: var(--box); padding: .75rem 1rem; border-radius: 6px; font-weight: 600; }
.faint, .note { color: var(--faint); } .error { color: var(--removed); } .warning { color: var(--changed); }
.picture { overflow: auto; max-height: 80vh; }
.renamed, .moved { color: var(--moved); } .same { color: var(--faint); }
)";

} // namespace

std::string htmlHead(std::string_view title) {
  const std::string shown = htmlText(title);
  return R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>)" +
         shown + "</title>\n<style>\n" + std::string(kPictureStyle) + std::string(kStyle) +
         "</style>\n</head>\n<body>\n<h1>" + shown + "</h1>\n";
}

std::string svgDocument(std::string_view picture) {
  constexpr std::string_view kElement = "<svg";
  const std::size_t begin = std::min(picture.find('\n'), picture.size());
  return std::string(kElement) + " xmlns=\"http://www.w3.org/2000/svg\"" +
         std::string(picture.substr(kElement.size(), begin - kElement.size())) + "\n<style>" +
         std::string(kPictureStyle) + "</style>" + std::string(picture.substr(begin));
}

std::string htmlText(std::string_view raw, std::size_t most) {
  // The text is built from escaped names, so this changes nothing in practice.
  const std::string text = plainText(raw, most);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\'': out += "&#39;"; break;
    default: out += c;
    }
  }
  return out;
}

} // namespace blobscope::view
