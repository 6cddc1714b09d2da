// HTTP as the backends here need it: requests that end at a deadline whatever the other side does, and long replies
// that come piece by piece. Two implementations keep this one contract; LEADERELECTION_HTTP chooses which one
// MakeClient makes.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leaderelection/clock.h"
#include "leaderelection/error.h"
#include "net/endpoint.h"
#include "net/secret.h"
#include "net/tls.h"

namespace leaderelection::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method = "GET";
  std::string target = "/";  // path and query, percent-encoded already
  Headers headers;           // Host, Content-Length and Authorization are not the caller's
  net::Secret bearer_token;  // sent as "Authorization: Bearer ..."; empty: none
  std::string body;
  MonotonicTime deadline = kNever;        // of everything: look-up, connecting, handshake, writing, the last byte read
  std::size_t largest_reply = 4UL << 20;  // a larger body is an error; for a stream: one read's worth is bounded anyway
  std::shared_ptr<const net::TlsContext>
      tls;               // null: plain; a connection is re-used only for the context it was made with
  std::stop_token stop;  // ends it early
};

struct Response {
  int status = 0;
  Headers headers;
  std::string body;

  // The first header of this name, whatever its case; null if there is none.
  [[nodiscard]] const std::string* Find(std::string_view name) const;
};

// What becomes of a streaming GET. Called on a thread of the client's, one at a time, never inside Stream. None blocks.
struct StreamEvents {
  std::function<void(const Response&)>
      on_response;                                 // once. 2xx: the head alone, pieces follow; else with its whole body
  std::function<void(std::string_view)> on_piece;  // as they come; no line or object is kept together
  std::function<void(Status)> on_end;              // once, last: ok if the server ended the reply properly
};

// A reply under way; its destructor ends it without a further callback, on_end neither, and returns after the running
// one has, unless it is called in one.
class Streaming {
 public:
  virtual ~Streaming() = default;
};

// One server, any number of requests at a time over as few connections as that takes. Thread-safe.
//
// A failure to get a whole, well-formed reply is kTimeout if it was the deadline or a stream's silence, else kUnknown:
// the request may have been carried out all the same. kInvalid: it was not sent, for it cannot be written as HTTP (a
// line break in a header). Every status is a Response, 3xx too: no redirect is followed, for credentials follow none.
// No error text holds a secret. A connection that the server closed while it was idle is not held against the request:
// it is sent on another, but never twice.
class Client {
 public:
  // Ends what is under way: each `done` and `on_end` has been called when it returns. Not to be destroyed in one.
  virtual ~Client() = default;

  // `done` is called once, on a thread of the client's, never inside Send, and must not block.
  virtual void Send(Request request, std::function<void(Result<Response>)> done) = 0;

  // The deadline holds until the response's head is there; after that the stream ends if nothing comes for `silence`.
  [[nodiscard]] virtual std::unique_ptr<Streaming> Stream(Request request, std::chrono::milliseconds silence,
                                                          StreamEvents events) = 0;
};

// All clients share one thread for what they wait for, and start it with the first request; with cpprestsdk, its pool
// comes on top.
[[nodiscard]] std::unique_ptr<Client> MakeClient(net::Endpoint server);

}  // namespace leaderelection::http
