// Which states were seen: a digest of 128 bits of each, for the states themselves would fill the memory. Two of ten
// million states share one with a probability of less than one in 10^24.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace leaderelection::model {

class Visited {
 public:
  Visited() : slots_(std::size_t{1} << 12) {}

  // True if it was not seen before.
  bool Add(const std::string& bytes) {
    if (2 * (used_ + 1) > slots_.size()) Grow();
    const bool is_new = Place(slots_, DigestOf(bytes));
    if (is_new) ++used_;
    return is_new;
  }

  [[nodiscard]] std::size_t size() const { return used_; }
  [[nodiscard]] std::size_t memory() const { return slots_.size() * sizeof(Digest); }

 private:
  struct Digest {
    std::uint64_t high = 0;
    std::uint64_t low = 0;  // never both zero: that is a free slot
    friend bool operator==(const Digest&, const Digest&) = default;
  };

  static std::uint64_t Mix(std::uint64_t word) {
    word = (word ^ (word >> 32)) * 0xd6e8feb86659fd93;
    word = (word ^ (word >> 32)) * 0xd6e8feb86659fd93;
    return word ^ (word >> 32);
  }

  static Digest DigestOf(const std::string& bytes) {
    Digest digest{0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f};
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      std::uint64_t word = 0;
      for (std::size_t byte = at; byte < at + 8 && byte < bytes.size(); ++byte) {
        word = word << 8 | static_cast<unsigned char>(bytes[byte]);
      }
      digest.high = Mix(digest.high ^ word) + at;
      digest.low = Mix(digest.low + word * 0x9fb21c651e98df25);
    }
    digest.low |= 1;
    return digest;
  }

  static bool Place(std::vector<Digest>& slots, const Digest& digest) {
    for (std::size_t slot = digest.high & (slots.size() - 1);; slot = (slot + 1) & (slots.size() - 1)) {
      if (slots[slot] == digest) return false;
      if (slots[slot] == Digest()) {
        slots[slot] = digest;
        return true;
      }
    }
  }

  void Grow() {
    std::vector<Digest> larger(slots_.size() * 2);
    for (const Digest& digest : slots_) {
      if (digest != Digest()) Place(larger, digest);
    }
    slots_ = std::move(larger);
  }

  std::vector<Digest> slots_;
  std::size_t used_ = 0;
};

}  // namespace leaderelection::model
