// A server on the loopback address that does to its clients exactly what a test tells it to.

#pragma once

#include <openssl/ssl.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "net/certificates.h"

namespace leaderelection::testing {

struct ServerTls {
  Issued identity = {};
  std::string client_authority = {};  // PEM; clients must show a certificate of this authority
  int newest_version = TLS1_3_VERSION;
};

class ScriptedServer;

// One connection, as its script sees it. Every wait ends when the server stops.
class Conversation {
 public:
  // What has come; empty at the end of the connection.
  std::string Read();
  bool Send(std::string_view bytes);
  // Waits; false if the server stops meanwhile.
  bool Pause(std::chrono::milliseconds time);
  // Does nothing, not even read, until the server stops.
  void Hold();
  // Reads and says nothing until the client goes away or the server stops.
  void Swallow();
  // Ends the connection by RST instead of FIN.
  void Reset();
  // Ends the connection by FIN, without TLS's own closing word.
  void EndUnannounced();

  [[nodiscard]] const std::string& asked_name() const { return asked_name_; }  // by SNI
  [[nodiscard]] int number() const { return number_; }                         // of this connection, from 1

 private:
  friend class ScriptedServer;
  Conversation(ScriptedServer& server, int socket, int number) : server_(server), socket_(socket), number_(number) {}
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;
  bool Handshake(SSL_CTX* context);

  ScriptedServer& server_;
  const int socket_;
  const int number_;
  SSL* tls_ = nullptr;
  std::string asked_name_;
};

class ScriptedServer {
 public:
  using Script = std::function<void(Conversation&)>;
  struct Options {
    std::optional<ServerTls> tls = std::nullopt;  // none: plain
    Script before_handshake = nullptr;            // to be slow there
    std::string address = "127.0.0.1";
  };

  // Runs the script on a thread of its own for each connection.
  ScriptedServer(Options options, Script script);
  ~ScriptedServer();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] int connections() const { return connections_; }
  // Returns when so many connections have ended, as seen from here.
  void AwaitEnd(int connections);

 private:
  friend class Conversation;
  struct Running {
    std::thread thread;
    int socket = -1;
  };

  void Accept();
  void Talk(int socket, int number);
  void Ended(int socket);
  bool AwaitStop(std::optional<std::chrono::milliseconds> time);

  const Options options_;
  const Script script_;
  SSL_CTX* tls_ = nullptr;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_{0};

  std::mutex mutex_;
  std::condition_variable stopping_;
  std::condition_variable ending_;
  bool stopped_ = false;
  int ended_ = 0;
  std::list<Running> running_;
  std::thread acceptor_;
};

// A port where connecting neither succeeds nor fails: nobody accepts, and the queue is full.
class FullBacklog {
 public:
  FullBacklog();
  ~FullBacklog();
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  std::list<int> sockets_;
  std::uint16_t port_ = 0;
};

// A port that refuses connections.
std::uint16_t RefusingPort();

}  // namespace leaderelection::testing
