# wearout_embed(target_name NAMESPACE ns FILES a.sql b.sql) makes an object library whose header
# <embedded/NAME.h> declares `extern const std::array<EmbeddedFile, N> NAME` with each file's name and text,
# in the order given.
function(wearout_embed name)
    cmake_parse_arguments(EMBED "" "" "FILES" ${ARGN})
    set(dir ${CMAKE_BINARY_DIR}/embedded)
    set(source ${dir}/${name}.cpp)
    set(inputs)
    foreach(file ${EMBED_FILES})
        list(APPEND inputs ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    endforeach()
    add_custom_command(OUTPUT ${source} ${dir}/embedded/${name}.h
        COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DOUT=${dir} "-DFILES=${inputs}"
            -P ${CMAKE_SOURCE_DIR}/tools/cmake/embed_files.cmake
        DEPENDS ${inputs} ${CMAKE_SOURCE_DIR}/tools/cmake/embed_files.cmake
        VERBATIM)
    add_library(wearout_embedded_${name} STATIC ${source} ${dir}/embedded/${name}.h)
    target_include_directories(wearout_embedded_${name} PUBLIC ${dir})
    target_link_libraries(wearout_embedded_${name} PUBLIC wearout_options)
endfunction()
