# leaderelection_script_test(NAME interop SCRIPT interop_test.py CLASS InteropTest LABEL lease [SERIAL]): one test of ctest for
# each test of the script, so that they run side by side, unless serial, and are counted one by one.
function(leaderelection_script_test)
  cmake_parse_arguments(arg "SERIAL" "NAME;SCRIPT;CLASS;LABEL" "" ${ARGN})
  file(STRINGS ${arg_SCRIPT} lines REGEX "def test_")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE ".*def test_([a-z_0-9]+).*" "\\1" sentence "${line}")
    set(name ${arg_NAME}.${sentence})
    add_test(NAME ${name}
      COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCRIPT} ${arg_CLASS}.test_${sentence})
    set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT 300 SKIP_RETURN_CODE 77
      ENVIRONMENT OUR_CANDIDATE=$<TARGET_FILE:candidate>)
    if(arg_SERIAL)
      set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
  endforeach()
  leaderelection_built_for(${arg_LABEL} candidate)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${arg_SCRIPT})
endfunction()
