// What a server's error means for an election.

#pragma once

#include <string>

#include "leaderelection/error.h"
#include "redis/reply.h"

namespace leaderelection::redis {

// `what` was asked of whom: "127.0.0.1:6379". A refusal is definite only where the server says that it ran nothing;
// what we do not know may have landed. Quotes nothing that the server repeats of what it was sent.
[[nodiscard]] Error Refusal(const Reply& error, const std::string& server);

// Of AUTH: an error may repeat the password, so nothing of it is quoted.
[[nodiscard]] Error LoginRefusal(const Reply& error, const std::string& server);

// The server cannot serve us, or not any more: the connection should be made anew, perhaps elsewhere.
[[nodiscard]] bool MeansWrongServer(const Reply& error);

}  // namespace leaderelection::redis
