#include "failing_vfs.h"

#include <climits>
#include <cstddef>

#include <sqlite3.h>

// A shim in the way of https://www.sqlite.org/src/doc/trunk/src/test_vfs.c: each file holds the real file
// behind itself and hands everything on.
namespace wearout::store::test {

namespace {

struct Plan {
    int operations_left = INT_MAX;
    int code = SQLITE_OK;
    bool failed = false;
};
Plan plan;
sqlite3_vfs* real_vfs = nullptr;
sqlite3_vfs shim_vfs;

struct ShimFile {
    sqlite3_file base;
    alignas(void*) std::byte real[1];  // SQLite gives memory that is aligned for 8 bytes.
};

sqlite3_file* real(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<ShimFile*>(file)->real);
}

/// SQLITE_OK, or what the next operation that changes the disk fails with.
int outcome() {
    if (plan.operations_left > 0) {
        --plan.operations_left;
        return SQLITE_OK;
    }
    plan.failed = true;
    return plan.code;
}

int x_close(sqlite3_file* f) {
    return real(f)->pMethods == nullptr ? SQLITE_OK : real(f)->pMethods->xClose(real(f));
}
int x_read(sqlite3_file* f, void* data, int size, sqlite3_int64 at) {
    return real(f)->pMethods->xRead(real(f), data, size, at);
}
int x_write(sqlite3_file* f, const void* data, int size, sqlite3_int64 at) {
    const int code = outcome();
    return code == SQLITE_OK ? real(f)->pMethods->xWrite(real(f), data, size, at) : code;
}
int x_truncate(sqlite3_file* f, sqlite3_int64 size) {
    const int code = outcome();
    return code == SQLITE_OK ? real(f)->pMethods->xTruncate(real(f), size) : code;
}
int x_sync(sqlite3_file* f, int flags) {
    const int code = outcome();
    return code == SQLITE_OK ? real(f)->pMethods->xSync(real(f), flags) : code;
}
int x_file_size(sqlite3_file* f, sqlite3_int64* size) {
    return real(f)->pMethods->xFileSize(real(f), size);
}
int x_lock(sqlite3_file* f, int level) {
    return real(f)->pMethods->xLock(real(f), level);
}
int x_unlock(sqlite3_file* f, int level) {
    return real(f)->pMethods->xUnlock(real(f), level);
}
int x_check_reserved_lock(sqlite3_file* f, int* result) {
    return real(f)->pMethods->xCheckReservedLock(real(f), result);
}
int x_file_control(sqlite3_file* f, int operation, void* argument) {
    return real(f)->pMethods->xFileControl(real(f), operation, argument);
}
int x_sector_size(sqlite3_file* f) {
    return real(f)->pMethods->xSectorSize(real(f));
}
int x_device_characteristics(sqlite3_file* f) {
    return real(f)->pMethods->xDeviceCharacteristics(real(f));
}
int x_shm_map(sqlite3_file* f, int page, int size, int extend, void volatile** memory) {
    return real(f)->pMethods->xShmMap(real(f), page, size, extend, memory);
}
int x_shm_lock(sqlite3_file* f, int offset, int count, int flags) {
    return real(f)->pMethods->xShmLock(real(f), offset, count, flags);
}
void x_shm_barrier(sqlite3_file* f) {
    real(f)->pMethods->xShmBarrier(real(f));
}
int x_shm_unmap(sqlite3_file* f, int remove) {
    return real(f)->pMethods->xShmUnmap(real(f), remove);
}

constexpr sqlite3_io_methods methods = {2,
                                        x_close,
                                        x_read,
                                        x_write,
                                        x_truncate,
                                        x_sync,
                                        x_file_size,
                                        x_lock,
                                        x_unlock,
                                        x_check_reserved_lock,
                                        x_file_control,
                                        x_sector_size,
                                        x_device_characteristics,
                                        x_shm_map,
                                        x_shm_lock,
                                        x_shm_barrier,
                                        x_shm_unmap,
                                        nullptr,
                                        nullptr};

int x_open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    file->pMethods = nullptr;
    const int code = real_vfs->xOpen(real_vfs, name, real(file), flags, out_flags);
    if (code == SQLITE_OK) file->pMethods = &methods;
    return code;
}

}  // namespace

FailingVfs::FailingVfs() {
    plan = {};
    real_vfs = sqlite3_vfs_find(nullptr);
    shim_vfs = *real_vfs;
    shim_vfs.zName = "failing";
    shim_vfs.szOsFile = static_cast<int>(offsetof(ShimFile, real)) + real_vfs->szOsFile;
    shim_vfs.xOpen = x_open;
    sqlite3_vfs_register(&shim_vfs, 1);
}

FailingVfs::~FailingVfs() {
    sqlite3_vfs_unregister(&shim_vfs);
    sqlite3_vfs_register(real_vfs, 1);
}

void FailingVfs::fail_after(int operations, int code) {
    plan = {operations, code, false};
}

bool FailingVfs::mend() {
    const bool failed = plan.failed;
    plan = {};
    return failed;
}

}  // namespace wearout::store::test
