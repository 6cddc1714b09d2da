# How every target of the project is built: one place for language, warnings and visibility.

set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_package(Threads REQUIRED)

if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

function(leaderelection_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers)
  if(LEADERELECTION_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(LEADERELECTION_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${LEADERELECTION_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${LEADERELECTION_SANITIZE})
  endif()
endfunction()

# leaderelection_library(core election.cc ...) makes leaderelection_core, known to users as leaderelection::core.
function(leaderelection_library component)
  set(target leaderelection_${component})
  add_library(${target} ${ARGN})
  add_library(leaderelection::${component} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${component})
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE ${PROJECT_SOURCE_DIR}/lib)
  leaderelection_compile_options(${target})
endfunction()

# leaderelection_test(NAME election_test LABELS unit SOURCES election_test.cc LIBRARIES leaderelection::core)
function(leaderelection_test)
  cmake_parse_arguments(arg "" "NAME;TIMEOUT" "LABELS;SOURCES;LIBRARIES" ${ARGN})
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest_main)
  target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR}/test)
  leaderelection_compile_options(${arg_NAME})
  add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} --gtest_brief=1)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()
