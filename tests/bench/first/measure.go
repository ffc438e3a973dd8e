package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"strata/internal/files/atomicfile"
)

// cost holds the durations of a command and all its processes, in seconds.
type cost struct {
	processor, wall float64
	// others is the share of other processes in the machine's processor time during the command.
	others float64
}

// timed runs a command and returns its cost. The kernel counts the processor time of the command
// and its descendants that ended. Lab machines outlive the command, so their time does not count.
func timed(command *exec.Cmd) (cost, error) {
	busy, began := busySeconds(), time.Now()
	err := command.Run()
	if command.ProcessState == nil {
		return cost{}, err
	}
	c := cost{processor: (command.ProcessState.UserTime() +
		command.ProcessState.SystemTime()).Seconds(),
		wall: time.Since(began).Seconds()}
	if all := busySeconds() - busy; all > 0 {
		c.others = max(0, 1-c.processor/all)
	}
	return c, err
}

// busySeconds returns the processor time that the machine spent since its start (proc_stat(5)).
func busySeconds() float64 {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0 // this system is not Linux
	}
	var user, nice, system, idle, wait, irq, softirq float64
	if _, err := fmt.Sscanf(string(text), "cpu %f %f %f %f %f %f %f", &user, &nice, &system, &idle,
		&wait, &irq, &softirq); err != nil {
		return 0
	}
	return (user + nice + system + irq + softirq) / 100
}

// record holds the lab's own record of its build (tests/lab/internal/build); times are in seconds.
type record struct {
	Parts []struct {
		Name      string
		Began     float64
		Ended     float64
		Processor float64
		Beside    bool
	}
	Samples []struct{ At, Rest float64 }
}

// record reads the lab's record of its build, and copies it to .strata/first-build.json.
func (r run) record() (record, error) {
	var read record
	text, err := os.ReadFile(filepath.Join(r.cache, "strata", "last-build.json"))
	if err != nil {
		return read, fmt.Errorf("what the lab built: %w", err)
	}
	// measure deletes the run's folder, but a user may need the record.
	kept := filepath.Join(r.root, ".strata", "first-build.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(kept), 0o755),
		atomicfile.Write(kept, text, 0o644)); err != nil {
		return read, fmt.Errorf("what the lab built: %w", err)
	}
	return read, json.Unmarshal(text, &read)
}

// whole measures `make up`, then destroys the stack, even after a failed update. It writes the
// results if both commands succeeded.
func (r run) whole(ctx context.Context) error {
	spent, err := timed(r.command(ctx, r.clone, "make", "up", "STACK=local", "ARTIFACTS=lab",
		"ORIGINALS="))
	// An interrupt cancels ctx and so ends the update; the destroy must still run.
	down := r.command(context.WithoutCancel(ctx), r.clone, "make", "down", "STACK=local",
		"ARTIFACTS=lab", "ORIGINALS=").Run()
	if err := errors.Join(err, down); err != nil {
		return fmt.Errorf("nothing was measured: %w", err)
	}
	built, err := r.record()
	if err != nil {
		return err
	}
	if err := writeWeights(filepath.Join(r.root, "tests/lab/internal/catalog/weights.json"),
		built); err != nil {
		return err
	}
	if err := write(filepath.Join(r.root, "bench", "results.json"), spent, built); err != nil {
		return err
	}
	generate := exec.CommandContext(ctx, "go", "generate", "./tests/bench")
	generate.Dir, generate.Stdout, generate.Stderr = r.root, os.Stdout, os.Stderr
	return generate.Run()
}

// parts measures some steps of the lab's build, and prints their cost.
func (r run) parts(ctx context.Context, names []string) error {
	spent, err := timed(
		r.command(ctx, r.clone, "go", "-C", "tests/lab", "run", "./cmd/lab", "build", "--only",
			strings.Join(names, ",")))
	if err != nil {
		return err
	}
	built, err := r.record()
	if err != nil {
		return err
	}
	for _, part := range built.Parts {
		fmt.Printf("%-40s processor %6.1f s  wall %6.1f s\n", part.Name, part.Processor,
			part.Ended-part.Began)
	}
	fmt.Printf("%-40s processor %6.1f s  wall %6.1f s  others %.0f %%\n",
		"all, and the lab's own command", spent.processor, spent.wall, 100*spent.others)
	if offs := estimates(built); len(offs) > 0 {
		fmt.Printf("%-40s %.0f %%\n", "the estimate was off by at most", 100*offs[len(offs)-1])
	}
	return nil
}
