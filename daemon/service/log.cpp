#include "service/log.h"

#include "base/clock.h"
#include "base/enum_names.h"
#include "base/quantity.h"

#include <cstdlib>
#include <iostream>
#include <syslog.h>
#include <vector>

#include <boost/core/null_deleter.hpp>
#include <boost/log/attributes/mutable_constant.hpp>
#include <boost/log/core.hpp>
#include <boost/log/expressions.hpp>
#include <boost/log/sinks/basic_sink_backend.hpp>
#include <boost/log/sinks/sync_frontend.hpp>
#include <boost/log/sinks/text_ostream_backend.hpp>
#include <boost/log/sources/record_ostream.hpp>
#include <boost/log/sources/severity_logger.hpp>
#include <boost/log/utility/manipulators/add_value.hpp>
#include <boost/log/utility/setup/common_attributes.hpp>
#include <boost/make_shared.hpp>
#include <fmt/format.h>
#include <systemd/sd-journal.h>

namespace wearout::service {

namespace {

namespace logging = boost::log;
using Fields = std::vector<std::pair<std::string, std::string>>;

constexpr EnumNames<LogLevel, 4> level_names{{"debug", "info", "warning", "error"}};

BOOST_LOG_ATTRIBUTE_KEYWORD(level_attribute, "Severity", LogLevel)
BOOST_LOG_ATTRIBUTE_KEYWORD(fields_attribute, "Fields", Fields)

int syslog_priority(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return LOG_DEBUG;
        case LogLevel::info:
            return LOG_INFO;
        case LogLevel::warning:
            return LOG_WARNING;
        case LogLevel::error:
            return LOG_ERR;
    }
    return LOG_ERR;
}

/// Each record as one journal entry with its own fields.
class JournalBackend : public logging::sinks::basic_sink_backend<logging::sinks::synchronized_feeding> {
  public:
    static void consume(const logging::record_view& record) {
        std::vector<std::string> texts;
        texts.push_back("MESSAGE=" + record[logging::expressions::smessage].get());
        texts.push_back(fmt::format("PRIORITY={}", syslog_priority(record[level_attribute].get())));
        texts.emplace_back("SYSLOG_IDENTIFIER=wearoutd");
        if (const auto fields = record[fields_attribute])
            for (const auto& [name, value] : *fields)
                texts.push_back(fmt::format("{}={}", name, value));
        std::vector<iovec> parts;
        parts.reserve(texts.size());
        for (auto& text : texts)
            parts.push_back({text.data(), text.size()});
        sd_journal_sendv(parts.data(), static_cast<int>(parts.size()));
    }
};

logging::sources::severity_logger_mt<LogLevel>& logger() {
    static logging::sources::severity_logger_mt<LogLevel> instance;
    return instance;
}

void format_line(const logging::record_view& record, logging::formatting_ostream& out) {
    out << format_time(system_clock().wall()) << ' ' << level_names[record[level_attribute].get()] << ": "
        << record[logging::expressions::smessage].get();
}

}  // namespace

void start_log(std::string_view level) {
    const auto core = logging::core::get();
    core->remove_all_sinks();
    if (std::getenv("JOURNAL_STREAM") != nullptr) {
        core->add_sink(boost::make_shared<logging::sinks::synchronous_sink<JournalBackend>>());
    } else {
        auto backend = boost::make_shared<logging::sinks::text_ostream_backend>();
        backend->add_stream(boost::shared_ptr<std::ostream>(&std::clog, boost::null_deleter()));
        backend->auto_flush(true);
        auto sink =
            boost::make_shared<logging::sinks::synchronous_sink<logging::sinks::text_ostream_backend>>(
                backend);
        sink->set_formatter(&format_line);
        core->add_sink(sink);
    }
    const LogLevel lowest = level_names.find(level).value_or(LogLevel::info);
    core->set_filter(level_attribute >= lowest);
}

void log(LogLevel level, const std::string& message, std::initializer_list<LogField> fields) {
    Fields named;
    for (const auto& [name, value] : fields)
        named.emplace_back(name, value);
    BOOST_LOG_SEV(logger(), level) << logging::add_value("Fields", named) << message;
}

}  // namespace wearout::service
