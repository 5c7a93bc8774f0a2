// SPDX-License-Identifier: GPL-2.0-only
// Records: a growing array of plain records that may hold millions. Grows by realloc, which on
// large blocks moves pages instead of bytes: a mass start then costs neither copies nor memory for
// two.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "sim/base/check.h"

namespace sim::flow {

template <class T>
class Records {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  Records() = default;
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;
  Records(Records&& other) noexcept { *this = std::move(other); }
  Records& operator=(Records&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
    return *this;
  }
  ~Records() { std::free(data_); }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }

  void push_back(const T& value) {
    const T copy = value;  // may lie in here
    grow(1);
    data_[size_ - 1] = copy;
  }
  // `more` records of unspecified content at the end.
  void grow(std::size_t more) {
    size_ += more;
    if (size_ <= room_) return;
    room_ = size_ < 64 ? 64 : size_ + size_ / 2;
    void* moved = std::realloc(static_cast<void*>(data_), room_ * sizeof(T));
    CHECK(moved != nullptr);
    data_ = static_cast<T*>(moved);
  }
  // Empty, and without memory.
  void release() {
    std::free(data_);
    data_ = nullptr;
    size_ = room_ = 0;
  }
  void clear() { size_ = 0; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

}  // namespace sim::flow
