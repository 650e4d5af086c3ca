#include "base/error.h"
#include "block/uring_device.h"
#include "support/scratch_dir.h"

#include <cstddef>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::block;

namespace {

/// As a container's filter does: io_uring_setup is not permitted from here on.
void forbid_io_uring(std::uint32_t error) {
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{4, code};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        ::_exit(3);
}

}  // namespace

TEST_CASE("a kernel that gives no io_uring is told in one line") {
    test::ScratchDir dir;
    for (const int error : {EPERM, ENOSYS}) {
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            forbid_io_uring(static_cast<std::uint32_t>(error));
            try {
                UringDevice device(Fd::open(dir.file("drive"), O_RDWR | O_CREAT), {{4096}, 512}, {});
            } catch (const Failure& failure) {
                const bool clear = std::string(failure.what()).find("io_uring_disabled") != std::string::npos;
                ::_exit(clear && failure.code() == ExitCode::unreachable ? 0 : 1);
            }
            ::_exit(2);
        }
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
    }
}
