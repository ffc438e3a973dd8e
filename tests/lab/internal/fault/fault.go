package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
)

// Injector injects and clears faults.
type Injector struct {
	// Lab is the path of the binary lab.
	Lab string
	// Out receives the output of the commands.
	Out io.Writer
}

// Inject injects a fault into each machine, even if it fails for one of them. It returns all
// errors.
func (i Injector) Inject(ctx context.Context, kind Kind, machines []string) error {
	return i.each(ctx, kind.Inject, kind.Name, machines)
}

// Clear clears a fault on each machine, even if it fails for one of them. It returns all errors.
func (i Injector) Clear(ctx context.Context, kind Kind, machines []string) error {
	return i.each(ctx, kind.Clear, "clearing "+kind.Name, machines)
}

func (i Injector) each(ctx context.Context, template []string, doing string, machines []string) error {
	var problems []error
	for _, machine := range machines {
		command := exec.CommandContext(ctx, i.Lab, append([]string{"machines"}, fill(template, machine)...)...)
		command.Stdout, command.Stderr = i.Out, i.Out
		if err := command.Run(); err != nil {
			problems = append(problems, fmt.Errorf("%s on machine %s: %w", doing, machine, err))
		}
	}
	return errors.Join(problems...)
}

// fill replaces machineArgument by the machine's name.
func fill(template []string, machine string) []string {
	filled := slices.Clone(template)
	for at, argument := range filled {
		if argument == machineArgument {
			filled[at] = machine
		}
	}
	return filled
}
