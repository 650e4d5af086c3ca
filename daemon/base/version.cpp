#include "base/version.h"

namespace wearout {

std::string_view version() {
    return WEAROUT_VERSION;
}

}  // namespace wearout
