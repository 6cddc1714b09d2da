// A target that is wrong on purpose: an input that begins with "fuzz" is read beyond its end. hack/fuzz.sh must find
// it, which takes both the sanitizer and the trail from one letter to the next.

#include <memory>

#include "fuzz/target.h"

namespace leaderelection::fuzz {

void Fuzz(std::string_view input) {
  const std::string_view word = "fuzz";
  const std::unique_ptr<char[]> copy(new char[input.size() + 1]);
  input.copy(copy.get(), input.size());
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (i >= input.size() || copy[i] != word[i]) return;
  }
  Require(copy[input.size() + 1] == 0, "the fault was planted");
}

}  // namespace leaderelection::fuzz
