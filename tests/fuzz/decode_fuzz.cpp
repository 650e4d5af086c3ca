// Whatever smartctl is made to print, as JSON or as text, and whatever a drive keeps in its log pages, decode
// returns, and so does explain with the same readings, also of the pieces of a file.
#include "health/catalogue.h"
#include "health/explain.h"
#include "health/health_source.h"
#include "health/saved_answers.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace wearout::health;

namespace {

wearout::Sample decode_text(std::string text) {
    auto sample = decode(RawAnswer{.text = text, .problem = {}});
    if (sample.raw != text || (sample.readings.empty() && sample.problem.empty())) std::abort();
    return sample;
}

void explain_pieces(const std::string& text) {
    const char* end = text.data();
    for (const auto piece : split_answers(text)) {
        if (piece.data() < end || piece.size() > text.size()) std::abort();
        end = piece.data() + piece.size();
        const auto explanation = explain({.text = std::string(piece), .problem = {}});
        std::size_t chosen = 0;
        for (const auto& metric : explanation.metrics)
            chosen += metric.chosen() == nullptr ? 0 : 1;
        if (chosen != explanation.sample.readings.size()) std::abort();
    }
}

/// Each drive and log page that the catalogue names.
struct Place {
    PciId pci;
    int id;
};

std::vector<Place> all_places() {
    std::vector<Place> places;
    for (const auto& family : builtin_catalogue().families)
        for (const auto& page : family.logs) {
            if (family.pci.empty()) places.push_back({{0x1234, 0}, page.id});
            for (const auto& pci : family.pci)
                places.push_back({pci, page.id});
        }
    return places;
}

/// The first byte chooses a place, the others are the log. In it, OCP's mark is put where it belongs for half
/// of the first bytes: nobody guesses 16 bytes.
void decode_as_log(std::string_view bytes) {
    static const auto places = all_places();
    const auto choice = static_cast<unsigned char>(bytes.front());
    const auto& place = places[choice / 2 % places.size()];
    NvmeLog log{place.id, 0, std::string(bytes.substr(1, longest_nvme_log))};
    if (choice % 2 == 1 && log.bytes.size() >= 512)
        log.bytes.replace(496, 16, *bytes_from_hex("c5af1028eabff2a49c4f6f7cc914d5af"));
    const auto sample = decode_text(
        R"({"smartctl": {"exit_status": 0}, "device": {"protocol": "NVMe"}, "model_name": "XP800HE30002",
"nvme_smart_health_information_log": {"percentage_used": 3}})"
        "\n" +
        to_line(place.pci) + to_line(log));
    for (const auto& reading : sample.readings)
        if (reading.value < 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::string text(bytes);
    (void)decode_text(text);
    explain_pieces(text);
    if (size > 1) decode_as_log(bytes);
    return 0;
}
