#pragma once

namespace wearout::store::test {

/// While one lives, every SQLite connection opened in this process reaches its files through it, and the disk
/// fails when told to. One at a time; for one thread.
class FailingVfs {
  public:
    FailingVfs();
    FailingVfs(const FailingVfs&) = delete;
    FailingVfs& operator=(const FailingVfs&) = delete;
    ~FailingVfs();

    /// After so many more writes, syncs and truncations all of them fail with this SQLite code.
    void fail_after(int operations, int code);
    /// The disk works again. Gives whether it has failed anything.
    bool mend();
};

}  // namespace wearout::store::test
