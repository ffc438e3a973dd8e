// Command bundle makes a folder with all that a stack needs where there is no internet: `strata bundle make` runs it. It is a module of its own,
// because Helm's and the registries' libraries would cost everybody who compiles Strata a minute.
//
//	go run . -project DIR -stack NAME -config-file FILE -into DIR
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
	into := flag.String("into", "", "the folder")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *project, *stack, *file, *into); err != nil {
		fmt.Fprintln(os.Stderr, "strata: bundle make:", err)
		// os.Exit runs no deferred call; the process ends anyway.
		os.Exit(1)
	}
}

// run makes the bundle: first what is downloaded by address, then the images that all of this asks for, then what runs Strata over there.
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

// absolute makes paths independent of the folder that a program is started in.
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
