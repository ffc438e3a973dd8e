package tunnel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"strata/internal/ssh/remote"
)

// openLimit bounds the start of a tunnel, which includes a login. It is well below the time that
// the engine leaves a gate to report (components.Gate).
const openLimit = loginLimit + 5*time.Second

// opener opens tunnels for one process.
type opener struct {
	// access identifies the keys of the process (accessOf).
	access string
	// start starts a tunnel. login only checks whether the jump host accepts the keys.
	start, login func(context.Context) error
}

// Open returns a lease of a tunnel, and starts the tunnel if it does not run. It returns nil if the
// spec has no tunnel. If the jump host no longer accepts the running tunnel's keys (its agent or
// key is gone), and accepts this process's, Open replaces the tunnel. key has the format of
// remote.Dialer. The error has the reason why the login fails, or names the owner of the port.
func Open(ctx context.Context, spec Spec, key []byte) (*Lease, error) {
	if !spec.There() {
		return nil, nil //nolint:nilnil // no tunnel, and nothing to hold
	}
	access, err := accessOf(spec, key)
	if err != nil {
		return nil, fmt.Errorf("tunnel: %w", err)
	}
	return open(ctx, spec, opener{
		access: access,
		start:  func(ctx context.Context) error { return start(ctx, spec, key) },
		login: func(ctx context.Context) error {
			client, err := remote.Dialer{PrivateKey: key}.DialJumpHost(ctx,
				remote.Target{Jump: spec.Via, Agent: spec.Agent})
			if err != nil {
				return err
			}
			return client.Close()
		},
	})
}

// open implements Open with the functions of the process.
func open(ctx context.Context, spec Spec, by opener) (*Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	digest, err := spec.digest()
	if err != nil {
		return nil, err
	}
	lease, err := by.acquireLease(ctx, spec, digest)
	if errors.Is(err, errAbsent) {
		if err = by.start(ctx); err == nil {
			lease, err = by.acquireLease(ctx, spec, digest)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("tunnel to what only jump host %s reaches: %w", spec.last(), err)
	}
	return lease, nil
}

// acquireLease returns a lease of the running tunnel. It fails with errAbsent if no tunnel runs, or
// if it has ended one to free the port.
func (o opener) acquireLease(ctx context.Context, spec Spec, digest string) (*Lease, error) {
	// Once a login of a tunnel with other keys was refused, a wait for that tunnel is useless.
	lease, found, err := awaitAnswer(ctx, spec.Address(), func(a answer) bool {
		return a.Trouble != "" && a.Access != o.access
	})
	if err != nil {
		return nil, err
	}
	switch {
	case found.Digest != digest:
		err = lease.makeRoom(ctx, spec, found)
	case found.Trouble != "":
		err = o.replace(ctx, lease, spec, found)
	}
	if err != nil {
		lease.Close()
		return nil, err
	}
	return lease, nil
}

// makeRoom ends an unused tunnel that leads elsewhere. That is an earlier tunnel of this stack, or
// the tunnel of another stack that has finished. makeRoom returns errAbsent when the port is free.
func (l *Lease) makeRoom(ctx context.Context, spec Spec, found answer) error {
	taken := errors.New(takenBy(spec.Address(), found.Last))
	if found.Uses > 0 {
		return taken
	}
	if _, err := l.ask(endLine, time.Now().Add(localLimit)); err == nil {
		return taken // Another run has begun to use it meanwhile.
	}
	return awaitFreePort(ctx, spec)
}

// replace ends a tunnel whose jump host cannot be used, if the jump host accepts this process's
// keys. The tunnel's users then find the next tunnel. A tunnel with the same keys continues,
// because this process could do no more. replace returns errAbsent when the port is free, and nil
// if the tunnel works again.
func (o opener) replace(ctx context.Context, lease *Lease, spec Spec, found answer) error {
	if found.Access == o.access {
		return errors.New(found.Trouble)
	}
	if err := o.login(ctx); err != nil {
		return err
	}
	if _, err := lease.ask(replaceLine, time.Now().Add(localLimit)); err == nil {
		return nil
	}
	return awaitFreePort(ctx, spec)
}

// awaitFreePort waits for the port of a tunnel that ends. It returns errAbsent when the port is
// free.
func awaitFreePort(ctx context.Context, spec Spec) error {
	var free error
	err := wait.PollUntilContextCancel(ctx, askAgain, true,
		func(ctx context.Context) (bool, error) {
			var listener net.Listener
			if listener, free = new(net.ListenConfig).Listen(ctx, "tcp",
				spec.Address()); free != nil {
				return false, nil
			}
			return true, listener.Close()
		})
	if err != nil {
		return errors.Join(err, free)
	}
	return errAbsent
}
