package vm

import (
	"context"
	"errors"
	"time"

	"strata/health"
	"strata/health/observe"
	"strata/internal/hypervisor"
)

const (
	// vmPoll is the pause between two observations of a machine. Polling is needed because neither
	// virsh nor qm reports every relevant change.
	vmPoll = time.Second
	// vmDial limits one attempt to connect to the machine at its address.
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

// Run implements health.Watch. It connects again when the hypervisor's connection is lost.
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
