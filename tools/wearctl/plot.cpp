#include "tools/wearctl/plot.h"

#include "tools/wearctl/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace wearout::tools {

namespace {

/// A number as an axis shows it, with as many digits as its step needs.
std::string tick_text(double value, double step) {
    const double magnitude = std::max(std::fabs(value), step);
    if (magnitude >= 1e6 || (step > 0 && step < 1e-5)) return fmt::format("{:.3g}", value);
    const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
    return value == 0 ? "0" : fmt::format("{:.{}f}", value, digits);
}

struct Range {
    double low = 0;
    double high = 1;
    /// Where `value` lies between the ends, from 0 to 1.
    [[nodiscard]] double part(double value) const {
        return std::clamp((value - low) / (high - low), 0.0, 1.0);
    }
};

/// Dots, row by row from the top; each knows which series drew it last, so that characters can be told apart
/// in ASCII and coloured.
class Canvas {
  public:
    Canvas(std::size_t columns, std::size_t rows, bool braille)
        : columns_(columns),
          rows_(rows),
          across_(braille ? 2 : 1),
          down_(braille ? 4 : 1),
          dots_(columns * across_ * rows * down_, -1) {}

    [[nodiscard]] std::size_t width() const { return columns_ * across_; }
    /// The dot row that stands for `part` of the height: 0 is the middle of the lowest row of characters, 1
    /// of the highest, so that the axis' numbers stand beside what they say.
    [[nodiscard]] std::size_t dot_row(double part) const {
        const auto span = static_cast<double>((rows_ - 1) * down_);
        return down_ / 2 + static_cast<std::size_t>(std::lround((1 - part) * span));
    }
    [[nodiscard]] std::size_t row_of_dot(std::size_t y) const { return y / down_; }

    void dot(std::size_t x, std::size_t y, int series) { dots_.at(y * width() + x) = series; }

    void line(std::size_t x0, std::size_t y0, std::size_t x1, std::size_t y1, int series) {
        const auto distance = [](std::size_t a, std::size_t b) { return a > b ? a - b : b - a; };
        const std::size_t steps = std::max({distance(x0, x1), distance(y0, y1), std::size_t{1}});
        const auto between = [steps](std::size_t from, std::size_t to, std::size_t i) {
            const double at =
                static_cast<double>(from) + (static_cast<double>(to) - static_cast<double>(from)) *
                                                static_cast<double>(i) / static_cast<double>(steps);
            return static_cast<std::size_t>(std::lround(at));
        };
        for (std::size_t i = 0; i <= steps; ++i)
            dot(between(x0, x1, i), between(y0, y1, i), series);
    }

    /// One row of characters. Trailing blanks are kept.
    [[nodiscard]] std::string row(std::size_t row, const Screen& screen) const {
        std::string text;
        for (std::size_t column = 0; column < columns_; ++column) {
            int series = -1;
            const std::uint32_t bits = bits_of(column, row, series);
            text += series < 0 ? " " : painted(bits, series, screen);
        }
        return text;
    }

  private:
    [[nodiscard]] std::uint32_t bits_of(std::size_t column, std::size_t row, int& series) const {
        // The order of the dots in U+2800 + bits (Unicode, Braille Patterns).
        constexpr std::array<std::array<std::uint32_t, 2>, 4> braille = {
            {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
        std::uint32_t bits = 0;
        for (std::size_t y = 0; y < down_; ++y)
            for (std::size_t x = 0; x < across_; ++x)
                if (const int drawn = dots_[(row * down_ + y) * width() + column * across_ + x]; drawn >= 0) {
                    bits |= braille.at(y).at(x);
                    series = drawn;
                }
        return bits;
    }
    [[nodiscard]] std::string painted(std::uint32_t bits, int series, const Screen& screen) const {
        constexpr std::array tones = {Tone::good, Tone::warning, Tone::bad};
        constexpr std::array marks = {"*", "+", "o"};
        const auto index = static_cast<std::size_t>(series) % tones.size();
        if (down_ == 1) return paint(screen, tones.at(index), marks.at(index));
        const char32_t code = 0x2800 + bits;
        const std::string utf8 = {static_cast<char>(0xe0U | code >> 12U),
                                  static_cast<char>(0x80U | (code >> 6U & 0x3fU)),
                                  static_cast<char>(0x80U | (code & 0x3fU))};
        return paint(screen, tones.at(index), utf8);
    }

    std::size_t columns_;
    std::size_t rows_;
    std::size_t across_;
    std::size_t down_;
    std::vector<int> dots_;
};

struct Axes {
    Range x;
    Range y;
    std::vector<double> y_ticks;
    std::vector<std::string> y_texts;
    std::size_t margin = 0;  ///< Columns left of the axis.
    std::size_t rows_per_tick = 1;
    [[nodiscard]] std::size_t rows() const { return rows_per_tick * (y_ticks.size() - 1) + 1; }
};

Axes axes_of(const std::vector<PlotSeries>& series, const PlotOptions& options) {
    double x_low = HUGE_VAL;
    double x_high = -HUGE_VAL;
    double low = options.at_least.value_or(HUGE_VAL);
    double high = options.at_most.value_or(-HUGE_VAL);
    for (const PlotSeries& one : series)
        for (const analysis::Point& point : one.points) {
            x_low = std::min(x_low, point.tb);
            x_high = std::max(x_high, point.tb);
            low = std::min(low, point.value);
            high = std::max(high, point.value);
        }
    Axes axes;
    if (!(x_high > x_low)) x_high = x_low + 1e-6;
    axes.x = {x_low, x_high};
    axes.y_ticks = round_ticks(low, high, std::max<std::size_t>(2, options.rows / 2));
    axes.y = {axes.y_ticks.front(), axes.y_ticks.back()};
    const std::size_t gaps = axes.y_ticks.size() - 1;
    axes.rows_per_tick = std::max<std::size_t>(1, (options.rows - 1 + gaps / 2) / gaps);
    for (const double tick : axes.y_ticks) {
        axes.y_texts.push_back(tick_text(tick, axes.y_ticks[1] - axes.y_ticks[0]));
        axes.margin = std::max(axes.margin, axes.y_texts.back().size());
    }
    return axes;
}

/// Draws one curve and tells the row of characters in which it ends.
std::size_t draw(Canvas& canvas, const Axes& axes, const analysis::Curve& points, bool steps, int series) {
    const auto place = [&](const analysis::Point& point) {
        const auto x = std::lround(axes.x.part(point.tb) * static_cast<double>(canvas.width() - 1));
        return std::pair(static_cast<std::size_t>(x), canvas.dot_row(axes.y.part(point.value)));
    };
    auto [x, y] = place(points.front());
    canvas.dot(x, y, series);
    for (const analysis::Point& point : points) {
        const auto [next_x, next_y] = place(point);
        if (steps) {
            canvas.line(x, y, next_x, y, series);
            canvas.line(next_x, y, next_x, next_y, series);
        } else {
            canvas.line(x, y, next_x, next_y, series);
        }
        x = next_x;
        y = next_y;
    }
    return canvas.row_of_dot(y);
}

/// The line of numbers below the horizontal axis, and the axis itself with its ticks.
std::pair<std::string, std::string> x_axis(const Axes& axes, std::size_t columns, bool unicode) {
    const std::size_t wanted = std::max<std::size_t>(2, columns / 14);
    const std::vector<double> ticks = round_ticks(axes.x.low, axes.x.high, wanted);
    const double step = ticks[1] - ticks[0];
    std::vector<std::string_view> line(columns, unicode ? "─" : "-");
    std::string numbers(axes.margin + 2 + columns, ' ');
    std::size_t free_from = 0;
    for (const double tick : ticks) {
        if (tick < axes.x.low - step * 1e-6 || tick > axes.x.high + step * 1e-6) continue;
        const auto column =
            static_cast<std::size_t>(std::lround(axes.x.part(tick) * static_cast<double>(columns - 1)));
        line[column] = unicode ? "┬" : "+";
        const std::string text = tick_text(tick, step);
        const std::size_t center = axes.margin + 2 + column;
        std::size_t at = center - std::min(center, text.size() / 2);
        at = std::min(at, numbers.size() - std::min(numbers.size(), text.size()));
        if (at < free_from) continue;
        numbers.replace(at, text.size(), text);
        free_from = at + text.size() + 1;
    }
    std::string drawn;
    for (const auto& part : line)
        drawn += part;
    numbers.erase(numbers.find_last_not_of(' ') + 1);
    return {drawn, numbers};
}

/// What stands right of each row: the labels of the curves that end there.
std::vector<std::string> labels_at(const std::vector<PlotSeries>& series,
                                   const std::vector<std::size_t>& ends, std::size_t rows) {
    std::vector<std::string> labels(rows);
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (series[i].label.empty()) continue;
        std::string& label = labels[ends[i]];
        label += (label.empty() ? " " : ", ") + series[i].label;
    }
    return labels;
}

}  // namespace

std::vector<double> round_ticks(double low, double high, std::size_t wanted) {
    if (!(high > low)) {
        const double room = low == 0 ? 1 : std::fabs(low) * 0.1;
        high = low + std::max(room, 1e-9);
        low = std::min(low, std::max(0.0, low - room));
    }
    const double raw = (high - low) / static_cast<double>(std::max<std::size_t>(1, wanted));
    const double power = std::pow(10, std::floor(std::log10(raw)));
    double step = 10 * power;
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= raw * (1 - 1e-9)) {
            step = factor * power;
            break;
        }
    const auto first = std::floor(low / step + 1e-9);
    const auto last = std::ceil(high / step - 1e-9);
    std::vector<double> ticks;
    for (double i = first; i <= last; ++i)
        ticks.push_back(i * step);
    return ticks;
}

std::string plot(const std::vector<PlotSeries>& all, const PlotOptions& options, const Screen& screen) {
    std::vector<PlotSeries> series;
    std::size_t room_for_labels = 0;
    for (const PlotSeries& one : all)
        if (!one.points.empty()) {
            series.push_back(one);
            if (!one.label.empty()) room_for_labels += display_width(one.label) + 2;
        }
    if (series.empty()) return {};

    const Axes axes = axes_of(series, options);
    const std::size_t taken = axes.margin + 2 + room_for_labels;
    const std::size_t columns = screen.columns > taken + 10 ? screen.columns - taken : 10;
    Canvas canvas(columns, axes.rows(), screen.unicode);
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < series.size(); ++i)
        ends.push_back(draw(canvas, axes, series[i].points, options.steps, static_cast<int>(i)));
    const auto labels = labels_at(series, ends, axes.rows());

    std::vector<std::string> texts(axes.rows());
    for (std::size_t i = 0; i < axes.y_texts.size(); ++i)
        texts[(axes.y_texts.size() - 1 - i) * axes.rows_per_tick] = axes.y_texts[i];
    std::string drawn = paint(screen, Tone::strong, options.title) + "\n";
    for (std::size_t row = 0; row < axes.rows(); ++row) {
        const char* const axis = screen.unicode ? (texts[row].empty() ? "│" : "┤") : "|";
        std::string line = padded(texts[row], axes.margin, Align::right) + " " + axis +
                           canvas.row(row, screen) + labels[row];
        line.erase(line.find_last_not_of(' ') + 1);
        drawn += line + "\n";
    }
    const auto [axis, numbers] = x_axis(axes, columns, screen.unicode);
    drawn += std::string(axes.margin + 1, ' ') + (screen.unicode ? "└" : "+") + axis + "\n" + numbers + "\n";
    return drawn + padded(options.x_label, axes.margin + 2 + columns, Align::right) + "\n";
}

}  // namespace wearout::tools
