#pragma once

#include "tools/wearctl/console.h"
#include "tools/wearctl/text.h"

#include <cstddef>
#include <string>
#include <vector>

namespace wearout::tools {

struct Column {
    std::string title;
    Align align = Align::left;
    /// How narrow it may get when the screen is; 0: as wide as its longest cell, always.
    std::size_t shrinks_to = 0;
    /// Columns with the highest number are left out first; 0 is never left out.
    int expendable = 0;
};

struct Cell {
    std::string text;
    Tone tone = Tone::plain;
};

/// Rows under titles, each one line, never wider than the screen while its columns let themselves be shrunk
/// or left out. Two spaces lie between columns, one where room is scarce.
class Table {
  public:
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
    /// One cell a column. Text is made `printable`.
    void add(std::vector<Cell> row);
    [[nodiscard]] bool empty() const { return rows_.empty(); }
    /// Titles and rows, each with its line end.
    [[nodiscard]] std::string text(const Screen& screen) const;

  private:
    struct Layout {
        std::vector<std::size_t> shown;   ///< Indices of columns,
        std::vector<std::size_t> widths;  ///< and how wide each is.
        std::size_t gap = 2;
        [[nodiscard]] std::size_t total() const;
    };
    [[nodiscard]] Layout layout(std::size_t screen_columns) const;
    [[nodiscard]] std::string line(const Layout& layout, const std::vector<Cell>& cells,
                                   const Screen& screen) const;

    std::vector<Column> columns_;
    std::vector<std::vector<Cell>> rows_;
};

/// Lines of "name  value", the values one below the other and broken to the screen's width.
class Listing {
  public:
    void add(std::string name, const std::string& value, Tone tone = Tone::plain);
    [[nodiscard]] std::string text(const Screen& screen) const;

  private:
    struct Line {
        std::string name;
        Cell value;
    };
    std::vector<Line> lines_;
};

}  // namespace wearout::tools
