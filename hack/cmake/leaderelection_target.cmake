# How every target of the project is built: one place for language, warnings, visibility and hardening.

set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_package(Threads REQUIRED)

if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

option(LEADERELECTION_HARDENING "Compile with the checks and mitigations that distributions use" ON)
include(CheckCXXCompilerFlag)
include(CheckPIESupported)
check_pie_supported()  # so that programs are linked as they are compiled, position-independent
check_cxx_compiler_flag(-fstack-clash-protection LEADERELECTION_HAS_STACK_CLASH)
check_cxx_compiler_flag(-fcf-protection LEADERELECTION_HAS_CF_PROTECTION)

# Private, so that nothing of it reaches a user's own targets. Sanitizers check more, and are not mixed with it.
function(leaderelection_harden target)
  target_compile_options(${target} PRIVATE -fstack-protector-strong)
  if(LEADERELECTION_HAS_STACK_CLASH)
    target_compile_options(${target} PRIVATE -fstack-clash-protection)
  endif()
  if(LEADERELECTION_HAS_CF_PROTECTION)
    target_compile_options(${target} PRIVATE -fcf-protection)
  endif()
  # Needs an optimised build. Where a distribution has set it already, ours counts.
  target_compile_options(${target} PRIVATE
    "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
  target_link_options(${target} PRIVATE LINKER:-z,relro,-z,now,-z,noexecstack)
endfunction()

function(leaderelection_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers)
  if(LEADERELECTION_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(LEADERELECTION_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${LEADERELECTION_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${LEADERELECTION_SANITIZE})
  elseif(LEADERELECTION_HARDENING)
    leaderelection_harden(${target})
  endif()
endfunction()

function(leaderelection_define_library target)
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    PRIVATE ${PROJECT_SOURCE_DIR}/lib)
  leaderelection_compile_options(${target})
endfunction()

# leaderelection_library(core election.cc ...) makes leaderelection_core, known to users as leaderelection::core.
function(leaderelection_library component)
  set(target leaderelection_${component})
  add_library(${target} ${ARGN})
  add_library(leaderelection::${component} ALIAS ${target})
  # No ABI is promised before 1.0, so a minor version is an ABI of its own.
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${component}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    INSTALL_RPATH "$ORIGIN")
  leaderelection_define_library(${target})
endfunction()

# leaderelection_private_library(json json.cc ...) makes leaderelection_json, for the project's own libraries only:
# static even in a shared build, where each library that links it takes in what it needs.
function(leaderelection_private_library name)
  set(target leaderelection_${name})
  add_library(${target} STATIC ${ARGN})
  set_target_properties(${target} PROPERTIES EXPORT_NAME private_${name})
  leaderelection_define_library(${target})
endfunction()

# leaderelection_built_for(unit target ...): what `hack/test.sh -L unit` has to build, gathered in the target test-unit.
function(leaderelection_built_for label)
  if(NOT TARGET test-${label})
    add_custom_target(test-${label})
  endif()
  add_dependencies(test-${label} ${ARGN})
endfunction()

# leaderelection_test(NAME election_test LABELS unit SOURCES election_test.cc LIBRARIES leaderelection::core)
# Each TEST is a test of ctest, named as it is in the source, so that ctest counts, times and skips them one by one.
# SERIAL: no other test runs beside them, for they take a shared server down.
function(leaderelection_test)
  cmake_parse_arguments(arg "SERIAL" "NAME;TIMEOUT" "LABELS;SOURCES;LIBRARIES" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest_main)
  target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR}/test)
  leaderelection_compile_options(${arg_NAME})
  include(GoogleTest)
  gtest_discover_tests(${arg_NAME} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 EXTRA_ARGS --gtest_brief=1)
  # Set apart from the discovery, which would take a second label for the name of another property.
  set(properties ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_properties.cmake)
  file(CONFIGURE OUTPUT ${properties} @ONLY CONTENT [[
if(@arg_NAME@_TESTS)
  set_tests_properties(${@arg_NAME@_TESTS} PROPERTIES LABELS "@arg_LABELS@" TIMEOUT @arg_TIMEOUT@ RUN_SERIAL @arg_SERIAL@)
endif()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${properties})
  foreach(label IN LISTS arg_LABELS)
    leaderelection_built_for(${label} ${arg_NAME})
  endforeach()
endfunction()
