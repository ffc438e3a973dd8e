package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"strata/tests/lab/internal/layout"
	"strata/tests/lab/machines"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
		// os.Exit skips the deferred stop, which is not needed when the process ends.
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if isProcess, err := machines.RunProcess(args); isProcess {
		return err
	}
	at, err := layout.Find(".")
	if err != nil {
		return err
	}
	root := &cobra.Command{
		Use:           "lab",
		Short:         "Build and describe the lab that Strata runs on without the internet",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newBuild(at), newVM(at), newEnv(at), newParts(at), newFault(at), newMachines(at))
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}
