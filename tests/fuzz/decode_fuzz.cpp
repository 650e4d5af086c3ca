// Whatever smartctl is made to print, decode returns.
#include "health/health_source.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const wearout::health::RawAnswer answer{.text = {reinterpret_cast<const char*>(data), size},
                                            .problem = {}};
    const auto sample = wearout::health::decode(answer);
    if (sample.raw != answer.text || (sample.readings.empty() && sample.problem.empty())) std::abort();
    return 0;
}
