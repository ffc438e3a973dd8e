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

// openLimit bounds the start of a tunnel: a login. It is well below the time that the engine leaves
// a gate to report (components.NewGate).
const openLimit = loginLimit + 5*time.Second

// opener opens tunnels for one process.
type opener struct {
	// access identifies its keys (accessOf).
	access string
	// start starts a tunnel of its own; login only tries whether it would be let in.
	start, login func(context.Context) error
}

// Open is a lease of a tunnel, which is started where it is not there; nil where the spec has none.
// One whose jump host lets it in no more (its agent or its key is gone) is ended for one that this
// process's key opens. key is what remote.Dialer takes. The error says why the jump host cannot be
// logged in to, or who has the port.
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
			client, err := remote.Dialer{PrivateKey: key}.DialJumpHost(ctx, remote.Target{Jump: spec.Via, Agent: spec.Agent})
			if err != nil {
				return err
			}
			return client.Close()
		},
	})
}

// open is Open with what the process can do.
func open(ctx context.Context, spec Spec, by opener) (*Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	digest, err := spec.digest()
	if err != nil {
		return nil, err
	}
	lease, err := by.found(ctx, spec, digest)
	if errors.Is(err, errAbsent) {
		if err = by.start(ctx); err == nil {
			lease, err = by.found(ctx, spec, digest)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("tunnel to what only jump host %s reaches: %w", spec.last(), err)
	}
	return lease, nil
}

// found is a lease of the tunnel that is there. errAbsent: there is none, or there was one that
// made room.
func (o opener) found(ctx context.Context, spec Spec, digest string) (*Lease, error) {
	// What logs in with something else is not worth waiting for once it has been turned down.
	lease, found, err := decided(ctx, spec.Address(), func(a answer) bool { return a.Trouble != "" && a.Access != o.access })
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

// makeRoom ends a tunnel that leads elsewhere and that nothing uses: an earlier way of this stack,
// or another stack that is done. Its error is errAbsent when the port is free.
func (l *Lease) makeRoom(ctx context.Context, spec Spec, found answer) error {
	taken := errors.New(takenBy(spec.Address(), found.Last))
	if found.Uses > 0 {
		return taken
	}
	if _, err := l.ask(endLine, time.Now().Add(localLimit)); err == nil {
		return taken // Another run has come meanwhile.
	}
	return freed(ctx, spec)
}

// replace ends a tunnel whose jump host cannot be used, where this process is let in by it: whoever
// uses it finds the next one. What logs in with the same goes on as it is, since it can do what
// this process could. Its error is errAbsent when the port is free; it is nil where the tunnel is
// of use again.
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
	return freed(ctx, spec)
}

// freed waits for a port whose tunnel ends. Its error is errAbsent when it is free.
func freed(ctx context.Context, spec Spec) error {
	var free error
	err := wait.PollUntilContextCancel(ctx, askAgain, true, func(ctx context.Context) (bool, error) {
		var listener net.Listener
		if listener, free = new(net.ListenConfig).Listen(ctx, "tcp", spec.Address()); free != nil {
			return false, nil
		}
		return true, listener.Close()
	})
	if err != nil {
		return errors.Join(err, free)
	}
	return errAbsent
}
