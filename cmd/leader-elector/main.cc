#include <iostream>
#include <string>
#include <vector>

#include "command.h"

int main(int count, char** arguments) {
  using namespace leaderelection::command;
  return Run(std::vector<std::string>(arguments + 1, arguments + count), ProcessEnvironment(), std::cout, std::cerr);
}
