# SPDX-License-Identifier: GPL-2.0-only
# ns-3 3.37 as the distribution packs it (libns3-dev), or from NS3_PREFIX. Its own CMake package and
# pkg-config files name libraries that libns3-dev does not pull in (GSL, the ns3 helper program), so
# the two libraries we use are looked up by name.
set(NS3_PREFIX "" CACHE PATH "Prefix of a self-built ns-3 3.37 (empty: the system's)")
if(NS3_PREFIX)
  set(ns3_hint HINTS ${NS3_PREFIX} NO_DEFAULT_PATH)
endif()
find_path(NS3_INCLUDE_DIR ns3/core-module.h ${ns3_hint} PATH_SUFFIXES include ns3.37 REQUIRED)
foreach(module core network)
  find_library(NS3_${module}_LIBRARY NAMES ns3-${module} ns3.37-${module} ns3.37-${module}-optimized
    ${ns3_hint} PATH_SUFFIXES lib lib/${CMAKE_LIBRARY_ARCHITECTURE} REQUIRED)
  add_library(ns3::${module} SHARED IMPORTED GLOBAL)
  set_target_properties(ns3::${module} PROPERTIES
    IMPORTED_LOCATION ${NS3_${module}_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${NS3_INCLUDE_DIR})
endforeach()
