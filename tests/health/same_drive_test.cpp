#include "health/same_drive.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace wearout::health {
namespace {

Answer told(const std::string& fields) {
    auto result = read_answer(R"({"smartctl": {"exit_status": 0}, )" + fields + "}");
    REQUIRE(result.answer);
    return std::move(*result.answer);
}

Answer with_serial(const std::string& serial) {
    return told(fmt::format(R"("serial_number": "{}")", serial));
}

SameDrive by_serial(const std::string& answer, const std::string& drive) {
    return same_drive(with_serial(answer), {.serial = drive, .wwn = {}, .capacity = {}});
}

TEST_CASE("serial numbers are the same however they are written") {
    CHECK(by_serial("S3Z7NB0K123456", "S3Z7NB0K123456") == SameDrive::yes);
    CHECK(by_serial("  s3z7nb0k-123456 ", "S3Z7NB0K123456") == SameDrive::yes);
    CHECK(by_serial("CVPR 1234 0001 AB", "CVPR_1234_0001_AB") == SameDrive::yes);
    // SCSI: VPD page 80h, and what an INQUIRY's vendor bytes have of it.
    CHECK(by_serial("Z840ABCD0000C6128XYZ", "Z840ABCD") == SameDrive::yes);
    CHECK(by_serial("S3Z7NB0K123456", "0K123456") == SameDrive::yes);
    CHECK(by_serial("S3Z7NB0K123456", "S3Z7NB0K123457") == SameDrive::no);
    CHECK(by_serial("ABC1", "ABC12") == SameDrive::no);  // Too short to have been cut off.
}

TEST_CASE("a drive or an answer without a serial number contradicts nothing") {
    CHECK(by_serial("", "S3Z7NB0K123456") == SameDrive::unsure);
    CHECK(by_serial("S3Z7NB0K123456", "") == SameDrive::unsure);
    CHECK(by_serial("000000000000", "S3Z7NB0K123456") == SameDrive::unsure);
    CHECK(by_serial("   ", "-") == SameDrive::unsure);
    CHECK(same_drive(told(R"("serial_number": 12345678)"),
                     {.serial = "87654321", .wwn = {}, .capacity = {}}) == SameDrive::unsure);
}

TEST_CASE("a WWN tells as well, of ATA and of SCSI drives") {
    const Expected expected{.serial = "OTHER123", .wwn = "5000c500a1b2c3d4", .capacity = {}};
    const std::string serial = R"("serial_number": "S3Z7NB0K123456", )";
    CHECK(same_drive(told(serial + R"("wwn": {"naa": 5, "oui": 3152, "id": 2712847316})"), expected) ==
          SameDrive::yes);
    CHECK(same_drive(told(serial + R"("logical_unit_id": "0x5000c500a1b2c3d4")"), expected) ==
          SameDrive::yes);
    CHECK(same_drive(told(serial + R"("wwn": {"naa": 5, "oui": 3152, "id": 2712847317})"), expected) ==
          SameDrive::no);
    CHECK(same_drive(told(R"("wwn": {"naa": 5, "oui": 3152, "id": -1})"), expected) == SameDrive::unsure);
}

TEST_CASE("behind a USB bridge a serial number may be the bridge's") {
    Drive drive;
    drive.serial = "DD56419884B30";
    drive.transport = "usb";
    drive.by_id = "usb-Sabrent_DD56419884B30-0:0";
    CHECK(same_drive(with_serial("S3Z7NB0K123456"), expected_of(drive)) == SameDrive::unsure);
    CHECK(same_drive(with_serial("DD56419884B30"), expected_of(drive)) == SameDrive::yes);
    drive.by_id = "ata-Samsung_DD56419884B30";
    CHECK(same_drive(with_serial("S3Z7NB0K123456"), expected_of(drive)) == SameDrive::no);
    drive.transport = "sata";
    drive.by_id = "";
    CHECK(same_drive(with_serial("S3Z7NB0K123456"), expected_of(drive)) == SameDrive::no);
}

TEST_CASE("the capacity fits to the byte") {
    const Expected expected{.serial = {}, .wwn = {}, .capacity = {1'000'204'886'016}};
    CHECK(fits_capacity(told(R"("user_capacity": {"bytes": 1000204886016})"), expected));
    CHECK_FALSE(fits_capacity(told(R"("user_capacity": {"bytes": 1000204885504})"), expected));
    CHECK_FALSE(fits_capacity(told(R"("user_capacity": {"bytes": -1})"), expected));
    CHECK_FALSE(fits_capacity(told(R"("a": 1)"), expected));
}

class Fixed final : public HealthSource {
  public:
    explicit Fixed(std::string text) : text_(std::move(text)) {}
    RawAnswer ask() override { return {.text = text_, .problem = {}, .took = {}}; }

  private:
    std::string text_;
};

RawAnswer asked(const std::string& text, const Expected& expected, bool strict = false) {
    return same_drive_source(std::make_shared<Fixed>(text), expected, strict)->ask();
}

TEST_CASE("nothing of another drive's answer is handed on") {
    const Expected expected{.serial = "S3Z7NB0K123456", .wwn = {}, .capacity = {}};
    const std::string other = R"({"smartctl": {"exit_status": 0}, "serial_number": "S3Z7NB0K999999"})";
    const auto refused = asked(other, expected);
    CHECK(refused.text.empty());
    CHECK(refused.problem ==
          "the answer is another drive's (serial number S3Z7NB0K999999, wanted S3Z7NB0K123456), so that "
          "nothing "
          "of it is used");
    CHECK(decode(refused).raw.empty());

    const std::string own = R"({"smartctl": {"exit_status": 0}, "serial_number": "S3Z7NB0K123456"})";
    CHECK(asked(own, expected).text == own);
    const std::string silent = R"({"smartctl": {"exit_status": 0}})";
    CHECK(asked(silent, expected).text == silent);
    CHECK(
        asked(silent, expected, true).problem ==
        "the answer is perhaps another drive's (serial number none, wanted S3Z7NB0K123456), so that nothing "
        "of it is used");
    // What holds no data holds no other drive's: its message is for the user.
    const std::string error = R"({"smartctl": {"exit_status": 2}, "serial_number": "S3Z7NB0K999999"})";
    CHECK(asked(error, expected, true).text == error);
    CHECK(asked("no JSON", expected).text == "no JSON");
}

}  // namespace
}  // namespace wearout::health
