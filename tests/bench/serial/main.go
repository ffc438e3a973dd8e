package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

const usage = `serial [flags] run | install RELEASE | uninstall RELEASE | apply OBJECT... | gate GATE
  names are the stack's; stdin: pulumi stack export --show-secrets`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "serial:", err)
		// os.Exit skips deferred calls, which the end of the process makes unnecessary.
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	var at installed
	var definitions string
	var validate bool
	flags := flag.NewFlagSet(usage, flag.ContinueOnError)
	flags.StringVar(&at.k3s, "k3s", "k3s", "the binary that has kubectl")
	flags.StringVar(&at.kubeconfig, "kubeconfig", "", "the cluster's kubeconfig, a file")
	flags.StringVar(&at.project, "project", ".", "the folder of the Pulumi project")
	flags.StringVar(&definitions, "definitions", "", "files of CRDs, separated by commas")
	flags.BoolVar(&validate, "validate", false, "end with the probes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all, err := readExport(in)
	if err != nil {
		return err
	}
	r := &runner{platform: all, tools: at, definitions: strings.Split(definitions, ","), log: out}
	if subcommand := flags.Arg(0); subcommand != "run" {
		return r.one(ctx, subcommand, flags.Args()[min(1, flags.NArg()):])
	}
	if err := all.covers(script); err != nil {
		return err
	}
	steps := script
	if validate {
		steps = append(steps[:len(steps):len(steps)], validation)
	}
	return r.run(ctx, steps)
}

// one runs a single operation of the script, so that a user can observe it alone.
func (r *runner) one(ctx context.Context, subcommand string, names []string) error {
	for _, name := range names {
		if _, there := r.platform[name]; !there {
			return fmt.Errorf("%s: the stack has no such resource", name)
		}
	}
	switch {
	case subcommand == "apply" && len(names) > 0:
		return r.apply(ctx, names)
	case subcommand == "gate" && len(names) == 1:
		return r.ask(ctx, names[0])
	case subcommand == "install" && len(names) == 1:
		return r.tools.install(r.platform[names[0]].release())
	case subcommand == "uninstall" && len(names) == 1:
		release, _ := r.platform[names[0]].release()
		return r.tools.uninstall(release)
	}
	return errors.New(usage)
}
