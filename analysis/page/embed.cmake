# SPDX-License-Identifier: GPL-2.0-only
# cmake -DOUTPUT=page_assets.cc -DPAGE=analysis/page -P embed.cmake
# Writes the script, the style and the chart libraries of the report page into a C++ source, as raw
# string literals.

function(add_text function file)
  file(READ ${file} text)
  string(FIND "${text}" ")~~~\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${file} holds the end of a raw string")
  endif()
  file(APPEND ${OUTPUT}.new
    "std::string_view ${function}() {\n  return R\"~~~(${text})~~~\";\n}\n\n")
endfunction()

file(WRITE ${OUTPUT}.new
  "// SPDX-License-Identifier: GPL-2.0-only\n// Written by analysis/page/embed.cmake.\n"
  "#include \"analysis/page_assets.h\"\n\nnamespace analysis {\n\n")
add_text(page_style ${PAGE}/page.css)
add_text(page_script ${PAGE}/page.js)
add_text(d3_library ${PAGE}/vendor/d3.min.js)
add_text(plot_library ${PAGE}/vendor/plot.umd.min.js)
file(APPEND ${OUTPUT}.new "}  // namespace analysis\n")
file(RENAME ${OUTPUT}.new ${OUTPUT})
