#include <iostream>
#include <string>
#include <vector>

#include "operator.h"

int main(int count, char** arguments) {
  return example_operator::Run(std::vector<std::string>(arguments + 1, arguments + count), std::cout, std::cerr);
}
