// Command first measures the first `make up`. It clones this checkout's commit and uses empty
// caches of its own for compilers, modules and the lab, so that the user's caches stay unchanged.
// Its main result is the processor time of the update and its child processes, which depends little
// on other load. It writes the results, with the share of each part, to bench/results.json,
// docs/benchmarks.md and the lab's table of weights.
//
//	go run ./tests/bench/first [PART...]
//
// The parts are steps of the lab's build. With them, it builds only these parts and prints their
// cost, but writes no file.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measure(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench-first:", err)
		os.Exit(1)
	}
}

// measure runs all steps in a temporary folder, which it removes afterwards.
func measure(ctx context.Context, parts []string) (err error) {
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	if len(parts) == 0 {
		if err := free(); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "strata-first-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeAll(dir)) }()
	r := run{root: root, clone: filepath.Join(dir, "checkout"), cache: filepath.Join(dir, "cache"),
		dir: dir}
	if err := r.command(ctx, root, "git", "clone", "--quiet", "--no-hardlinks", root,
		r.clone).Run(); err != nil {
		return fmt.Errorf("git clone: %w", err)
	}
	if len(parts) > 0 {
		return r.parts(ctx, parts)
	}
	return r.whole(ctx)
}

// free returns an error if a machine of stack local exists, because then the measured update would
// not be a first one.
func free() error {
	found, err := filepath.Glob("/var/lib/strata/machines/local-*")
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return fmt.Errorf("stack local has machines on this host (%s): take it down first: make down",
			strings.Join(found, ", "))
	}
	return nil
}

// run holds the folders of one run: this checkout, its clone, the lab's cache and a temporary one.
type run struct{ root, clone, cache, dir string }

// command returns a command that uses only the run's caches.
func (r run) command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Stdout, command.Stderr = dir, os.Stdout, os.Stderr
	// An interrupt lets the update end its child processes; a kill would leave them running.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		// The run must not inherit variables of an outer make or of a shell for another stack.
		if !strings.HasPrefix(name, "MAKE") && !strings.HasPrefix(name, "STRATA_") &&
			!strings.HasPrefix(name, "PULUMI_") && name != "MFLAGS" {
			command.Env = append(command.Env, variable)
		}
	}
	command.Env = append(command.Env,
		"GOCACHE="+filepath.Join(r.dir, "gocache"), "GOMODCACHE="+filepath.Join(r.dir, "modules"),
		"XDG_CACHE_HOME="+r.cache,
		// The Makefile exports the same values.
		"GOFLAGS=-buildvcs=false -trimpath -gcflags=all=-dwarf=false", "CGO_ENABLED=0",
	)
	return command
}

// removeAll removes a folder that contains a module cache, whose folders are read-only.
func removeAll(dir string) error {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(path, 0o700)
		}
		return err
	})
	return errors.Join(err, os.RemoveAll(dir))
}
