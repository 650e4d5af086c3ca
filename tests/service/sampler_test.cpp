#include "service/sampler.h"

#include <atomic>
#include <thread>
#include <utility>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::service;
using namespace std::chrono_literals;

namespace {

/// Answers nothing, after a while, and watches that it is asked by one at a time.
class SlowSource final : public health::HealthSource {
  public:
    explicit SlowSource(std::chrono::milliseconds delay) : delay_(delay) {}
    health::RawAnswer ask() override {
        overlapped = overlapped || asking.exchange(true);
        ++asked;
        std::this_thread::sleep_for(delay_);
        asking = false;
        return {.text = {}, .problem = "silent", .took = delay_};
    }
    std::atomic<bool> asking{false};
    std::atomic<bool> overlapped{false};
    std::atomic<int> asked{0};

  private:
    std::chrono::milliseconds delay_;
};

Sampler::Owner owner(std::function<Bytes()> written, std::function<void(const Sample&)> sink) {
    return {std::move(written), std::move(sink), [](LogLevel, const std::string&) {}, nullptr};
}

}  // namespace

TEST_CASE("a requested sample is taken, with what the run had written before the question") {
    std::atomic<int> sunk{0};
    Sampler sampler({1h, 0ms, {}}, owner([] { return Bytes{42}; }, [&](const Sample&) { ++sunk; }),
                    system_clock());
    auto source = std::make_shared<SlowSource>(5ms);
    sampler.set_source(source);
    CHECK(sampler.request_and_wait(SampleReason::start, 5s));
    REQUIRE(sampler.latest());
    CHECK(sampler.latest()->run_written == Bytes{42});
    CHECK(sampler.latest()->reason == SampleReason::start);
    CHECK(sampler.latest()->problem == "silent");
    CHECK(sunk == 1);
}

TEST_CASE("questions never overlap, and requests that come while one is asked are answered by one more") {
    Sampler sampler({1h, 0ms, {}}, owner([] { return Bytes{}; }, [](const Sample&) {}), system_clock());
    auto source = std::make_shared<SlowSource>(20ms);
    sampler.set_source(source);
    sampler.request(SampleReason::pass);
    std::this_thread::sleep_for(5ms);
    for (int i = 0; i < 50; ++i)
        sampler.request(SampleReason::pass);
    CHECK(sampler.request_and_wait(SampleReason::end, 5s));
    CHECK_FALSE(source->overlapped);
    CHECK(source->asked <= 3);
}

TEST_CASE("the interval passes between periodic samples") {
    std::atomic<int> sunk{0};
    Sampler sampler({10ms, 0ms, {}}, owner([] { return Bytes{}; }, [&](const Sample&) { ++sunk; }),
                    system_clock());
    sampler.set_source(std::make_shared<SlowSource>(0ms));
    for (int i = 0; i < 500 && sunk < 3; ++i)
        std::this_thread::sleep_for(10ms);
    CHECK(sunk >= 3);
}

TEST_CASE("with no source a request is answered by nothing, at once") {
    Sampler sampler({1h, 0ms, {}}, owner([] { return Bytes{}; }, [](const Sample&) {}), system_clock());
    CHECK(sampler.request_and_wait(SampleReason::start, 5s));
    CHECK_FALSE(sampler.latest());
}

TEST_CASE("a question that hangs holds up neither the asker nor the end, and its answer is dropped") {
    auto source = std::make_shared<SlowSource>(4s);
    std::atomic<int> sunk{0};
    {
        Sampler sampler({1h, 0ms, {}}, owner([] { return Bytes{}; }, [&](const Sample&) { ++sunk; }),
                        system_clock());
        sampler.set_source(source);
        CHECK_FALSE(sampler.request_and_wait(SampleReason::start, 20ms));
    }
    CHECK(source->asking);  // It did not wait for the answer.
    while (source->asking)
        std::this_thread::sleep_for(10ms);
    std::this_thread::sleep_for(20ms);
    CHECK(sunk == 0);
}
