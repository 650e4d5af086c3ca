# Run by wearout_embed at build time: text files into one C++ source. Each text becomes a list of bytes, since a
# string literal has a length limit (ISO C++ asks for 65,536 characters only).
file(MAKE_DIRECTORY ${OUT}/embedded)
set(arrays "")
set(entries "")
set(count 0)
foreach(file ${FILES})
    get_filename_component(base ${file} NAME)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "char(0x\\1)," bytes "${hex}")
    string(APPEND arrays "constexpr char text_${count}[] = {${bytes}char(0)};\n")
    string(APPEND entries "    EmbeddedFile{\"${base}\", {text_${count}, sizeof text_${count} - 1}},\n")
    math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT}/embedded/${NAME}.h
"#pragma once
#include <array>
#include \"base/embedded_file.h\"
namespace wearout::embedded {
extern const std::array<EmbeddedFile, ${count}> ${NAME};
}
")
file(WRITE ${OUT}/${NAME}.cpp
"#include \"embedded/${NAME}.h\"
namespace wearout::embedded {
namespace {
${arrays}}
const std::array<EmbeddedFile, ${count}> ${NAME} = {{
${entries}}};
}
")
