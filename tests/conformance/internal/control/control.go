// Package control runs the module's control plane for a test run.
//
// The package starts and stops the process. The cluster is empty at the start.
package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	startTimeout  = 2 * time.Minute
	checkInterval = 20 * time.Millisecond
)

// Plane is a running control plane: etcd, API server and controller manager.
type Plane struct {
	// Kubeconfig is the path of an administrator's kubeconfig.
	Kubeconfig string

	command *exec.Cmd
	input   io.WriteCloser
}

// Start runs the binary in an empty folder, and waits until the binary has written the kubeconfig,
// which shows that the control plane is ready.
func Start(ctx context.Context, binary, dir string) (*Plane, error) {
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, binary, "-dir", dir)
	command.Stdout, command.Stderr = log, log
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	plane := &Plane{Kubeconfig: filepath.Join(dir, "kubeconfig"), command: command, input: input}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	return plane, plane.await(ended, log.Name())
}

func (p *Plane) await(ended <-chan error, log string) error {
	deadline := time.After(startTimeout)
	check := time.NewTicker(checkInterval)
	defer check.Stop()
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("control plane ended: %w; see %s", err, log)
		case <-deadline:
			p.Stop()
			return fmt.Errorf("control plane not ready after %s; see %s", startTimeout, log)
		case <-check.C:
			if _, err := os.Stat(p.Kubeconfig); !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
}

// Stop closes the process's standard input, so that the process ends.
func (p *Plane) Stop() { _ = p.input.Close() }
