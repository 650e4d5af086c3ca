#include "block/mounts.h"

#include <cstring>
#include <filesystem>
#include <memory>

#include <libmount/libmount.h>

namespace wearout::block {
namespace {

struct TableDeleter {
    void operator()(libmnt_table* table) const noexcept { mnt_unref_table(table); }
    void operator()(libmnt_iter* iterator) const noexcept { mnt_free_iter(iterator); }
};
using Table = std::unique_ptr<libmnt_table, TableDeleter>;

/// A line that libmount does not understand could be the mount that matters: the whole table is refused.
int refuse_line(libmnt_table* /*table*/, const char* /*file*/, int /*line*/) {
    return -1;
}

std::string text_or_empty(const char* text) {
    return text != nullptr ? text : "";
}

Table parse(const std::string& file, int (*reader)(libmnt_table*, const char*)) {
    Table table(mnt_new_table());
    if (!table) return nullptr;
    mnt_table_set_parser_errcb(table.get(), refuse_line);
    return reader(table.get(), file.c_str()) == 0 ? std::move(table) : nullptr;
}

template <typename Visit>
void for_each_line(libmnt_table* table, Visit visit) {
    const std::unique_ptr<libmnt_iter, TableDeleter> iterator(mnt_new_iter(MNT_ITER_FORWARD));
    libmnt_fs* line = nullptr;
    while (mnt_table_next_fs(table, iterator.get(), &line) == 0)
        visit(line);
}

}  // namespace

std::optional<std::vector<Mount>> read_mounts(const std::string& file) {
    const Table table = parse(file, mnt_table_parse_file);
    if (!table) return std::nullopt;
    std::vector<Mount> mounts;
    for_each_line(table.get(), [&](libmnt_fs* line) {
        mounts.push_back({.id = static_cast<std::uint64_t>(mnt_fs_get_id(line)),
                          .number = device_number(mnt_fs_get_devno(line)),
                          .source = text_or_empty(mnt_fs_get_source(line)),
                          .target = text_or_empty(mnt_fs_get_target(line)),
                          .type = text_or_empty(mnt_fs_get_fstype(line)),
                          .options = text_or_empty(mnt_fs_get_fs_options(line))});
    });
    return mounts;
}

std::optional<std::vector<Swap>> read_swaps(const std::string& file) {
    std::error_code error;
    if (!std::filesystem::exists(file, error) && !error) return std::vector<Swap>{};
    const Table table = parse(file, mnt_table_parse_swaps);
    if (!table) return std::nullopt;
    std::vector<Swap> swaps;
    for_each_line(table.get(), [&](libmnt_fs* line) {
        swaps.push_back({.path = text_or_empty(mnt_fs_get_source(line)),
                         .is_file = text_or_empty(mnt_fs_get_swaptype(line)) == "file"});
    });
    return swaps;
}

std::string mount_option(const Mount& mount, const std::string& name) {
    char* value = nullptr;
    std::size_t size = 0;
    if (mnt_optstr_get_option(mount.options.c_str(), name.c_str(), &value, &size) != 0 || value == nullptr)
        return {};
    return {value, size};
}

}  // namespace wearout::block
