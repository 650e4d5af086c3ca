#include "block/presence.h"

#include "block/io_helpers.h"

#include <unistd.h>

#include <doctest/doctest.h>

using namespace wearout;
using namespace wearout::block;

TEST_CASE("errors that name a missing drive mean that it is gone, on any target") {
    for (const int error : {ENODEV, ENXIO, ENOMEDIUM})
        for (const Presence presence : {Presence::regular_file, Presence::there, Presence::gone})
            CHECK(test::gone_with(outcome_of_error(error, presence)) == error);
}

TEST_CASE("any error of a block device that vanished means that it is gone") {
    for (const int error : {EIO, ENOSPC, ENODATA, EREMOTEIO, ETIMEDOUT, EINVAL})
        CHECK(test::gone_with(outcome_of_error(error, Presence::gone)) == error);
}

TEST_CASE("errors of a drive that is there, and a full file system, are failures and not a missing drive") {
    for (const int error : {EIO, ENOSPC, ENODATA, EREMOTEIO, ETIMEDOUT}) {
        CHECK(test::failed_with(outcome_of_error(error, Presence::there)) == error);
        CHECK(test::failed_with(outcome_of_error(error, Presence::regular_file)) == error);
    }
}

TEST_CASE("a regular file has no presence of its own") {
    const int fd = ::dup(0);
    CHECK(presence_of(fd, {1}) == Presence::regular_file);
    ::close(fd);
}
