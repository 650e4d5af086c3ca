#include "store/raw_codec.h"

#include "store/database.h"

#include <memory>
#include <new>

#include <zstd.h>

namespace wearout::store {

namespace {

/// Keyframes are rare and deltas small: size counts, not speed.
constexpr int compression_level = 9;

struct Free {
    void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
    void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

std::size_t check(std::size_t result) {
    if (ZSTD_isError(result) != 0) throw_unreadable(std::string("zstd: ") + ZSTD_getErrorName(result));
    return result;
}

}  // namespace

std::vector<std::byte> compress(std::string_view text, std::string_view prefix) {
    const std::unique_ptr<ZSTD_CCtx, Free> context(ZSTD_createCCtx());
    if (!context) throw std::bad_alloc();
    check(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, compression_level));
    check(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1));
    if (!prefix.empty()) check(ZSTD_CCtx_refPrefix(context.get(), prefix.data(), prefix.size()));
    std::vector<std::byte> frame(ZSTD_compressBound(text.size()));
    frame.resize(check(ZSTD_compress2(context.get(), frame.data(), frame.size(), text.data(), text.size())));
    return frame;
}

std::string decompress(std::span<const std::byte> frame, std::string_view prefix, std::uint64_t size) {
    if (size > max_raw_bytes) throw_unreadable("a raw answer is too long");
    const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
    if (!context) throw std::bad_alloc();
    if (!prefix.empty()) check(ZSTD_DCtx_refPrefix(context.get(), prefix.data(), prefix.size()));
    std::string text(static_cast<std::size_t>(size), '\0');
    const std::size_t got =
        check(ZSTD_decompressDCtx(context.get(), text.data(), text.size(), frame.data(), frame.size()));
    if (got != text.size()) throw_unreadable("a raw answer has another length than it should");
    return text;
}

}  // namespace wearout::store
