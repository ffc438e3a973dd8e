package vm

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"time"

	"strata/health"
	"strata/health/observe"
	"strata/internal/hypervisor"
	"strata/internal/hypervisor/drivers"
)

const (
	// vmPoll is the pause between two observations of a machine. Polling is needed because neither
	// virsh nor qm reports every relevant change.
	vmPoll = time.Second
	// vmDial bounds one attempt to connect to the machine at its address.
	vmDial = time.Second
	// sshBanner begins the first line that an SSH server sends (RFC 4253, 4.2).
	sshBanner = "SSH-"
)

// vmWatch observes one machine through its hypervisor.
type vmWatch struct {
	spec hypervisor.Spec
	key  []byte
}

// NewWatch implements health.Body.
func (s Spec) NewWatch(_ health.Spec, secrets health.Secrets) (health.Watch, error) {
	if s.Hypervisor.Address != "" && len(secrets.HypervisorKey) == 0 {
		return nil, errors.New("STRATA_HYPERVISOR_KEY: empty; the hypervisor is asked over SSH")
	}
	return &vmWatch{spec: s.Spec, key: secrets.HypervisorKey}, nil
}

// Run implements Watch. It connects again when the hypervisor's connection is lost.
func (w *vmWatch) Run(ctx context.Context, report func([]health.Verdict)) error {
	for ctx.Err() == nil {
		host, err := hypervisor.Connect(ctx, w.spec.Hypervisor, w.key)
		if err == nil {
			err = w.observe(ctx, host, report)
			_ = host.Close()
		}
		if ctx.Err() != nil {
			break
		}
		report(judgeVM(w.spec, vmFacts{Fault: err}))
		observe.Pause(ctx, vmPoll)
	}
	return nil
}

// observe observes until ctx ends or the hypervisor cannot be asked.
func (w *vmWatch) observe(
	ctx context.Context, host hypervisor.Host, report func([]health.Verdict),
) error {
	for ctx.Err() == nil {
		facts, err := drivers.New(host, w.spec.AnyOwner()).Observe(ctx) // a Spec has no identity, and what the gate waits for has asked
		if err != nil {
			return err
		}
		report(judgeVM(w.spec, vmFacts{Seen: true, Facts: facts, Answers: w.spec.Guest.DHCP &&
			answers(ctx, w.spec)}))
		observe.Pause(ctx, vmPoll)
	}
	return ctx.Err()
}

// answers reports whether an SSH server answers at the machine's address. A connection alone does
// not suffice: a firewall or proxy in between may accept it for a machine that does not run. The
// host's gate proves the server's identity.
func answers(ctx context.Context, spec hypervisor.Spec) bool {
	ctx, cancel := context.WithTimeout(ctx, vmDial)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp",
		net.JoinHostPort(spec.Guest.Address.Addr().String(), strconv.Itoa(spec.Guest.Port)))
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })()
	start := make([]byte, len(sshBanner))
	_, err = io.ReadFull(conn, start)
	return err == nil && string(start) == sshBanner
}
