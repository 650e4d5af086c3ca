# One library a layer folder: wearout_layer(block USES base facts LINK PkgConfig::liburing SOURCES …)
# makes wearout_block. Which layer may include which is checked by tests/layers.py.

add_library(wearout_options INTERFACE)
target_compile_features(wearout_options INTERFACE cxx_std_20)
target_compile_options(wearout_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
    -Wcast-align -Wformat=2 -Wimplicit-fallthrough -Wswitch-enum -Wnull-dereference
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op -Wno-null-dereference>
    # GCC 12 sees overlapping copies in std::string operator+ that are not there (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    -fstack-protector-strong)
target_include_directories(wearout_options INTERFACE ${CMAKE_SOURCE_DIR}/daemon ${CMAKE_SOURCE_DIR})
target_compile_definitions(wearout_options INTERFACE BOOST_LOG_DYN_LINK
    $<$<CONFIG:Release>:_FORTIFY_SOURCE=2>)
if(WEAROUT_SANITIZE)
    target_compile_options(wearout_options INTERFACE -fsanitize=${WEAROUT_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all)
    # What the sanitizers put in makes GCC doubt initialised variables (it says so itself in its manual).
    target_compile_options(wearout_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    target_link_options(wearout_options INTERFACE -fsanitize=${WEAROUT_SANITIZE})
endif()

function(wearout_layer name)
    cmake_parse_arguments(LAYER "" "" "USES;LINK;SOURCES" ${ARGN})
    set(uses ${LAYER_USES})
    list(TRANSFORM uses PREPEND wearout_)
    if(LAYER_SOURCES)
        add_library(wearout_${name} STATIC ${LAYER_SOURCES})
        target_link_libraries(wearout_${name} PUBLIC wearout_options ${uses} ${LAYER_LINK})
    else()
        add_library(wearout_${name} INTERFACE)
        target_link_libraries(wearout_${name} INTERFACE wearout_options ${uses} ${LAYER_LINK})
    endif()
endfunction()
