package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
)

// Injector breaks and mends machines.
type Injector struct {
	// Lab is the path of the lab's own binary.
	Lab string
	// Out gets what the commands say.
	Out io.Writer
}

// Inject breaks each of the machines. If one fails, the others are broken all the same.
func (i Injector) Inject(ctx context.Context, kind Kind, machines []string) error {
	return i.each(ctx, kind.Inject, kind.Name, machines)
}

// Clear mends each of the machines.
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

// fill puts the machine's name into the arguments.
func fill(template []string, machine string) []string {
	filled := slices.Clone(template)
	for at, argument := range filled {
		if argument == machineArgument {
			filled[at] = machine
		}
	}
	return filled
}
