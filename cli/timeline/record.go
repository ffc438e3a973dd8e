package timeline

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Recorder runs a Pulumi command and records its events as they arrive.
type Recorder struct {
	// Out receives the recording.
	Out io.Writer
	// Graph returns the dependencies of each resource, by URN. Run calls it before and after the
	// command, because a destroy leaves no dependencies in the state.
	Graph func(ctx context.Context) (map[string][]string, error)
	// Started is called with the command's process id once it runs.
	Started func(pid int)
	// Now returns the current time; tests replace it.
	Now func() time.Time
}

// endOfEvents is a line that Run writes into the pipe after the command has exited, so that copy
// stops.
const endOfEvents = "end"

// Run runs argv with this process's terminal, and returns the command's error. It reads the events
// from a pipe that it passes as --event-log, because only a pipe shows when each event arrives.
// --event-log is a debugging flag of Pulumi's CLI, enabled by a variable (pulumi pkg/cmd/pulumi:
// PULUMI_DEBUG_COMMANDS).
func (r *Recorder) Run(ctx context.Context, argv []string) error {
	dir, err := os.MkdirTemp("", "strata-record-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "events")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return fmt.Errorf("pipe for events: %w", err)
	}
	// A named pipe that is opened for both reading and writing blocks neither on open nor when the
	// other end closes.
	pipe, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = pipe.Close() }()
	r.graph(ctx)
	copied := make(chan error, 1)
	go func() { copied <- r.copy(pipe) }()

	// A terminal also sends an interrupt to the command, which then exits by itself. Ignore it
	// here, so that the recording gets the last events.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(interrupts)
	cmd := exec.Command(argv[0], append(argv[1:len(argv):len(argv)], "--event-log", path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "PULUMI_DEBUG_COMMANDS=true")
	ran := r.wait(cmd)
	if _, err := io.WriteString(pipe, "\n"+endOfEvents+"\n"); err != nil {
		return errors.Join(ran, err)
	}
	err = <-copied
	r.graph(context.WithoutCancel(ctx))
	return errors.Join(ran, err)
}

// wait waits until the command has exited.
func (r *Recorder) wait(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	if r.Started != nil {
		r.Started(cmd.Process.Pid)
	}
	return cmd.Wait()
}

// copy stamps each event as it arrives, until endOfEvents. If the recording cannot be written, copy
// still reads the pipe: if it were full, the engine would block for ever.
func (r *Recorder) copy(pipe io.Reader) error {
	reader := bufio.NewReaderSize(pipe, 1<<20)
	var keep filter
	var unwritten error
	for {
		text, err := reader.ReadBytes('\n')
		if err != nil {
			return errors.Join(unwritten, fmt.Errorf("events: %w", err))
		}
		at := r.Now()
		text = bytes.TrimSpace(text)
		switch {
		case string(text) == endOfEvents:
			return unwritten
		case len(text) == 0 || unwritten != nil:
			continue
		}
		var event Event
		if err := json.Unmarshal(text, &event); err != nil {
			continue // a kill may cut off a line
		}
		if !keep.reduce(&event) {
			continue
		}
		unwritten = r.write(Line{At: at, Event: &event})
	}
}

// graph records the state's dependencies. It records nothing if the state cannot be read, for
// example before the first run.
func (r *Recorder) graph(ctx context.Context) {
	if graph, err := r.Graph(ctx); err == nil && len(graph) > 0 {
		// A recording that cannot be written must not stop the run. The next write returns the
		// error.
		_ = r.write(Line{At: r.Now(), Graph: graph})
	}
}

func (r *Recorder) write(line Line) error {
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	if _, err := r.Out.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}
