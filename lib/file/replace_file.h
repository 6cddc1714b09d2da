// A file is replaced as a whole.

#pragma once

#include <string>
#include <string_view>

#include "file/folder.h"
#include "leaderelection/clock.h"
#include "leaderelection/error.h"

namespace leaderelection {

// Puts a file of this content in the place of folder/name, and on the disk, so that whoever dies or loses power on the
// way leaves the old file or the new one. The content is gathered in folder/draft first. For one caller at a time, of
// all processes: what the draft holds at the beginning is the leftover of a dead one and is thrown away.
//
// kUnknown if it may have been replaced: a rename that was not seen to reach the disk. Past the deadline nothing is
// replaced any more: kTimeout.
[[nodiscard]] Status ReplaceFile(const Folder& folder, const std::string& name, const std::string& draft,
                                 std::string_view content, MonotonicTime deadline);

}  // namespace leaderelection
