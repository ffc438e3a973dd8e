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

// openLimit bounds the start of a tunnel with its login. It is well below the time in which a gate
// has to report to the engine (components.Gate).
const openLimit = loginLimit + 5*time.Second

// opener holds the functions by which this process opens a tunnel; tests replace them.
type opener struct {
	// access identifies the keys of the process (accessOf).
	access string
	// start starts a tunnel. login only checks whether the jump host accepts the keys.
	start, login func(context.Context) error
}

// Open returns a lease of the tunnel, and starts the tunnel if it does not run. It returns nil if
// the Spec has no tunnel. If the jump host no longer accepts the running tunnel's keys but accepts
// this process's, Open replaces the tunnel. key is a Dialer's PrivateKey. The error has the reason
// why the login failed, or names the owner of the port.
func Open(ctx context.Context, spec Spec, key []byte) (*Lease, error) {
	if !spec.There() {
		return nil, nil //nolint:nilnil // the Spec has no tunnel
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

// open is Open with the process's functions as a parameter.
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

// acquireLease returns a lease of the running tunnel. It returns errAbsent if no tunnel runs, or if
// it has stopped the running tunnel to free the port.
func (o opener) acquireLease(ctx context.Context, spec Spec, digest string) (*Lease, error) {
	// A tunnel with other keys whose login was refused will not recover, so do not wait for it.
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

// makeRoom stops an unused tunnel that has another Spec: an earlier tunnel of this stack, or one of
// another stack. It returns errAbsent when the port is free.
func (l *Lease) makeRoom(ctx context.Context, spec Spec, found answer) error {
	taken := errors.New(takenBy(spec.Address(), found.Last))
	if found.Uses > 0 {
		return taken
	}
	if _, err := l.ask(endLine); err == nil {
		return taken // another run uses it now
	}
	return awaitFreePort(ctx, spec)
}

// replace stops a tunnel whose jump host cannot be used, if the jump host accepts this process's
// keys. The tunnel's users then connect to its replacement. If the tunnel uses the same keys as
// this process, replace fails, because a new tunnel could not log in either. It returns errAbsent
// when the port is free, and nil if the tunnel has recovered.
func (o opener) replace(ctx context.Context, lease *Lease, spec Spec, found answer) error {
	if found.Access == o.access {
		return errors.New(found.Trouble)
	}
	if err := o.login(ctx); err != nil {
		return err
	}
	if _, err := lease.ask(replaceLine); err == nil {
		return nil
	}
	return awaitFreePort(ctx, spec)
}

// awaitFreePort waits until a stopped tunnel has released its port. Then it returns errAbsent.
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
