package vm

import (
	"context"
	"io"
	"net"
	"strconv"
	"time"

	"strata/health"
	"strata/health/observe"
	"strata/internal/hypervisor"
	"strata/internal/hypervisor/drivers"
)

// observe reports verdicts until ctx ends or the hypervisor fails. It returns the reason.
func (w *vmWatch) observe(
	ctx context.Context, host hypervisor.Host, report func([]health.Verdict),
) error {
	for ctx.Err() == nil {
		facts, err := drivers.New(host, w.spec.AnyOwner()).Observe(ctx) // the machine's resource has checked the owner
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
