#include "kubernetes/read_file.h"

#include <openssl/crypto.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace leaderelection {
namespace {

constexpr std::size_t kLargestFile = 4UL << 20;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

Result<std::string> ReadSmallFile(const std::string& what, const std::string& path) {
  const std::string failed = "cannot read the " + what + " " + path + ": ";
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rbe"));
  if (!file) {
    const int error = errno;
    return {error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInvalid,
            failed + std::generic_category().message(error)};
  }
  std::string content;
  char bytes[4096];
  std::size_t size = 0;
  while ((size = std::fread(bytes, 1, sizeof bytes, file.get())) > 0 && content.size() <= kLargestFile) {
    content.append(bytes, size);
  }
  OPENSSL_cleanse(bytes, sizeof bytes);
  if (std::ferror(file.get()) != 0) return {ErrorCode::kInvalid, failed + std::generic_category().message(errno)};
  if (content.size() > kLargestFile) return {ErrorCode::kInvalid, failed + "it is larger than 4 MiB"};
  return content;
}

FileStamp StampOf(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {found.st_dev, found.st_ino, found.st_size, found.st_ctim.tv_sec * 1'000'000'000 + found.st_ctim.tv_nsec};
}

}  // namespace leaderelection
