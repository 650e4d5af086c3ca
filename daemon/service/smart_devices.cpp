#include "service/smart_devices.h"

#include "base/error.h"
#include "health/device_type.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace wearout::service {

namespace {

bool is_device_path(const std::string& path) {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("/_-.:+=").find(c) != std::string_view::npos;
    };
    return path.starts_with("/dev/") && path.size() > 5 && path.find("/../") == std::string::npos &&
           std::all_of(path.begin(), path.end(), fits);
}

}  // namespace

SmartDevice parse_smart_device(std::string_view text, std::string_view what) {
    std::istringstream line{std::string(text)};
    std::vector<std::string> words;
    for (std::string word; line >> word;)
        words.push_back(word);
    // As it would be written on smartctl's command line.
    if (words.size() > 3 && words[2] == "-d") words.erase(words.begin() + 2);
    if (words.size() < 3 || words.size() > 4)
        throw usage_error(fmt::format("{}: '{}' is not of the form DRIVE DEVICE TYPE [SERIAL]", what, text));
    if (!is_device_path(words[1]))
        throw usage_error(fmt::format("{}: '{}' is no path below /dev", what, words[1]));
    if (const auto problem = health::device_type_problem(words[2]); !problem.empty())
        throw usage_error(fmt::format("{}: {}", what, problem));
    return {words[0], words[1], words[2], words.size() == 4 ? words[3] : std::string()};
}

const SmartDevice* find_smart_device(const std::vector<SmartDevice>& devices, const Drive& drive) {
    const auto found = std::find_if(devices.begin(), devices.end(), [&](const SmartDevice& device) {
        return device.drive == drive.key || device.drive == drive.serial || device.drive == drive.by_id;
    });
    return found == devices.end() ? nullptr : &*found;
}

}  // namespace wearout::service
