// What an API server's answer means: every answer that is not the object asked for, translated once.

#pragma once

#include <string>

#include "http/client.h"
#include "kubernetes/bounded_json.h"
#include "kubernetes/lease_codec.h"
#include "leaderelection/error.h"

namespace leaderelection {

enum class Verb { kGet, kCreate, kUpdate, kWatch };

// Rule 7: a refusal counts as one only if it is a Status object of Kubernetes with the code of its HTTP status. All
// else (5xx, a redirect, a proxy's page, an unreadable reply) may come from anyone on the way: kUnknown.
[[nodiscard]] Error TranslateRefusal(Verb verb, const LeaseName& lease, const http::Response& response);

// The object in a 2xx reply. A write that was answered by something unreadable may have landed: kUnknown. A read that
// gives no Lease of an election is kCorrupt, but kUnknown if it is no answer of an API server at all.
[[nodiscard]] Result<Stored> TranslateObject(Verb verb, const LeaseName& lease, const http::Response& response);

// Whether the watch's resourceVersion is too old to go on from, said by HTTP status or by an ERROR event's Status.
[[nodiscard]] bool IsExpired(const Json& status);

// Retry-After in whole seconds, as API servers send it, cut to a minute.
[[nodiscard]] std::optional<std::chrono::milliseconds> RetryAfter(const http::Response& response);

}  // namespace leaderelection
