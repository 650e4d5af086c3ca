// The reader of schema/ratings.tsv: strict, since a row that is read wrong rates a drive wrong.

#include "base/error.h"
#include "base/quantity.h"
#include "embedded/ratings.h"
#include "health/endurance.h"
#include "health/ratings.h"

#include <algorithm>

#include <fmt/format.h>

namespace wearout::health {

namespace {

constexpr std::uint64_t giga = 1'000'000'000;

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + separator.size());
    }
}

class Reader {
  public:
    std::vector<RatedModel> read(std::string_view text) {
        if (!text.ends_with('\n')) fail("the last line does not end");
        text.remove_suffix(1);
        for (const auto line : split(text, "\n")) {
            ++line_;
            take(line);
        }
        end_source();
        return std::move(rows_);
    }

  private:
    [[noreturn]] void fail(std::string_view what) const {
        throw usage_error(fmt::format("rating catalogue, line {}: {}", line_, what));
    }

    void take(std::string_view line) {
        if (line.empty() || line.starts_with('#')) return;
        const auto columns = split(line, "\t");
        for (const auto column : columns) {
            if (column.empty()) fail("a column is empty");
            if (column.front() == ' ' || column.back() == ' ') fail("a column begins or ends with a space");
            if (std::any_of(column.begin(), column.end(), [](unsigned char c) { return c < ' '; }))
                fail("a control character");
        }
        if (columns.front() == "source")
            take_source(columns);
        else
            take_row(columns);
    }

    void take_source(const std::vector<std::string_view>& columns) {
        if (columns.size() != 3) fail("a source has a title and an address, with tabs between them");
        end_source();
        title_ = columns[1];
        address_ = columns[2];
        rows_of_source_ = 0;
    }

    void end_source() const {
        if (!title_.empty() && rows_of_source_ == 0) fail("the source before has no rows");
    }

    void take_row(const std::vector<std::string_view>& columns) {
        if (title_.empty()) fail("no source stands above it");
        if (columns.size() != 5) fail("a row is model, GB, TBW, DWPD and years, with tabs between them");
        RatedModel row;
        row.models = models(columns[0]);
        row.capacity = {whole(columns[1], "GB", 1'000'000) * giga};
        if (columns[2] != "-") row.endurance.tbw = terabytes(columns[2]);
        if (columns[3] != "-") row.endurance.dwpd_milli = dwpd(columns[3]);
        if (columns[4] != "-") row.endurance.years = whole(columns[4], "years", 100);
        row.bytes = bytes_of(row);
        row.title = title_;
        row.address = address_;
        refuse_double(row);
        rows_.push_back(std::move(row));
        lines_.push_back(line_);
        ++rows_of_source_;
    }

    [[nodiscard]] std::vector<std::string> models(std::string_view column) const {
        std::vector<std::string> all;
        for (const auto model : split(column, " | ")) {
            const auto stem = model.ends_with("-*") ? model.substr(0, model.size() - 2) : model;
            if (model_name(stem).name.size() < 4) fail("a model's name is too short to be one's only");
            if (stem.find_first_of("*|") != std::string_view::npos ||
                stem.find("  ") != std::string_view::npos)
                fail("a model has '*' elsewhere than in '-*' at its end, '|' without spaces, or two spaces");
            all.emplace_back(model);
        }
        return all;
    }

    [[nodiscard]] std::uint32_t whole(std::string_view text, std::string_view what,
                                      std::uint32_t most) const {
        try {
            return static_cast<std::uint32_t>(parse_uint(text, what, 1, most));
        } catch (const Failure& failure) {
            fail(failure.what());
        }
    }

    [[nodiscard]] Bytes terabytes(std::string_view text) const {
        Bytes bytes;
        try {
            bytes = parse_bytes(std::string(text) + "TB", "TBW");
        } catch (const Failure&) {
            fail(fmt::format("TBW: '{}' is not a number of terabytes", text));
        }
        if (bytes.value == 0 || bytes.value > INT64_MAX) fail("TBW is 0 or too large");
        return bytes;
    }

    [[nodiscard]] std::uint32_t dwpd(std::string_view text) const {
        const auto milli = parse_dwpd(text);
        if (!milli) fail(fmt::format("DWPD: '{}' is not a number above 0 with at most three decimals", text));
        return *milli;
    }

    [[nodiscard]] Bytes bytes_of(const RatedModel& row) const {
        const auto bytes = rated_bytes(row.endurance, row.capacity);
        if (!bytes) fail("neither TBW nor both of DWPD and years are given, or they do not fit");
        const auto by_dwpd = rated_bytes({{}, row.endurance.dwpd_milli, row.endurance.years}, row.capacity);
        // Data sheets round both.
        if (by_dwpd && (bytes->value > by_dwpd->value + by_dwpd->value / 10 ||
                        bytes->value < by_dwpd->value - by_dwpd->value / 10))
            fail("TBW is not what DWPD and years come to");
        return *bytes;
    }

    /// Where two rows could be about one drive, which of them holds would depend on their order.
    void refuse_double(const RatedModel& row) const {
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if (overlap(rows_[i], row)) fail(fmt::format("line {} is about the same drive", lines_[i]));
        for (std::size_t i = 0; i < row.models.size(); ++i)
            for (std::size_t k = 0; k < i; ++k)
                if (names_overlap(row.models[i], row.models[k])) fail("a model stands there twice");
    }

    [[nodiscard]] static bool overlap(const RatedModel& a, const RatedModel& b) {
        const auto [low, high] = std::minmax(a.capacity.value, b.capacity.value);
        if (high - low > low / 100 + high / 100) return false;
        return std::any_of(a.models.begin(), a.models.end(), [&](const std::string& one) {
            return std::any_of(b.models.begin(), b.models.end(),
                               [&](const std::string& other) { return names_overlap(one, other); });
        });
    }

    /// Each, as a drive would call itself, against the other.
    [[nodiscard]] static bool names_overlap(const std::string& a, const std::string& b) {
        const auto fits = [](const std::string& written, std::string_view called) {
            const RatedModel row{{written}, {giga}, {}, {}, {}, {}};
            if (called.ends_with("-*")) called.remove_suffix(2);
            return find_rated_model({&row, 1}, called, {giga}) != nullptr;
        };
        return fits(a, b) || fits(b, a);
    }

    std::vector<RatedModel> rows_;
    std::vector<std::size_t> lines_;  ///< Of `rows_`.
    std::string title_;
    std::string address_;
    std::size_t rows_of_source_ = 0;
    std::size_t line_ = 0;
};

}  // namespace

std::vector<RatedModel> parse_ratings(std::string_view text) {
    return Reader().read(text);
}

const std::vector<RatedModel>& builtin_ratings() {
    static const std::vector<RatedModel> ratings = parse_ratings(embedded::ratings.front().text);
    return ratings;
}

}  // namespace wearout::health
