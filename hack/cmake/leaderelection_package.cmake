# What is installed: every component has headers, an export set and a list of what it needs, so that
# find_package(leaderelection COMPONENTS core file) looks for the dependencies of these two and no others.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(leaderelection_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/leaderelection)
set(leaderelection_templates ${CMAKE_CURRENT_LIST_DIR})

# leaderelection_component(file REQUIRES core json PACKAGES ... HEADERS file_lock.h) adds lib/file to the build and to
# the package. REQUIRES names other components, PACKAGES what find_package must find, here and at the user's, HEADERS
# what lies in include/leaderelection.
# PRIVATE libraries are exported too, as leaderelection::private_json: an exported static library must be able to name
# all it links. A shared build has taken them in and installs none of them.
function(leaderelection_component name)
  cmake_parse_arguments(arg "PRIVATE" "" "REQUIRES;PACKAGES;HEADERS" ${ARGN})
  foreach(package IN LISTS arg_PACKAGES)
    find_package(${package} REQUIRED)
  endforeach()
  add_subdirectory(lib/${name})
  set(target leaderelection_${name})
  leaderelection_built_for(package ${target})

  if(NOT arg_PRIVATE)
    set_property(GLOBAL APPEND PROPERTY leaderelection_components ${name})
  elseif(BUILD_SHARED_LIBS)
    set_property(GLOBAL APPEND PROPERTY leaderelection_taken_in ${name})
    return()
  endif()

  set(headers ${arg_HEADERS})
  list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/include/leaderelection/)
  if(name STREQUAL core)
    list(APPEND headers ${PROJECT_BINARY_DIR}/include/leaderelection/version.h)
  endif()
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include
    FILES ${headers})
  install(TARGETS ${target} EXPORT leaderelection-${name} COMPONENT leaderelection-${name}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT leaderelection-${name} FILE ${name}-targets.cmake NAMESPACE leaderelection::
    DESTINATION ${leaderelection_package_dir} COMPONENT leaderelection-${name})

  set(component ${name})
  set(required_components ${arg_REQUIRES})
  get_property(taken_in GLOBAL PROPERTY leaderelection_taken_in)
  list(REMOVE_ITEM required_components ${taken_in})
  set(required_packages ${arg_PACKAGES})
  configure_file(${leaderelection_templates}/component.cmake.in ${PROJECT_BINARY_DIR}/package/${name}.cmake @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/${name}.cmake
    DESTINATION ${leaderelection_package_dir} COMPONENT leaderelection-${name})
endfunction()

# After the last component.
function(leaderelection_package)
  get_property(leaderelection_components GLOBAL PROPERTY leaderelection_components)
  configure_package_config_file(${leaderelection_templates}/leaderelectionConfig.cmake.in
    ${PROJECT_BINARY_DIR}/package/leaderelectionConfig.cmake INSTALL_DESTINATION ${leaderelection_package_dir}
    NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/leaderelectionConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES
    ${PROJECT_BINARY_DIR}/package/leaderelectionConfig.cmake
    ${PROJECT_BINARY_DIR}/package/leaderelectionConfigVersion.cmake
    DESTINATION ${leaderelection_package_dir} COMPONENT leaderelection-core)
endfunction()
