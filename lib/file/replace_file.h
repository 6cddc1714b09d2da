// A file is replaced as a whole.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "file/folder.h"
#include "leaderelection/error.h"

namespace leaderelection {

// Puts a file of this content in the place of folder/name, and on the disk, so that whoever dies or loses power on the
// way leaves the old file or the new one. The content is gathered in folder/draft first. For one caller at a time, of
// all processes: what the draft holds at the beginning is the leftover of a dead one and is thrown away.
//
// `may_replace` is asked when all is on the disk but the name; its error is the answer, and nothing was replaced.
// kUnknown also stands for a rename that was not seen to reach the disk: it may have been replaced.
[[nodiscard]] Status ReplaceFile(const Folder& folder, const std::string& name, const std::string& draft,
                                 std::string_view content, const std::function<Status()>& may_replace);

}  // namespace leaderelection
