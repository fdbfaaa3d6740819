# gpucap_layer(<name> SOURCES <files> [USES <layers to the left>] [PRIVATE <third-party targets>])
# One library per layer; without sources it is header-only. Third-party targets stay private: no
# header of ours may need them.
function(gpucap_layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;USES;PRIVATE" ${ARGN})
  list(TRANSFORM LAYER_USES PREPEND "gpucap::")
  if(LAYER_SOURCES)
    add_library(gpucap_${name} STATIC ${LAYER_SOURCES})
    target_link_libraries(gpucap_${name}
      PUBLIC gpucap_options ${LAYER_USES}
      PRIVATE gpucap_warnings fmt::fmt ${LAYER_PRIVATE})
  else()
    add_library(gpucap_${name} INTERFACE)
    target_link_libraries(gpucap_${name} INTERFACE gpucap_options ${LAYER_USES})
  endif()
  add_library(gpucap::${name} ALIAS gpucap_${name})
endfunction()
