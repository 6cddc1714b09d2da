// What cpprestsdk keeps one of per process: its thread pool, which clients must neither make large nor outlive.

#pragma once

#include <functional>
#include <memory>
#include <utility>  // for Boost.Asio 1.74, which uses it without including it

namespace leaderelection::http {

// The pool is a static object and is destroyed at exit, before static objects that are older than its first use; a
// client may well belong to one of them. So whatever uses the pool registers here, and lets go of it when exit comes.
class CpprestProcess {
 public:
  virtual ~CpprestProcess() = default;
  // Makes the pool, with few threads, unless the program has made it already.
  static CpprestProcess& Get();

  // `let_go` is called at exit, once, unless the handle is gone by then.
  [[nodiscard]] virtual std::shared_ptr<void> AtExit(std::function<void()> let_go) = 0;
  [[nodiscard]] virtual bool is_ending() const = 0;
};

}  // namespace leaderelection::http
