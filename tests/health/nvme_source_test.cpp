#include "health/nvme_source.h"

#include "nvme_layouts.h"
#include "support/scratch_dir.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace wearout::health {
namespace {

using namespace std::chrono_literals;

class FixedSource final : public HealthSource {
  public:
    explicit FixedSource(RawAnswer answer) : answer_(std::move(answer)) {}
    RawAnswer ask() override { return answer_; }

  private:
    RawAnswer answer_;
};

/// A program that stands in for wearout-nvme-logs and notes how it is called. In its script `plan` and `read`
/// are functions that get the arguments behind the device.
class FakeLogs {
  public:
    explicit FakeLogs(const std::string& functions) {
        folder_.write("logs", "#!/bin/sh\ncd \"$(dirname \"$0\")\"\necho \"$@\" >>calls\n" + functions +
                                  "\ncase $1 in plan) plan;; read) shift 2; read_logs \"$@\";; esac\n");
        REQUIRE(::chmod(path().c_str(), 0755) == 0);
    }

    [[nodiscard]] std::string path() const { return folder_.file("logs"); }
    [[nodiscard]] std::string calls() const { return read_file(folder_.file("calls")); }
    [[nodiscard]] std::unique_ptr<HealthSource> source(RawAnswer answer, NvmeSourceOptions options = {},
                                                       const std::string& device = "/dev/nvme9n1") const {
        options.program = path();
        return with_nvme_logs(std::make_unique<FixedSource>(std::move(answer)), device, std::move(options));
    }

  private:
    test::ScratchDir folder_;
};

RawAnswer smartctl_says(const std::string& text = nvme_json(0xabcd)) {
    return {.text = text, .problem = {}, .took = 5ms};
}

const char* const two_logs = R"(
plan() { echo nvme-pci abcd:0001; echo request c0:0:1:512; echo request ca:0:0:512; }
read_logs() { for a; do case $a in c0*) echo "nvme-log 0xc0 0 0102";; ca*) echo "refused $a";; esac; done; }
)";

TEST_CASE("logs come behind smartctl's answer, and a refused one is asked for once") {
    const FakeLogs fake(two_logs);
    const auto source = fake.source(smartctl_says());
    const auto expected = nvme_json(0xabcd) + "nvme-pci abcd:0001\nnvme-log 0xc0 0 0102\n";
    for (int i = 0; i < 3; ++i) {
        const auto answer = source->ask();
        CHECK(answer.text == expected);
        CHECK(answer.problem.empty());
        CHECK(answer.took >= 5ms);
    }
    CHECK(fake.calls() ==
          "plan /dev/nvme9n1\nread /dev/nvme9n1 c0:0:1:512 ca:0:0:512\n"
          "read /dev/nvme9n1 c0:0:1:512\nread /dev/nvme9n1 c0:0:1:512\n");
    // Another attach asks again.
    CHECK(fake.source(smartctl_says())->ask().text == expected);
    CHECK(fake.calls().ends_with("plan /dev/nvme9n1\nread /dev/nvme9n1 c0:0:1:512 ca:0:0:512\n"));
}

TEST_CASE("a drive without such logs is asked once, and its answer stays as it is") {
    const FakeLogs fake("plan() { echo nvme-pci abcd:0001; }");
    const auto source = fake.source(smartctl_says());
    for (int i = 0; i < 3; ++i)
        CHECK(source->ask().text == nvme_json(0xabcd));
    CHECK(fake.calls() == "plan /dev/nvme9n1\n");
    const FakeLogs refusing("plan() { echo request c0:0:0:512; }\nread_logs() { echo refused c0:0:0:512; }");
    const auto refused = refusing.source(smartctl_says());
    for (int i = 0; i < 3; ++i)
        CHECK(refused->ask().text == nvme_json(0xabcd));
    CHECK(refusing.calls() == "plan /dev/nvme9n1\nread /dev/nvme9n1 c0:0:0:512\n");
}

TEST_CASE("other devices, and drives that did not answer, are not asked for logs") {
    const FakeLogs fake(two_logs);
    CHECK(fake.source(smartctl_says(), {}, "/dev/sda")->ask().text == nvme_json(0xabcd));
    for (const std::string text : {"", "{", "{\"smartctl\": {\"exit_status\": 2}}"})
        CHECK(fake.source({.text = text, .problem = "x", .took = {}})->ask().text == text);
    CHECK(fake.calls().empty());
}

TEST_CASE("a log that fails is told, the others are kept, and it is asked for again") {
    const FakeLogs fake(R"(
plan() { echo request c0:0:0:512; echo request ca:0:0:512; }
read_logs() { echo "nvme-log 0xc0 0 0102"; echo "failed ca:0:0:512 Internal Error, status 6h";
}
)");
    const auto source = fake.source(smartctl_says(replaced(nvme_json(1), "}}\n", "}}")));
    for (int i = 0; i < 2; ++i) {
        const auto answer = source->ask();
        CHECK(answer.text == nvme_json(1) + "nvme-log 0xc0 0 0102\n");
        CHECK(answer.problem == "an NVMe log did not come: ca:0:0:512 Internal Error, status 6h");
    }
    CHECK(fake.calls().ends_with("read /dev/nvme9n1 c0:0:0:512 ca:0:0:512\n"));
}

std::string problem_of(const std::string& script, NvmeSourceOptions options = {}) {
    const FakeLogs fake(script);
    const auto answer = fake.source(smartctl_says(), std::move(options))->ask();
    CHECK(answer.text == nvme_json(0xabcd));
    return answer.problem;
}

TEST_CASE("whatever the program does, smartctl's answer is kept and the reason told") {
    const std::string begin = "the NVMe logs of /dev/nvme9n1 did not come: ";
    CHECK(problem_of("echo 'identify: \033 no' >&2; exit 4") == begin + "identify: ? no");
    CHECK(problem_of("exit 3") == begin + "exit status 3");
    CHECK(problem_of("kill -KILL $$") == begin + "wearout-nvme-logs was ended by signal 9");
    CHECK(problem_of("exec sleep 1000", {.timeout = 200ms}) == begin + "no answer within 0.2 s");
    CHECK(problem_of("exec cat /dev/zero") == begin + "the answer is longer than any drive's");
    CHECK(problem_of("plan() { echo request c0:0:0:512; }\nread_logs() { exit 4; }") ==
          begin + "exit status 4");
    const auto missing = with_nvme_logs(std::make_unique<FixedSource>(smartctl_says()), "/dev/nvme9n1",
                                        {.program = "/no/such/program"});
    CHECK(missing->ask().problem.starts_with(begin + "/no/such/program: "));
    std::stop_source stopped;
    stopped.request_stop();
    CHECK(problem_of("exec sleep 1000", {.stop = stopped.get_token()}) ==
          begin + "stopped before they had come");
}

TEST_CASE("what the program prints beside logs is dropped") {
    const FakeLogs fake(R"(
plan() { echo request c0:0:0:512; echo request zz; echo; echo nvme-log 0x11 0 11; }
read_logs() { echo "{"; echo " nvme-log 0x12 0 12"; echo "refused"; echo "refused x"; echo "nvme-log 0xc0 0 01"; }
)");
    const auto source = fake.source(smartctl_says());
    CHECK(source->ask().text == nvme_json(0xabcd) + "nvme-log 0xc0 0 01\n");
    CHECK(source->ask().problem.empty());
}

TEST_CASE("a device whose last child still hangs is not asked again until that one has ended") {
    const FakeLogs hangs("echo $$ >pid; exec sleep 1000");
    NvmeSourceOptions options{.timeout = 500ms};
    options.limits.grace = 50ms;
    options.limits.kill_signal = SIGCONT;
    const auto answer = hangs.source(smartctl_says(), options, "/dev/nvme-stuck")->ask();
    CHECK(answer.problem == "the NVMe logs of /dev/nvme-stuck did not come: no answer within 0.5 s");
    const auto pid = std::stoi(read_file(std::filesystem::path(hangs.path()).parent_path() / "pid"));
    const FakeLogs answers(two_logs);
    CHECK(answers.source(smartctl_says(), {}, "/dev/nvme-stuck")->ask().problem ==
          fmt::format("the NVMe logs of /dev/nvme-stuck did not come: process {} still hangs in the kernel",
                      pid));
    CHECK(answers.calls().empty());
    ::kill(pid, SIGKILL);
    const auto again = answers.source(smartctl_says(), {}, "/dev/nvme-stuck");
    for (int i = 0; i < 1000 && !again->ask().problem.empty(); ++i)
        ::usleep(5000);
    CHECK(again->ask().text.ends_with("nvme-log 0xc0 0 0102\n"));
}

}  // namespace
}  // namespace wearout::health
