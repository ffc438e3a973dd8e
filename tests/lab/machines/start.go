package machines

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/crypto/ssh"

	"strata/tests/lab/machines/cgroup"
	"strata/tests/lab/machines/host"
	"strata/tests/lab/machines/network"
)

// Start starts a stopped machine, for example after a reboot of this host. It returns once its sshd
// responds.
func Start(ctx context.Context, name string, log *Log) error {
	if err := checkHost(); err != nil {
		return err
	}
	unlock, err := host.Lock(ctx, "machine-"+name)
	if err != nil {
		return err
	}
	defer unlock()
	spec, err := loadSpec(name)
	if err != nil {
		return err
	}
	if !isReady(name) {
		return fmt.Errorf("machine %s was never finished; create it again, or run: lab machines delete %s", name,
			name)
	}
	key, err := machineDir(name).layer().ReadHostKey()
	if err != nil {
		return err
	}
	return powerOn(ctx, spec, key, log)
}

// powerOn prepares this host, starts the supervisor unless it runs, and waits for sshd.
func powerOn(ctx context.Context, spec Spec, key ssh.PublicKey, log *Log) error {
	if err := host.RaiseSysctls(ctx, log.Printf); err != nil {
		return err
	}
	if err := ensureNetwork(ctx, spec, log); err != nil {
		return err
	}
	pid, err := supervisorPid(spec.Name)
	if err != nil {
		return err
	}
	if pid != 0 {
		return refresh(ctx, spec, key)
	}
	// If the supervisor was killed, nspawn has ended, but the processes inside may still run.
	if err := stopLocked(ctx, spec.Name, true); err != nil {
		return err
	}
	if err := network.CheckSilent(ctx, spec.Bridge, spec.Address); err != nil {
		return err
	}
	if err := removeLeftovers(spec.Name); err != nil {
		return err
	}
	started := time.Now()
	ended, err := launch(ctx, spec.Name)
	if err != nil {
		return err
	}
	if err := waitSSH(ctx, spec.Name, spec.Address, key, ended); err != nil {
		return err
	}
	log.Printf("machine %s: sshd answers at %s after %s", spec.Name, spec.Address,
		time.Since(started).Round(time.Millisecond))
	return nil
}

// refresh applies the spec's limits to a running machine, and waits until sshd responds.
func refresh(ctx context.Context, spec Spec, key ssh.PublicKey) error {
	if err := cgroup.Apply(spec.Name, spec.limits()); err != nil {
		return err
	}
	if frozen, err := cgroup.Frozen(spec.Name); err != nil || frozen {
		return fmt.Errorf("machine %s is paused (lab machines resume %s)", spec.Name, spec.Name)
	}
	return waitSSH(ctx, spec.Name, spec.Address, key, nil)
}
