// The names that Kubernetes takes.

#pragma once

#include <string_view>

namespace leaderelection {

// DNS-1123: a label is a namespace's name, a subdomain (labels with dots between them) a Lease's.
[[nodiscard]] bool IsDnsLabel(std::string_view text);
[[nodiscard]] bool IsDnsSubdomain(std::string_view text);

}  // namespace leaderelection
