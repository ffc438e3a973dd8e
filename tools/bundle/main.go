// Command bundle makes a folder with everything that a stack needs without internet access: `strata
// bundle make` runs it. It is a module of its own, because Helm's and the registries' libraries
// would add a minute to each build of Strata.
//
//	go run . -project DIR -stack NAME -config-file FILE -into DIR
//
// Without -into it records the digests of the stack's images in the lock, which is a part of
// `strata fetch --images`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	project := flag.String("project", ".", "the project's folder")
	stack := flag.String("stack", "", "the stack")
	file := flag.String("config-file", "", "the stack's file")
	into := flag.String("into", "", "the folder; without it, only digests are recorded")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	command, work := "bundle make", func() error { return run(ctx, *project, *stack, *file, *into) }
	if *into == "" {
		command = "fetch --images"
		work = func() error { return record(ctx, *project, *stack, *file, os.Stderr) }
	}
	if err := work(); err != nil {
		fmt.Fprintf(os.Stderr, "strata: %s: %v\n", command, err)
		// os.Exit runs no deferred call; the process ends anyway.
		os.Exit(1)
	}
}

// run makes the bundle: first the downloads, then the images that they need, then Pulumi and the
// program.
func run(ctx context.Context, project, stack, file, into string) (err error) {
	b, err := open(ctx, project, stack, file, into)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	for _, part := range []func(context.Context) error{b.downloads, b.images, b.workstation} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return b.finish()
}

// absolute makes paths independent of the working directory.
func absolute(paths ...*string) error {
	for _, path := range paths {
		whole, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = whole
	}
	return nil
}
