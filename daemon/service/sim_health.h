#pragma once

#include "block/target.h"
#include "health/health_source.h"

#include <mutex>

namespace wearout::service {

/// A simulated drive's SMART face as a source of answers. detach() before the drive is closed; after it there
/// are none.
class SimHealth final : public health::HealthSource {
  public:
    explicit SimHealth(const block::SmartFace& face) : face_(&face) {}
    [[nodiscard]] health::RawAnswer ask() override {
        const std::scoped_lock lock(mutex_);
        if (face_ == nullptr) return {.text = {}, .problem = "the simulated drive is closed", .took = {}};
        return {.text = face_->smart_json(), .problem = {}, .took = {}};
    }
    void detach() {
        const std::scoped_lock lock(mutex_);
        face_ = nullptr;
    }

  private:
    std::mutex mutex_;
    const block::SmartFace* face_;
};

}  // namespace wearout::service
