# What operators touch: the admin endpoints, the command and the example. A user of the libraries alone needs none of it.

find_package(prometheus-cpp QUIET)
find_package(civetweb QUIET)
find_package(CLI11 QUIET)
find_package(CURL QUIET)
find_package(spdlog QUIET)
find_package(yaml-cpp QUIET)
find_package(nlohmann_json QUIET)

set(admin_by_default OFF)
if(PROJECT_IS_TOP_LEVEL AND prometheus-cpp_FOUND AND civetweb_FOUND)
  set(admin_by_default ON)
endif()
option(LEADERELECTION_ADMIN "Build the admin endpoints and metrics" ${admin_by_default})

set(command_by_default OFF)
if(LEADERELECTION_ADMIN AND PROJECT_IS_TOP_LEVEL AND CLI11_FOUND AND spdlog_FOUND AND yaml-cpp_FOUND)
  set(command_by_default ON)
endif()
option(LEADERELECTION_COMMAND "Build leader-elector, and example-operator if there is a Kubernetes backend" ${command_by_default})
if(LEADERELECTION_COMMAND AND NOT LEADERELECTION_ADMIN)
  message(FATAL_ERROR "LEADERELECTION_COMMAND needs LEADERELECTION_ADMIN.")
endif()
