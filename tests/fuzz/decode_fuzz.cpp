// Whatever smartctl is made to print, as JSON or as text, decode returns, and so does explain with the same
// readings, also of the pieces of a file.
#include "health/explain.h"
#include "health/health_source.h"
#include "health/saved_answers.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const wearout::health::RawAnswer answer{.text = {reinterpret_cast<const char*>(data), size},
                                            .problem = {}};
    const auto sample = wearout::health::decode(answer);
    if (sample.raw != answer.text || (sample.readings.empty() && sample.problem.empty())) std::abort();
    const char* end = answer.text.data();
    for (const auto piece : wearout::health::split_answers(answer.text)) {
        if (piece.data() < end || piece.size() > answer.text.size()) std::abort();
        end = piece.data() + piece.size();
        const auto explanation = wearout::health::explain({.text = std::string(piece), .problem = {}});
        std::size_t chosen = 0;
        for (const auto& metric : explanation.metrics)
            chosen += metric.chosen() == nullptr ? 0 : 1;
        if (chosen != explanation.sample.readings.size()) std::abort();
    }
    return 0;
}
