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
	// Graph reads each resource's dependencies, before and after the run, because a destroy leaves
	// none.
	Graph func(ctx context.Context) (map[string][]string, error)
	// Started receives the command's process id once it runs.
	Started func(pid int)
	// Now is the clock.
	Now func() time.Time
}

// endOfEvents is the line that ends the pipe once the command has ended.
const endOfEvents = "end"

// Run runs argv with this process's terminal, and returns the command's own error. --event-log is a
// debugging flag of the CLI, behind a variable (pulumi pkg/cmd/pulumi: PULUMI_DEBUG_COMMANDS). A
// pipe in place of the log reveals each event's time.
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
	// A pipe that is opened for reading and writing waits for no other end, and does not end when
	// that closes.
	pipe, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = pipe.Close() }()
	r.graph(ctx)
	copied := make(chan error, 1)
	go func() { copied <- r.copy(pipe) }()

	// An interrupt also reaches the command, which ends by itself. The recording ends after the
	// command.
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

// wait runs a command to its end.
func (r *Recorder) wait(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	if r.Started != nil {
		r.Started(cmd.Process.Pid)
	}
	return cmd.Wait()
}

// copy stamps each event as it arrives, until the end. If the recording cannot be written, copy
// goes on reading: otherwise the run would wait for ever at a full pipe.
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
			continue // A kill cuts a line off.
		}
		if !keep.reduce(&event) {
			continue
		}
		unwritten = r.write(Line{At: at, Event: &event})
	}
}

// graph records the state's dependencies. It records none if the state cannot be read, as before
// the first run.
func (r *Recorder) graph(ctx context.Context) {
	if graph, err := r.Graph(ctx); err == nil && len(graph) > 0 {
		// A recording that cannot be written must not stop a run. The next write reports the error.
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
