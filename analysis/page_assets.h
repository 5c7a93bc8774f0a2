// SPDX-License-Identifier: GPL-2.0-only
// What the report page carries besides its figures: analysis/page/ as it was at build time. Written
// by page/embed.cmake.
#pragma once

#include <string_view>

namespace analysis {

[[nodiscard]] std::string_view page_style();    // page.css
[[nodiscard]] std::string_view page_script();   // page.js
[[nodiscard]] std::string_view d3_library();    // vendor/d3.min.js (ISC)
[[nodiscard]] std::string_view plot_library();  // vendor/plot.umd.min.js (ISC)

}  // namespace analysis
