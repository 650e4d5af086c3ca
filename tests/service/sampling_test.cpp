// The sampler over a day of a clock that jumps: what a drive is asked, and what of it is told and kept.

#include "jumping_clock.h"
#include "service/sampler.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::service;
using namespace std::chrono_literals;

namespace {

/// As smartctl answers, of a drive with one counter.
constexpr auto good_answer =
    R"({"smartctl": {"version": [7, 3], "exit_status": 0}, "device": {"protocol": "NVMe"},
        "nvme_smart_health_information_log": {"percentage_used": 7}})";

health::RawAnswer good() {
    return {.text = good_answer, .problem = {}, .took = {}};
}
health::RawAnswer bad() {
    return {.text = {}, .problem = "silent", .took = {}};
}
health::RawAnswer asleep() {
    return {.text = {}, .problem = {}, .took = {}, .asleep = true};
}

/// Answers by a script and remembers when it was asked; after the last answer it holds on until released.
class Script final : public health::HealthSource {
  public:
    using Answer = std::function<health::RawAnswer()>;
    Script(Clock& clock, std::vector<Answer> answers) : clock_(clock), answers_(std::move(answers)) {}

    health::RawAnswer ask() override {
        std::unique_lock lock(mutex_);
        if (asked_.size() == answers_.size()) {
            done_ = true;
            changed_.notify_all();
            changed_.wait(lock, [&] { return released_; });
            return bad();
        }
        asked_.push_back(clock_.steady());
        return answers_[asked_.size() - 1]();
    }
    /// Waits for the script's end.
    std::vector<SteadyTime> asked() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return done_; });
        return asked_;
    }
    void release() {
        {
            const std::lock_guard lock(mutex_);
            released_ = true;
        }
        changed_.notify_all();
    }

  private:
    Clock& clock_;
    std::vector<Answer> answers_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<SteadyTime> asked_;
    bool done_ = false;
    bool released_ = false;
};

/// A sampler that has asked a scripted drive to the end of the script.
struct Played {
    explicit Played(std::vector<Script::Answer> answers, std::shared_ptr<run::IoGaps> gaps = nullptr)
        : script(std::make_shared<Script>(clock, std::move(answers))),
          sampler({5min, 0ms, {}},
                  {[] { return Bytes{}; }, [this](const Sample& sample) { samples.push_back(sample); },
                   [this](LogLevel, const std::string& text) { told.push_back(text); }, std::move(gaps)},
                  clock) {
        sampler.set_source(script);
        clock.go();
        asked = script->asked();
    }
    Played(const Played&) = delete;
    Played& operator=(const Played&) = delete;
    ~Played() { script->release(); }

    test::JumpingClock clock;
    std::vector<Sample> samples;
    std::vector<std::string> told;
    std::shared_ptr<Script> script;
    Sampler sampler;
    std::vector<SteadyTime> asked;
};

}  // namespace

TEST_CASE("a silent drive is asked less and less often, which is told once, as is its end") {
    const Played played({good, bad, bad, bad, bad, good, good});
    std::vector<std::chrono::nanoseconds> gaps;
    for (std::size_t i = 1; i < played.asked.size(); ++i)
        gaps.push_back(played.asked[i] - played.asked[i - 1]);
    CHECK(gaps == std::vector<std::chrono::nanoseconds>{5min, 10min, 20min, 40min, 40min, 5min});
    CHECK(played.told ==
          std::vector<std::string>{
              "its wear counters are read less and less often than every 5m 00s until it answers",
              "its wear counters are read every 5m 00s again"});
    CHECK(played.samples.size() == 7);  // Also those without an answer are kept, with the problem.
    CHECK(played.samples[1].problem == "silent");
}

TEST_CASE("status says in a line why a drive is not asked as usual") {
    CHECK(Played({good}).sampler.hindrance().empty());
    CHECK(Played({good, bad}).sampler.hindrance() ==
          "no answer once, so that it is asked every 10m 00s instead of every 5m 00s");
    CHECK(Played({bad, bad, bad, bad}).sampler.hindrance() ==
          "no answer 4 times, so that it is asked every 40m 00s instead of every 5m 00s");
    CHECK(Played({bad, good}).sampler.hindrance().empty());
    CHECK(Played({good, asleep}).sampler.hindrance() ==
          "the drive is in standby and is not woken to be asked");
    CHECK(Played({asleep, good}).sampler.hindrance().empty());
}

TEST_CASE("a drive that sleeps is no failure, gives no sample and leaves the last one") {
    const Played played({good, asleep, asleep, asleep, good});
    CHECK(played.samples.size() == 2);
    CHECK(played.told.empty());
    for (std::size_t i = 1; i < played.asked.size(); ++i)
        CHECK(played.asked[i] - played.asked[i - 1] == 5min);
    const Played sleeps({good, asleep});
    REQUIRE(sleeps.sampler.latest());
    CHECK(sleeps.sampler.latest()->readings.size() == 1);
}

TEST_CASE("a drive that says that it is failing is asked as usual") {
    const auto failing = [] {
        return health::RawAnswer{
            .text = R"({"smartctl": {"version": [7, 3], "exit_status": 8}, "device": {"protocol": "NVMe"},
                        "smart_status": {"passed": false},
                        "nvme_smart_health_information_log": {"percentage_used": 107}})",
            .problem = {},
            .took = {}};
    };
    const Played played({failing, failing, failing});
    CHECK(played.told.empty());
    CHECK(played.asked[2] - played.asked[1] == 5min);
    CHECK(played.samples.at(0).problem == "the drive says that it is FAILING");
}

TEST_CASE("a day goes by in no time") {
    const Played played(std::vector<Script::Answer>(288, good));
    CHECK(played.asked.back() == SteadyTime(24h));
    CHECK(played.samples.size() == 288);
}

TEST_CASE("what a question does to the run's I/O is in its sample, beside what was usual") {
    const auto gaps = std::make_shared<run::IoGaps>();
    test::JumpingClock clock;
    const auto work = [&](int completions, std::chrono::milliseconds gap) {
        for (int i = 0; i < completions; ++i) {
            clock.sleep_for(gap);
            gaps->completed(clock.steady());
        }
    };
    const auto disturbs = [&] {
        work(3, 2ms);
        clock.sleep_for(30ms);
        gaps->completed(clock.steady());
        return good();
    };
    const auto script = std::make_shared<Script>(clock, std::vector<Script::Answer>{disturbs});
    std::vector<Sample> samples;
    Sampler sampler({5min, 0ms, {}},
                    {[] { return Bytes{}; }, [&](const Sample& sample) { samples.push_back(sample); },
                     [](LogLevel, const std::string&) {}, gaps},
                    clock);
    work(100, 5ms);
    sampler.set_source(script);
    sampler.request(SampleReason::start);
    clock.go();
    script->asked();
    REQUIRE(samples.size() == 1);
    REQUIRE(samples[0].stall);
    CHECK(samples[0].stall->longest == 30ms);
    CHECK(samples[0].stall->usual == 5ms);
    CHECK(samples[0].stall->caused() == 25ms);
    script->release();
}
