#include "core/base/pattern_search.h"

#include "tests/support/test_main.h"
#include "tests/support/test_support.h"

#include <algorithm>
#include <random>
#include <string>

using namespace blobscope;
using namespace blobscope::test;

namespace {

using Texts = std::vector<std::string_view>;

std::vector<std::size_t> placesOf(const Texts& texts, std::string_view data, std::size_t from = 0) {
  const PatternSearch search(texts);
  std::vector<std::size_t> out;
  for (std::size_t at = search.find(data, from); at != std::string_view::npos; at = search.find(data, at + 1))
    out.push_back(at);
  return out;
}

/// The same, place by place.
std::vector<std::size_t> placesByComparing(const Texts& texts, std::string_view data) {
  std::vector<std::size_t> out;
  for (std::size_t at = 0; at < data.size(); ++at)
    if (std::ranges::any_of(texts, [&](std::string_view text) { return data.substr(at).starts_with(text); }))
      out.push_back(at);
  return out;
}

} // namespace

class TestPatternSearch : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void eachPlaceIsFound();
  void searchBeginsAtTheGivenPlace();
  void textsMayOverlap();
  void endsOfTheDataAreSearched();
  void randomDataHasTheSamePlaces();
};

void TestPatternSearch::eachPlaceIsFound() {
  const Texts texts = {"/home/", "/tmp/", "https://"};
  QCOMPARE(placesOf(texts, "x/home/a /tmp/ see https://b/tmp/"), (std::vector<std::size_t>{1, 9, 19, 28}));
  QCOMPARE(placesOf(texts, "/hom/ /Home/ tmp/ http://"), std::vector<std::size_t>{});
  QCOMPARE(placesOf({}, "/home/"), std::vector<std::size_t>{});
}

void TestPatternSearch::searchBeginsAtTheGivenPlace() {
  const Texts texts = {"abcab"};
  const std::string_view data = "abcabcabcab";
  QCOMPARE(placesOf(texts, data, 1), (std::vector<std::size_t>{3, 6}));
  QCOMPARE(placesOf(texts, data, 7), std::vector<std::size_t>{});
  QCOMPARE(placesOf(texts, data, 100), std::vector<std::size_t>{});
}

void TestPatternSearch::textsMayOverlap() {
  QCOMPARE(placesOf({"aa"}, "aaaa"), (std::vector<std::size_t>{0, 1, 2}));
  QCOMPARE(placesOf({"MZ", "ZM", "MZMZ"}, "MZMZM"), (std::vector<std::size_t>{0, 1, 2, 3}));
}

void TestPatternSearch::endsOfTheDataAreSearched() {
  for (std::size_t before = 0; before < 40; ++before) {
    const std::string data = std::string(before, '.') + "/opt/";
    QCOMPARE(placesOf({"/opt/", "/usr/share/"}, data), std::vector<std::size_t>{before});
    QCOMPARE(placesOf({"/opt/"}, data.substr(0, data.size() - 1)), std::vector<std::size_t>{});
  }
  QCOMPARE(placesOf({"ab"}, "a"), std::vector<std::size_t>{});
  QCOMPARE(placesOf({"ab"}, ""), std::vector<std::size_t>{});
}

void TestPatternSearch::randomDataHasTheSamePlaces() {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::string data(random() % 500, '\0');
    for (char& c : data) c = static_cast<char>('a' + random() % 3);
    const Texts texts = round % 2 == 0 ? Texts{"abc", "cab", "aaaa", "bbbbb"} : Texts{"abcab", "ccccc", "babababa"};
    QCOMPARE(placesOf(texts, data), placesByComparing(texts, data));
  }
}

BLOBSCOPE_TEST(TestPatternSearch);

#include "test_pattern_search.moc"
