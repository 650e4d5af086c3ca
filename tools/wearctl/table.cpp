#include "tools/wearctl/table.h"

#include <algorithm>
#include <numeric>

namespace wearout::tools {

void Table::add(std::vector<Cell> row) {
    row.resize(columns_.size());
    for (Cell& cell : row)
        cell.text = printable(cell.text);
    rows_.push_back(std::move(row));
}

std::size_t Table::Layout::total() const {
    return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
           (shown.empty() ? 0 : gap * (shown.size() - 1));
}

Table::Layout Table::layout(std::size_t screen_columns) const {
    Layout layout;
    layout.shown.resize(columns_.size());
    std::iota(layout.shown.begin(), layout.shown.end(), std::size_t{0});
    while (true) {
        layout.widths.clear();
        for (const std::size_t index : layout.shown) {
            std::size_t width = display_width(columns_[index].title);
            for (const auto& row : rows_)
                width = std::max(width, display_width(row[index].text));
            layout.widths.push_back(width);
        }
        for (const std::size_t gap : {std::size_t{2}, std::size_t{1}}) {
            layout.gap = gap;
            for (std::size_t i = 0; i < layout.shown.size(); ++i) {
                const std::size_t least = columns_[layout.shown[i]].shrinks_to;
                const std::size_t total = layout.total();
                if (total <= screen_columns) return layout;
                if (least == 0 || layout.widths[i] <= least) continue;
                layout.widths[i] -= std::min(layout.widths[i] - least, total - screen_columns);
            }
            if (layout.total() <= screen_columns) return layout;
        }
        const auto next = std::max_element(layout.shown.begin(), layout.shown.end(), [this](auto a, auto b) {
            return columns_[a].expendable < columns_[b].expendable;
        });
        if (next == layout.shown.end() || columns_[*next].expendable == 0) return layout;
        layout.shown.erase(next);
        layout.gap = 2;
    }
}

std::string Table::line(const Layout& layout, const std::vector<Cell>& cells, const Screen& screen) const {
    std::string text;
    for (std::size_t i = 0; i < layout.shown.size(); ++i) {
        const std::size_t index = layout.shown[i];
        const Cell& cell = cells[index];
        const std::string cut = truncated(cell.text, layout.widths[i], screen.unicode);
        const bool last = i + 1 == layout.shown.size();
        const std::string filled = last && columns_[index].align == Align::left
                                       ? cut
                                       : padded(cut, layout.widths[i], columns_[index].align);
        if (i > 0) text.append(layout.gap, ' ');
        text += paint(screen, cell.tone, filled);
    }
    while (text.ends_with(' '))
        text.pop_back();
    return text + "\n";
}

std::string Table::text(const Screen& screen) const {
    const Layout fitted = layout(screen.columns);
    std::vector<Cell> titles;
    for (const Column& column : columns_)
        titles.push_back({column.title, Tone::strong});
    std::string all = line(fitted, titles, screen);
    for (const auto& row : rows_)
        all += line(fitted, row, screen);
    return all;
}

void Listing::add(std::string name, const std::string& value, Tone tone) {
    lines_.push_back({std::move(name), {printable(value), tone}});
}

std::string Listing::text(const Screen& screen) const {
    std::size_t names = 0;
    for (const Line& line : lines_)
        names = std::max(names, display_width(line.name));
    const std::size_t room = std::max<std::size_t>(screen.columns, names + 22) - names - 2;
    std::string all;
    for (const Line& line : lines_) {
        std::string_view name = line.name;
        for (const std::string& part : wrapped(line.value.text, room)) {
            std::string head = padded(name, names + 2, Align::left);
            all += paint(screen, Tone::faint, head) + paint(screen, line.value.tone, part) + "\n";
            name = {};
        }
    }
    return all;
}

}  // namespace wearout::tools
