#include "base/error.h"

#include <system_error>

namespace wearout {

std::string errno_text(const std::string& what, int error) {
    return what + ": " + std::generic_category().message(error);
}

void throw_errno(const std::string& what, ExitCode code) {
    throw Failure(code, errno_text(what));
}

}  // namespace wearout
