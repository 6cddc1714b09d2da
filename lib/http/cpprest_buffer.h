// Bodies as cpprestsdk reads and writes them: each way once, and never back.

#pragma once

#include <cpprest/astreambuf.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace leaderelection::http {

// A body to send. It cannot be rewound, and that matters: cpprestsdk sends what it can rewind a second time when a
// re-used connection breaks, though the server may have acted on the first. For that reason an empty body has one too.
std::shared_ptr<concurrency::streams::details::basic_streambuf<std::uint8_t>> MakeBodySource(std::string body);

// A body that comes: `take` gets every piece, on whatever thread reads it, one at a time.
std::shared_ptr<concurrency::streams::details::basic_streambuf<std::uint8_t>> MakeBodySink(
    std::function<void(std::string_view)> take);

}  // namespace leaderelection::http
