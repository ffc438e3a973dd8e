package machines

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"

	"strata/tests/lab/machines/host"
)

// launch starts the supervisor so that it outlives this process, its process group, its session and
// its terminal. On a host with systemd, the supervisor is a transient unit with a delegated cgroup,
// as cgroup v2 requires. Otherwise, it has a session of its own. The returned channel is closed
// when the supervisor ends.
func launch(ctx context.Context, name string) (ended <-chan struct{}, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	if host.HasSystemd() {
		return launchUnit(ctx, name, self)
	}
	console, err := os.OpenFile(machineDir(name).console(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the console log: %w", err)
	}
	defer func() { _ = console.Close() }()
	if err := closeOnExec(); err != nil {
		return nil, err
	}
	// A nil Stdin is /dev/null, so that no pipe of the caller stays open.
	cmd := exec.Command(self, verb, "supervise", name)
	cmd.Env, cmd.Dir = []string{hostPath}, "/"
	cmd.Stdout, cmd.Stderr = console, console
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the supervisor of %s: %w", name, err)
	}
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the console log has the reason
		close(done)
	}()
	return done, nil
}

func launchUnit(ctx context.Context, name, self string) (<-chan struct{}, error) {
	log := machineDir(name).console()
	_, err := host.Run(ctx, "systemd-run", "--quiet", "--collect", "--unit="+host.UnitName(name),
		"--slice="+host.UnitSlice,
		"--service-type=exec", "--property=Delegate=yes", "--property=KillMode=mixed", "--property=TimeoutStopSec=30",
		"--property=StandardInput=null", "--property=StandardOutput=append:"+log,
		"--property=StandardError=append:"+log,
		"--property=WorkingDirectory=/", self, verb, "supervise", name)
	if err != nil {
		return nil, fmt.Errorf("starting the supervisor of %s: %w", name, err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if waitSupervised(ctx, name) == nil {
			_ = waitUnsupervised(ctx, name)
		}
	}()
	return done, nil
}

// waitUnsupervised waits until the machine's supervisor ends.
func waitUnsupervised(ctx context.Context, name string) error {
	pid, err := supervisorPid(name)
	if err != nil || pid == 0 {
		return err
	}
	return waitProcess(ctx, pid)
}

// consoleTail returns the last 8 lines of the machine's console log, for error messages.
func consoleTail(name string) string {
	raw, err := os.ReadFile(machineDir(name).console())
	if err != nil {
		return "no console log: " + err.Error()
	}
	return fmt.Sprintf("last lines of %s:\n%s", filepath.Base(machineDir(name).console()), lastLines(string(raw), 8))
}
