package machines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"strata/tests/lab/machines/cgroup"
)

// supervise runs a machine until it is powered off: it boots the machine, and boots it again after
// each reboot. It runs in the supervisor process, and holds the machine's supervisor lock. If this
// process dies, the machine is killed. SIGTERM shuts the machine down.
func supervise(name string, log *Log) error {
	// Keep the thread: the kernel kills the machine when the thread that started it ends.
	runtime.LockOSThread()
	spec, err := loadSpec(name)
	if err != nil {
		return err
	}
	held, err := holdSupervisorLock(name)
	if err != nil {
		return err
	}
	defer func() { _ = held.Close() }()
	ctx, stop := signal.NotifyContext(context.Background(), unix.SIGTERM)
	defer stop()
	if err := prepareCgroups(ctx, spec); err != nil {
		return err
	}
	for {
		code, err := bootOnce(ctx, spec)
		if err != nil {
			return err
		}
		log.Printf("strata: machine %s ended with %d at %s", name, code, time.Now().UTC().Format(time.RFC3339))
		if code != rebootExit || ctx.Err() != nil {
			return nil
		}
	}
}

func prepareCgroups(ctx context.Context, spec Spec) error {
	if err := cgroup.Ensure(ctx, spec.Name); err != nil {
		return err
	}
	if err := cgroup.Join(spec.Name, cgroup.LeafKeeper); err != nil {
		return err
	}
	return cgroup.Apply(spec.Name, spec.limits())
}

// bootOnce boots the machine and waits until it ends. It returns nspawn's exit code, or 128 plus
// the number of the signal that ended nspawn.
func bootOnce(ctx context.Context, spec Spec) (int, error) {
	if !waitDelay(ctx, time.Duration(spec.BootDelay)) {
		return 0, nil
	}
	cmd := exec.Command("/proc/self/exe", verb, "boot", spec.Name)
	cmd.Env = []string{hostPath}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = diesWithParent()
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("booting machine %s: %w", spec.Name, err)
	}
	release := context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(unix.SIGTERM) })
	defer release()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, fmt.Errorf("waiting for machine %s: %w", spec.Name, err)
	}
	// A killed nspawn leaves the machine's processes behind.
	if err := endBoot(ctx, spec.Name); err != nil {
		return 0, err
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return status.ExitStatus(), nil
}

// endBoot kills the remaining processes of a boot and removes their cgroups, so that the next boot
// starts without them.
func endBoot(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	return cgroup.Empty(ctx, name, cgroup.LeafMachine)
}

func waitDelay(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// holdSupervisorLock takes the machine's supervisor lock, and writes this process's id into the
// lock file.
func holdSupervisorLock(name string) (*os.File, error) {
	f, err := os.OpenFile(machineDir(name).supervisorLock(), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking machine %s: %w", name, err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("machine %s is already supervised: %w", name, err), f.Close())
	}
	err = errors.Join(f.Truncate(0), func() error {
		_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
		return err
	}())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("writing %s: %w", f.Name(), err), f.Close())
	}
	return f, nil
}

// supervisorPid returns the process id of the machine's supervisor, or 0 if it does not run. It
// checks the lock, because another process may have the same id by now.
func supervisorPid(name string) (int, error) {
	f, err := os.Open(machineDir(name).supervisorLock())
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("find the supervisor of %s: %w", name, err)
	}
	defer func() { _ = f.Close() }()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); err == nil {
		return 0, nil
	}
	raw := make([]byte, 16)
	n, _ := f.ReadAt(raw, 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw[:n])))
	if err != nil {
		// The supervisor has taken the lock, but has not written its id yet.
		return 0, nil
	}
	return pid, nil
}
