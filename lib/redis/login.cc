#include "redis/login.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "redis/refusal.h"

namespace leaderelection::redis {
namespace {

struct Step {
  Command command;
  std::function<Status(const Reply&)> check;
};

Result<net::Secret> PasswordOf(const Login& login) {
  if (login.password_file.empty()) return login.password;
  std::ifstream file(login.password_file);
  std::string line;
  if (!std::getline(file, line) || line.empty())
    return {ErrorCode::kDenied, "cannot read a password from " + login.password_file};
  if (line.ends_with('\r')) line.pop_back();
  return net::Secret(std::move(line));
}

Step Authenticate(const std::string& username, const net::Secret& password, const std::string& server) {
  Command command{"AUTH"};
  if (!username.empty()) command.push_back(username);
  command.push_back(password.Reveal());
  return {std::move(command), [server](const Reply& reply) -> Status {
            if (reply.IsError()) return LoginRefusal(reply, server);
            return std::monostate();
          }};
}

Step Select(int database, const std::string& server) {
  return {{"SELECT", std::to_string(database)}, [database, server](const Reply& reply) -> Status {
            if (!reply.IsError()) return std::monostate();
            Error error = Refusal(reply, server);
            if (error.code == ErrorCode::kInvalid)
              error.message = "Redis " + server + " has no database " + std::to_string(database) + " (" +
                              reply.text.substr(0, 100) + ")";
            return error;
          }};
}

Step CheckRole(const std::string& server) {
  return {{"ROLE"}, [server](const Reply& reply) -> Status {
            if (reply.IsError()) return Refusal(reply, server);
            if (!reply.elements.empty() && reply.elements[0].text == "master") return std::monostate();
            return {ErrorCode::kThrottled, "Redis " + server + " is not, or not any more, the primary"};
          }};
}

}  // namespace

void Introduce(boost::asio::io_context& context, const std::shared_ptr<Connection>& connection, const Login& login,
               MonotonicTime deadline, std::function<void(Status)> done) {
  const std::string server = ToString(connection->server());
  const Result<net::Secret> password = PasswordOf(login);
  if (!password) return done(password.error());
  std::vector<Step> steps;
  if (!password->empty() || !login.username.empty()) steps.push_back(Authenticate(login.username, *password, server));
  if (login.database != 0) steps.push_back(Select(login.database, server));
  if (login.must_be_primary) steps.push_back(CheckRole(server));
  // Whoever needs no introduction asks for one word all the same: a port that is not Redis's shows itself here.
  if (steps.empty())
    steps.push_back({{"PING"}, [server](const Reply& reply) -> Status {
                       if (reply.IsError() && reply.ErrorWord() != "NOPERM") return Refusal(reply, server);
                       return std::monostate();
                     }});

  struct Progress {
    std::size_t left;
    std::function<void(Status)> done;
  };
  const auto progress = std::make_shared<Progress>(Progress{steps.size(), std::move(done)});
  for (Step& step : steps) {
    const auto handle = [progress, check = std::move(step.check)](const Result<Reply>& reply) {
      if (!progress->done) return;
      Status passed = reply ? check(*reply) : Status(reply.error());
      if (passed && --progress->left > 0) return;
      std::exchange(progress->done, nullptr)(std::move(passed));
    };
    const auto request = std::make_shared<Request>(context, std::move(step.command), deadline, handle);
    request->StartTimer([] {});
    connection->Send(request);
  }
}

}  // namespace leaderelection::redis
