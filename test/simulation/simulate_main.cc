#include <iostream>
#include <string>
#include <vector>

#include "simulation/simulate.h"

int main(int argc, char** argv) {
  return leaderelection::simulation::Simulate(std::vector<std::string>(argv + 1, argv + argc), std::cout, std::cerr);
}
