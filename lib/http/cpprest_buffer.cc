#include "http/cpprest_buffer.h"

#include <pplx/pplxtasks.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

namespace leaderelection::http {
namespace {

using Buffer = concurrency::streams::details::basic_streambuf<std::uint8_t>;
using Mode = std::ios_base::openmode;

// All that a buffer must be able to do and these are never asked for.
class OneWayBuffer : public Buffer {
 public:
  bool can_read() const override { return false; }
  bool can_write() const override { return false; }
  bool can_seek() const override { return false; }
  bool has_size() const override { return false; }
  bool is_eof() const override { return false; }
  bool is_open() const override { return is_open_; }
  std::size_t buffer_size(Mode) const override { return 0; }
  void set_buffer_size(std::size_t, Mode) override {}
  std::size_t in_avail() const override { return 0; }
  utility::size64_t size() const override { return 0; }

  pplx::task<void> close(Mode) override {
    is_open_ = false;
    return pplx::task_from_result();
  }
  pplx::task<void> close(Mode mode, std::exception_ptr) override { return close(mode); }
  std::exception_ptr exception() const override { return nullptr; }
  pplx::task<void> sync() override { return pplx::task_from_result(); }

  pplx::task<int_type> putc(std::uint8_t) override { return pplx::task_from_result(traits::eof()); }
  pplx::task<std::size_t> putn(const std::uint8_t* bytes, std::size_t size) override {
    return putn_nocopy(bytes, size);
  }
  pplx::task<std::size_t> putn_nocopy(const std::uint8_t*, std::size_t) override { return Nothing(); }
  pplx::task<int_type> bumpc() override { return pplx::task_from_result(traits::eof()); }
  int_type sbumpc() override { return traits::eof(); }
  pplx::task<int_type> getc() override { return pplx::task_from_result(traits::eof()); }
  int_type sgetc() override { return traits::eof(); }
  pplx::task<int_type> nextc() override { return pplx::task_from_result(traits::eof()); }
  pplx::task<int_type> ungetc() override { return pplx::task_from_result(traits::eof()); }
  pplx::task<std::size_t> getn(std::uint8_t*, std::size_t) override { return Nothing(); }
  std::size_t scopy(std::uint8_t*, std::size_t) override { return 0; }
  pos_type getpos(Mode) const override { return static_cast<pos_type>(traits::eof()); }
  pos_type seekpos(pos_type, Mode) override { return static_cast<pos_type>(traits::eof()); }
  pos_type seekoff(off_type, std::ios_base::seekdir, Mode) override { return static_cast<pos_type>(traits::eof()); }
  std::uint8_t* alloc(std::size_t) override { return nullptr; }
  void commit(std::size_t) override {}
  bool acquire(std::uint8_t*& bytes, std::size_t& size) override {
    bytes = nullptr;
    size = 0;
    return false;
  }
  void release(std::uint8_t*, std::size_t) override {}

 private:
  static pplx::task<std::size_t> Nothing() { return pplx::task_from_result<std::size_t>(0); }

  std::atomic<bool> is_open_{true};
};

class BodySource : public OneWayBuffer {
 public:
  explicit BodySource(std::string body) : body_(std::move(body)) {}

  bool can_read() const override { return is_open(); }
  pplx::task<std::size_t> getn(std::uint8_t* into, std::size_t size) override {
    const std::size_t count = std::min(size, body_.size() - read_);
    std::memcpy(into, body_.data() + read_, count);
    read_ += count;
    return pplx::task_from_result(count);
  }

 private:
  const std::string body_;
  std::size_t read_ = 0;
};

class BodySink : public OneWayBuffer {
 public:
  explicit BodySink(std::function<void(std::string_view)> take) : take_(std::move(take)) {}

  bool can_write() const override { return is_open(); }
  pplx::task<std::size_t> putn_nocopy(const std::uint8_t* bytes, std::size_t size) override {
    take_({reinterpret_cast<const char*>(bytes), size});
    return pplx::task_from_result(size);
  }

 private:
  const std::function<void(std::string_view)> take_;
};

}  // namespace

std::shared_ptr<Buffer> MakeBodySource(std::string body) { return std::make_shared<BodySource>(std::move(body)); }

std::shared_ptr<Buffer> MakeBodySink(std::function<void(std::string_view)> take) {
  return std::make_shared<BodySink>(std::move(take));
}

}  // namespace leaderelection::http
