// The scripts that run on the server, one atomic step each. Their texts are the .lua files of this folder.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leaderelection::redis {

struct Script {
  std::string_view name;
  std::string_view text;
  std::string_view sha1;  // by which the server knows it once it has seen the text
  bool writes = false;
};

extern const Script kGetScript;
extern const Script kCreateScript;
extern const Script kUpdateScript;

struct ScriptCall {
  const Script* script = nullptr;
  std::string key;
  std::vector<std::string> arguments;
};

}  // namespace leaderelection::redis
