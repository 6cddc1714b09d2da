#include "file/file_system.h"

#include <sys/vfs.h>

namespace leaderelection {
namespace {

struct Known {
  std::uint32_t type;
  std::string_view name;
};

// linux/magic.h has only those that the kernel itself brings; the others are as their vendors publish them.
constexpr Known kShared[] = {
    {0x00006969, "NFS"},       {0x0000517b, "SMB"},    {0xff534d42, "CIFS"},   {0xfe534d42, "SMB2"},
    {0x65735546, "FUSE"},      {0x01021997, "9P"},     {0x5346414f, "AFS"},    {0x6b414653, "AFS"},
    {0x00c36400, "Ceph"},      {0x73757245, "Coda"},   {0x0000564c, "NCP"},    {0x01161970, "GFS2"},
    {0x7461636f, "OCFS2"},     {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},   {0x19830326, "BeeGFS"},
    {0x20030528, "OrangeFS"},  {0xaad7aaea, "PanFS"},  {0x786f4256, "vboxsf"}, {0xbacbacbc, "VMware HGFS"},
    {0x7c7c6673, "Parallels"},
};

}  // namespace

std::optional<std::string_view> SharedFileSystem(std::uint32_t type) {
  for (const Known& known : kShared) {
    if (known.type == type) return known.name;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> FileSystemType(int descriptor) {
  struct statfs about {};
  if (::fstatfs(descriptor, &about) != 0) return std::nullopt;
  return static_cast<std::uint32_t>(about.f_type);
}

}  // namespace leaderelection
