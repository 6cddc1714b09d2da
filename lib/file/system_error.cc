#include "file/system_error.h"

#include <cerrno>
#include <string>
#include <system_error>

namespace leaderelection {
namespace {

ErrorCode ToErrorCode(int number) {
  switch (number) {
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::kDenied;
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
      return ErrorCode::kInvalid;
    default:
      return ErrorCode::kUnknown;
  }
}

}  // namespace

Error SystemError(int number, std::string_view action, const std::filesystem::path& path) {
  std::string message = "cannot " + std::string(action) + " " + path.string() + ": ";
  return {ToErrorCode(number), message + std::generic_category().message(number), std::nullopt};
}

}  // namespace leaderelection
