package vm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"strata/health"
	"strata/health/observe"
	"strata/internal/hypervisor"
	"strata/internal/hypervisor/drivers"
)

const (
	// vmPoll is the pause between two observations of a machine: neither virsh nor qm can tell of
	// every change that counts.
	vmPoll = time.Second
	// vmDial bounds the attempt to connect to the machine at its address.
	vmDial = time.Second
	// sshBanner begins the first line of a server (RFC 4253, 4.2).
	sshBanner = "SSH-"
)

// vmFacts describes one virtual machine from outside.
type vmFacts struct {
	// Fault says why the hypervisor could not be asked. Everything else is empty then.
	Fault error `json:"-"`
	// Seen is false before the first observation.
	Seen bool `json:"seen"`
	hypervisor.Facts
	// Answers is true when a server of SSH speaks at the machine's address and port.
	Answers bool `json:"answers,omitempty"`
}

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

// Run implements Watch. A hypervisor that goes away is connected to again.
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
func (w *vmWatch) observe(ctx context.Context, host hypervisor.Host, report func([]health.Verdict)) error {
	for ctx.Err() == nil {
		facts, err := drivers.New(host, w.spec.AnyOwner()).Observe(ctx) // a Spec has no identity, and what the gate waits for has asked
		if err != nil {
			return err
		}
		report(judgeVM(w.spec, vmFacts{Seen: true, Facts: facts, Answers: w.spec.Guest.DHCP && answers(ctx, w.spec)}))
		observe.Pause(ctx, vmPoll)
	}
	return ctx.Err()
}

// answers tries the machine's SSH port. A connection alone is no answer: a firewall or proxy on the
// way may accept it for a machine that is not there. Who answers is the host's gate's to prove.
func answers(ctx context.Context, spec hypervisor.Spec) bool {
	ctx, cancel := context.WithTimeout(ctx, vmDial)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(spec.Guest.Address.Addr().String(), strconv.Itoa(spec.Guest.Port)))
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })()
	start := make([]byte, len(sshBanner))
	_, err = io.ReadFull(conn, start)
	return err == nil && string(start) == sshBanner
}

// judgeVM gives the verdicts on a machine from outside; they hold on every later run as well.
func judgeVM(spec hypervisor.Spec, f vmFacts) []health.Verdict {
	const answering, power = "hypervisor", "power"
	first := health.Verdict{Check: answering, State: health.Ready, Message: "answers"}
	var foreign *hypervisor.ForeignError
	switch {
	case errors.As(f.Fault, &foreign):
		first.State, first.Message, first.Hint = health.Stuck, health.OneLine(f.Fault.Error()), foreign.Fix
	case f.Fault != nil:
		first.State, first.Message = health.Waiting, health.OneLine(f.Fault.Error())
		first.Hint = "see that it is on and reachable: strata:hosts.hypervisor"
	case !f.Seen:
		first.State, first.Message = health.Waiting, "not asked yet"
	}
	second, third := health.Verdict{State: health.Waiting, Message: "not seen"}, health.Verdict{State: health.Waiting, Message: "not seen"}
	if f.Seen {
		second, third = judgePower(spec, f), judgeAddressOf(spec, f)
	}
	second.Check, second.After = power, []string{answering}
	third.Check, third.After = "address", []string{answering, power}
	return []health.Verdict{first, second, third}
}

func judgePower(spec hypervisor.Spec, f vmFacts) health.Verdict {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(f.Power, word) })
	}
	v := health.Verdict{State: health.Stuck, Message: "expected running, found " + f.Power, Evidence: console(f)}
	switch {
	case !f.Exists:
		v.Message, v.Cause = "expected a machine called "+spec.Name()+", found none", "it was removed by hand"
		v.Hint = "make it anew: pulumi up --replace with the URN of the node's -vm resource"
	case f.Running:
		return health.Verdict{State: health.Ready, Message: "running"}
	case has("I/O error", "io-error"):
		v.Cause = "its storage is full or fails: the machine stands still until it can write"
		v.Hint = "make room on the storage, then on the hypervisor: " + spec.OnHypervisor("virsh resume "+spec.Name(), "qm resume with the VM's number")
	case has("crashed", "panicked", "guest-panicked", "internal-error", "failed"):
		v.Cause = "the guest's kernel or the emulator ended"
		v.Hint = "see the console; " + spec.OnHypervisor("virsh start "+spec.Name()+" on the hypervisor", "qm start with the VM's number on the node")
	default:
		v.State, v.Hint = health.Waiting, "on the hypervisor: "+spec.OnHypervisor("virsh start "+spec.Name(), "qm start with the VM's number")
	}
	return v
}

func judgeAddressOf(spec hypervisor.Spec, f vmFacts) health.Verdict {
	want := spec.Guest.Address.Addr().String()
	reserve := fmt.Sprintf("reserve %s for %s on the network's DHCP server, and restart the machine", want, spec.MAC())
	v4 := slices.DeleteFunc(slices.Clone(f.Addresses), func(address string) bool { return !strings.Contains(address, ".") })
	switch {
	case !spec.Guest.DHCP:
		return health.Verdict{State: health.Skipped, Message: "the machine sets its address itself"}
	case slices.Contains(v4, want) || f.Answers:
		return health.Verdict{State: health.Ready, Message: want}
	case len(v4) > 0:
		return health.Verdict{State: health.Stuck, Message: "expected " + want + ", found " + strings.Join(v4, ", "),
			Cause: "the DHCP server gave another address to " + spec.MAC(), Hint: reserve}
	}
	v := health.Verdict{State: health.Waiting, Message: "expected " + want + ", found no lease and no answer", Evidence: console(f),
		Cause: "the machine still boots, or no DHCP server answers it", Hint: reserve}
	if f.Agent != "" {
		v.Evidence = append([]string{"the guest's agent: " + health.OneLine(f.Agent)}, v.Evidence...)
	}
	return v
}

// console is the machine's last output.
func console(f vmFacts) []string {
	if strings.TrimSpace(f.Console) == "" {
		return nil
	}
	return []string{"console:\n" + strings.TrimSpace(f.Console)}
}
