# SPDX-License-Identifier: GPL-2.0-only
# The two commands of the README, and what else is done every day. CMake builds (CMakePresets.json);
# this file only installs what is missing, calls it and runs the result.

SCENARIO ?= scenarios/library/ultraserver-overhead.yaml
ARGS ?=
JOBS ?= $(shell nproc)

INSTALL := .ci/install-packages
sources = $(shell git ls-files '*.h' '*.cc' 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help run build test test-slow dev-test bench tidy format format-check clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "  make run SCENARIO=file.yaml ARGS='--set key=value'; JOBS=n limits parallel jobs anywhere."

run: build  ## Build ultrasim and run the main scenario
	build/release/ultrasim run $(SCENARIO) $(ARGS)

build: build/release/build.ninja  ## Build ultrasim alone: build/release/ultrasim
	cmake --build --preset release --target ultrasim --parallel $(JOBS)

test: build/release/build.ninja  ## Build everything and run the default tests
	cmake --build --preset release --parallel $(JOBS)
	ctest --preset release --parallel $(JOBS)

test-slow: build/release/build.ninja  ## Run the slow tests
	cmake --build --preset release --parallel $(JOBS)
	ctest --preset slow --parallel $(JOBS)

dev-test: build/dev/build.ninja  ## Run the default tests under ASan and UBSan, warnings as errors
	cmake --build --preset dev --parallel $(JOBS)
	ctest --preset dev --parallel $(JOBS)

bench: build/bench/build.ninja  ## Run the benchmarks (ARGS='--benchmark_filter=...')
	cmake --build --preset bench --target ultrasim_bench --parallel $(JOBS)
	build/bench/ultrasim_bench $(ARGS)

tidy: build/tidy/build.ninja  ## Build everything under clang-tidy
	cmake --build --preset tidy --parallel $(JOBS)

format:  ## Format the C++ sources
	@$(INSTALL) tidy
	@clang-format -i $(sources)

format-check:  ## Say which C++ sources are not formatted
	@$(INSTALL) tidy
	@clang-format --dry-run --Werror $(sources)

clean:  ## Remove build/ (results in out/ stay)
	rm -rf build

build/bench/build.ninja: packages := bench
build/tidy/build.ninja: packages := tidy
# Ninja configures again by itself when a CMake file changes; presets it does not know.
build/%/build.ninja: CMakePresets.json .ci/install-packages
	@$(INSTALL) $(packages)
	cmake --preset $* --log-level=NOTICE
	@touch $@
