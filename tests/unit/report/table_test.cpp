#include "gpucap/report/table.hpp"

#include "gpucap/report/cell.hpp"
#include "gpucap/report/text.hpp"

#include "support/catch.hpp"

using namespace gpucap::report;

namespace {
const Table three{{{"NAME"}, {"COST", true, 1}, {"EXTRA", true, 2}}, {{"a", "1", "x"}}, {}};
}

TEST_CASE("columns are aligned, numbers right, without blanks at line ends") {
  const Table table{{{"NAME"}, {"COST", true}, {"LIMIT"}},
                    {{"long name", "1.50", "link"}, {"b", "12.00", ""}},
                    {true, false}};
  CHECK(aligned(table, std::nullopt) ==
        "  NAME        COST  LIMIT\n"
        "* long name   1.50  link\n"
        "  b          12.00\n");
}

TEST_CASE("on a narrow terminal the highest drop rank goes first and a foot line names it") {
  // NAME + COST + EXTRA with two blanks between = 4 + 2 + 4 + 2 + 5 = 17
  CHECK(aligned(three, 17) == "NAME  COST  EXTRA\na        1      x\n");
  CHECK(aligned(three, 16) == "NAME  COST\na        1\nNot shown for lack of width: EXTRA.\n");
  CHECK(aligned(three, 5) == "NAME\na\nNot shown for lack of width: COST, EXTRA.\n");
  CHECK(aligned(three, 1) == "NAME\na\nNot shown for lack of width: COST, EXTRA.\n");
}

TEST_CASE("without a width, as in a pipe, nothing is left out") {
  CHECK(aligned(three, std::nullopt) == "NAME  COST  EXTRA\na        1      x\n");
}

TEST_CASE("of equal drop ranks the rightmost column goes first") {
  const Table table{{{"A"}, {"B", false, 1}, {"C", false, 1}}, {}, {}};
  CHECK(aligned(table, 4) == "A  B\nNot shown for lack of width: C.\n");
}

TEST_CASE("wide characters and combining marks keep the columns straight") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("\xE6\xBC\xA2") == 2);      // U+6F22
  CHECK(display_width("e\xCC\x81") == 1);         // e + U+0301
  CHECK(display_width("\xF0\x9F\x98\x80") == 2);  // U+1F600
  const Table table{{{"N"}, {"X"}}, {{"\xE6\xBC\xA2", "1"}, {"ab", "2"}}, {}};
  CHECK(aligned(table, std::nullopt) == "N   X\n\xE6\xBC\xA2  1\nab  2\n");
}

TEST_CASE("a name cannot send escape codes or break a row") {
  CHECK(printable("a\x1B[31mb") == "a\xEF\xBF\xBD[31mb");
  CHECK(printable("a\nb\tc") == "a b c");
  CHECK(printable("\xC2\x9B") == "\xEF\xBF\xBD");              // U+009B, a one-character escape
  CHECK(printable("\xED\xA0\x80").size() == 9);                // a surrogate: three wrong bytes
  CHECK(printable("\xC0\xAF") == "\xEF\xBF\xBD\xEF\xBF\xBD");  // overlong '/'
}

TEST_CASE("Markdown escapes what would be markup") {
  const Table table{{{"NAME"}, {"N", true}}, {{"a|b <script>", "1"}}, {true}};
  CHECK(markdown(table) ==
        "|   | NAME | N |\n"
        "| --- | --- | ---: |\n"
        "| \\* | a\\|b \\<script\\> | 1 |\n");
}

TEST_CASE("numbers for people are rounded to what can be read, with their unit") {
  CHECK(shown(Cell{0.6149}, Shown::seconds) == "0.61 s");
  CHECK(shown(Cell{183.57}, Shown::seconds) == "184 s");
  CHECK(shown(Cell{0.0043}, Shown::seconds) == "0.0043 s");
  CHECK(shown(Cell{0.0312}, Shown::milliseconds) == "31 ms");
  CHECK(shown(Cell{0.0043}, Shown::milliseconds) == "4.3 ms");
  CHECK(shown(Cell{0.8}, Shown::money) == "0.80");
  CHECK(shown(Cell{0.0042}, Shown::money) == "0.0042");  // never "0.00" for a price
  CHECK(shown(Cell{1168.004}, Shown::money) == "1,168.00");
  CHECK(shown(Cell{0.713}, Shown::percent) == "71 %");
  CHECK(shown(Cell{0.001}, Shown::percent) == "<1 %");
  CHECK(shown(Cell{std::int64_t{10000}}, Shown::count) == "10,000");
  CHECK(shown(Cell{std::int64_t{-1000}}, Shown::count) == "-1,000");
  CHECK(shown(Cell{0.0}, Shown::seconds) == "0 s");
  CHECK(shown(Cell{165.2}, Shown::exact) == "165.2");
  CHECK(shown(Cell{std::int64_t{2520}}, Shown::exact) == "2520");
  CHECK(shown(Cell{}, Shown::seconds) == "-");
  CHECK(shown(flag_cell(false), Shown::yes_no) == "NO");
}
