# SPDX-License-Identifier: GPL-2.0-only
# cmake -DOUTPUT=embedded.cc -DHARDWARE=dir -DLIBRARY=dir -DMODELS=dir -DCHIPS=dir
#   -P embed.cmake
# Writes the YAML files of these folders into a C++ source, byte by byte (string literals have length
# limits and trouble with split UTF-8; arrays have neither).

function(add_folder function folder)
  file(GLOB files ${folder}/*.yaml)
  list(SORT files)
  set(arrays "")
  set(entries "")
  set(count 0)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" lines "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${lines}")
    string(APPEND arrays "constexpr char k_${function}_${count}[] = {\n${bytes}'\\0'};\n")
    set(array k_${function}_${count})
    string(APPEND entries "    EmbeddedFile{\"${name}\", {${array}, sizeof ${array} - 1}},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  file(APPEND ${OUTPUT}.new
    "namespace {\n${arrays}"
    "constexpr std::array<EmbeddedFile, ${count}> k_${function}{{\n${entries}}};\n}\n"
    "std::span<const EmbeddedFile> ${function}() { return k_${function}; }\n\n")
endfunction()

file(WRITE ${OUTPUT}.new
  "// SPDX-License-Identifier: GPL-2.0-only\n// Written by scenarios/loader/embed.cmake.\n"
  "#include \"scenarios/loader/embedded.h\"\n\n#include <array>\n\nnamespace scenarios {\n")
add_folder(hardware_files ${HARDWARE})
add_folder(library_files ${LIBRARY})
add_folder(model_files ${MODELS})
add_folder(chip_files ${CHIPS})
file(APPEND ${OUTPUT}.new "}  // namespace scenarios\n")
file(RENAME ${OUTPUT}.new ${OUTPUT})
