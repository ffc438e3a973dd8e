// Command first measures the first `make up`: of a clone of this checkout's commit, with empty
// caches of its own for compilers, modules and the lab, so that the user's stay as they are. It
// counts the processor time of everything that the up starts, which is the same beside others'
// work, and writes it with the share of each part to bench/results.json, docs/benchmarks.md and the
// lab's table of weights.
//
//	go run ./tests/bench/first [PART...]
//
// With parts, steps of the lab's build, only these are built, and their cost is printed and not
// written.
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

// measure runs it all in a temporary folder, which it takes away again.
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
	r := run{root: root, clone: filepath.Join(dir, "checkout"), cache: filepath.Join(dir, "cache"), dir: dir}
	if err := r.command(ctx, root, "git", "clone", "--quiet", "--no-hardlinks", root, r.clone).Run(); err != nil {
		return fmt.Errorf("git clone: %w", err)
	}
	if len(parts) > 0 {
		return r.parts(ctx, parts)
	}
	return r.whole(ctx)
}

// free says whether the machines of stack local are in use: the measured up would be no first one.
func free() error {
	found, err := filepath.Glob("/var/lib/strata/machines/local-*")
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return fmt.Errorf("stack local has machines on this host (%s): take it down first: make down", strings.Join(found, ", "))
	}
	return nil
}

// run is a run in a folder of its own.
type run struct{ root, clone, cache, dir string }

// command is one that knows no cache but the run's.
func (r run) command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Stdout, command.Stderr = dir, os.Stdout, os.Stderr
	// An end in order: the up is interrupted, and not left with its children.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		// What a make above exports, or a shell with another stack's environment, is none of the
		// run's.
		if !strings.HasPrefix(name, "MAKE") && !strings.HasPrefix(name, "STRATA_") && !strings.HasPrefix(name, "PULUMI_") && name != "MFLAGS" {
			command.Env = append(command.Env, variable)
		}
	}
	command.Env = append(command.Env,
		"GOCACHE="+filepath.Join(r.dir, "gocache"), "GOMODCACHE="+filepath.Join(r.dir, "modules"), "XDG_CACHE_HOME="+r.cache,
		// As the Makefile has them; it exports the same.
		"GOFLAGS=-buildvcs=false -trimpath -gcflags=all=-dwarf=false", "CGO_ENABLED=0",
	)
	return command
}

// removeAll removes a folder with a module cache in it, whose folders are read-only.
func removeAll(dir string) error {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(path, 0o700)
		}
		return err
	})
	return errors.Join(err, os.RemoveAll(dir))
}
