package lifecycle

import (
	"context"
	"fmt"
	"path/filepath"

	"golang.org/x/crypto/ssh"

	"strata/internal/files/lockfile"
	"strata/internal/hypervisor"
	"strata/internal/ssh/remote"
)

// turn waits until no other machine of the stack restarts, and returns the function that releases
// the lock. The lock is a file of this project, which every run of the stack uses.
func turn(ctx context.Context, spec hypervisor.Spec) (unlock func(), err error) {
	unlock, err = lockfile.Lock(ctx, filepath.Join(".strata", "restart-"+spec.Stack+".lock"), nil)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("another machine of the stack restarts, and did not end in time: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: restart: %w", spec.Name(), err)
	}
	return unlock, nil
}

// backScript waits until the host has booted and K3s, if installed, is up. K3s's units have the
// type notify, so `systemctl start` returns when K3s is up.
const backScript = `systemctl is-system-running --wait >/dev/null
for unit in k3s k3s-agent; do
	if [ -e "/etc/systemd/system/$unit.service" ]; then systemctl start "$unit.service"; fi
done`

// waitBack waits until the machine's node works again after a restart.
func waitBack(ctx context.Context, spec hypervisor.Spec, secrets hypervisor.Secrets) error {
	signer, err := ssh.ParsePrivateKey(secrets.HostKey)
	if err != nil {
		return fmt.Errorf("host key of %s: %w", spec.Node, err)
	}
	target := remote.Target{
		Name: spec.Node, Address: spec.Guest.Address.Addr().String(), Port: spec.Guest.Port,
		User:    spec.Guest.User,
		HostKey: remote.AuthorizedKey(signer.PublicKey()),
	}
	if _, err := remote.Run(ctx, target, secrets.SSHKey, backScript); err != nil {
		return fmt.Errorf("%s: K3s after its restart: %w", spec.Name(), err)
	}
	return nil
}
