// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <new>
#include <variant>

#include "scenarios/command/answer.h"
#include "scenarios/command/arguments.h"
#include "scenarios/command/commands.h"

namespace {

// With stdout closed, the next file opened would become stdout: fill the gaps first.
void open_standard_streams() {
  int fd = 0;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (fd > STDERR_FILENO) ::close(fd);
}

// Memory that one case gives back, the next takes again. Without this, glibc returns every large
// array to the kernel, and each first touch of a page costs more than writing it many times:
// bench-all-to-all-144-star spent a sixth of its time so.
void keep_memory() {
  constexpr int kHuge = 1 << 30;
  ::mallopt(M_MMAP_THRESHOLD, kHuge);
  ::mallopt(M_TRIM_THRESHOLD, kHuge);
  ::mallopt(M_TOP_PAD, 4 << 20);
}

// The part of the heap that comes next in one large page, where the kernel has one: one fault, not
// 512.
void go_on_in_a_large_page() {
  constexpr std::uintptr_t kLarge = 2 << 20;
  constexpr std::size_t kMoreThanIsLeft = 1 << 18;
  void* const next = ::operator new(kMoreThanIsLeft);  // makes the heap grow by M_TOP_PAD
  const auto from = (reinterpret_cast<std::uintptr_t>(next) + kLarge - 1) / kLarge * kLarge;
  if (from + kLarge <= reinterpret_cast<std::uintptr_t>(::sbrk(0))) {
    ::madvise(reinterpret_cast<void*>(from), kLarge, MADV_HUGEPAGE);
  }
  ::operator delete(next);
}

struct Command {
  int operator()(const scenarios::Message& message) const {
    if (message.exit_code == 0) return scenarios::print_answer(message.text, 0);
    scenarios::print_error(message.text);
    return message.exit_code;
  }
  int operator()(const scenarios::RunArguments& arguments) const {
    return scenarios::run(arguments);
  }
  int operator()(const scenarios::ValidateArguments& arguments) const {
    return scenarios::validate(arguments);
  }
  int operator()(const scenarios::AgreeArguments& arguments) const {
    return scenarios::agree(arguments);
  }
  int operator()(const scenarios::TuneArguments& arguments) const {
    return scenarios::tune(arguments);
  }
  int operator()(const scenarios::LayoutsArguments& arguments) const {
    return scenarios::layouts(arguments);
  }
  int operator()(const scenarios::ListArguments&) const { return scenarios::list(); }
  int operator()(const scenarios::DescribeArguments& arguments) const {
    return scenarios::describe(arguments);
  }
  int operator()(const scenarios::DrawArguments& arguments) const {
    return scenarios::draw(arguments);
  }
  int operator()(const scenarios::SchemaArguments& arguments) const {
    return scenarios::schema(arguments);
  }
  int operator()(const scenarios::ImportArguments& arguments) const {
    return scenarios::import_layout(arguments);
  }
  int operator()(const scenarios::StudyArguments& arguments) const {
    using Kind = scenarios::StudyArguments::Kind;
    if (arguments.kind == Kind::kRange) return scenarios::range(arguments);
    if (arguments.kind == Kind::kBottleneck) return scenarios::bottleneck(arguments);
    return scenarios::what_if(arguments);
  }
  int operator()(const scenarios::SweepArguments& arguments) const {
    return scenarios::sweep(arguments);
  }
  int operator()(const scenarios::MergeArguments& arguments) const {
    return scenarios::merge(arguments);
  }
  int operator()(const scenarios::NightlyArguments& arguments) const {
    return scenarios::nightly(arguments);
  }
  int operator()(const scenarios::BlessArguments& arguments) const {
    return scenarios::bless(arguments);
  }
  int operator()(const scenarios::ReportArguments& arguments) const {
    return scenarios::report(arguments);
  }
  int operator()(const scenarios::ExportArguments& arguments) const {
    return scenarios::export_msccl(arguments);
  }
  int operator()(const scenarios::TraceArguments& arguments) const {
    return scenarios::trace(arguments);
  }
  int operator()(const scenarios::CompareArguments& arguments) const {
    return scenarios::compare(arguments);
  }
};

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  keep_memory();
  go_on_in_a_large_page();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is an error of write
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file-size limit
  return std::visit(Command{}, scenarios::parse_arguments(argc, argv));
}
