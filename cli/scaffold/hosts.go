package scaffold

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"

	"strata/actions/hosts/reach"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/silence"
)

// Host is a host whose facts were read.
type Host struct {
	Asked Asked
	// Address is the IPv4 address that SSH connects to.
	Address netip.Addr
	Pin     Pin
	Facts   Facts

	// target and key are the SSH target at Address and the private key for it.
	target remote.Target
	key    []byte
}

// loginInterface returns the interface that has Address; ok is false if none has, for example
// behind NAT.
func (h Host) loginInterface() (Interface, bool) {
	for _, one := range h.Facts.Interfaces {
		if one.Address.Addr() == h.Address {
			return one, true
		}
	}
	return Interface{}, false
}

// has reports whether address is the host's Address, or an address of its interfaces.
func (h Host) has(address netip.Addr) bool {
	return h.Address == address ||
		slices.ContainsFunc(h.Facts.Interfaces,
			func(one Interface) bool { return one.Address.Addr() == address })
}

// defaultRoute returns the preferred default route of table main: the first that ip lists. K3s uses
// only that table, even if a rule selects another table for some sources.
func (h Host) defaultRoute() (Route, bool) {
	for _, route := range h.Facts.Routes {
		if route.To == everywhere && route.Table == "" {
			return route, true
		}
	}
	return Route{}, false
}

// readAll reads all hosts in parallel, within ctx. It returns a problem for each host that it could
// not read, in the order of the hosts.
func (r *Request) readAll(ctx context.Context) ([]Host, Problems) {
	hosts, problems := make([]Host, len(r.Hosts)), make([]*Problem, len(r.Hosts))
	var all sync.WaitGroup
	for i, asked := range r.Hosts {
		all.Go(func() { hosts[i], problems[i] = r.readOne(ctx, i, asked) })
	}
	all.Wait()
	var read []Host
	var wrong Problems
	for i := range hosts {
		if problems[i] != nil {
			wrong = append(wrong, *problems[i])
			continue
		}
		read = append(read, hosts[i])
	}
	return read, wrong
}

func (r *Request) readOne(ctx context.Context, i int, asked Asked) (Host, *Problem) {
	h := Host{Asked: asked, key: r.ways[i].Key}
	trouble := func(err error) (Host, *Problem) {
		return h, &Problem{Host: asked.String(), What: err.Error(), Fix: r.fixOf(h, err)}
	}
	var err error
	if h.Address, err = resolve(ctx, r.address(i)); err != nil {
		return trouble(err)
	}
	h.target = r.target(i, h.Address)
	if h.Pin, err = r.known[i].pin(ctx, asked, h.target, h.key); err != nil {
		return trouble(err)
	}
	silence.Heard(ctx)
	if !h.Pin.Known && !r.AcceptNew {
		return h, &Problem{Host: asked.String(),
			What: "no known_hosts has its host key: it shows " + h.Pin.Fingerprint,
			Fix: "compare that on the host (ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub), " +
				"then log in once with ssh, or run this again with --accept-new"}
	}
	h.target.HostKey = h.Pin.Key
	client, err := remote.Dial(ctx, h.target, h.key)
	if err != nil {
		return trouble(err)
	}
	defer func() { _ = client.Close() }() // The connection is not used again.
	silence.Heard(ctx)
	output, err := client.Run(ctx, factsScript, nil)
	if err != nil {
		return trouble(err)
	}
	if h.Facts, err = parseFacts(string(output.Stdout)); err != nil {
		return trouble(err)
	}
	return h, nil
}

// resolve returns the IPv4 address of a name.
func resolve(ctx context.Context, name string) (netip.Addr, error) {
	if address, err := netip.ParseAddr(name); err == nil {
		return address, nil
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip4", name)
	if err != nil {
		return netip.Addr{}, &addressError{err}
	}
	return addresses[0].Unmap(), nil
}

// addressError reports that a name has no IPv4 address.
type addressError struct{ cause error }

func (e *addressError) Error() string { return "has no IPv4 address: " + e.cause.Error() }
func (e *addressError) Unwrap() error { return e.cause }

// fixOf returns the fix for a host that could not be read; empty if err already names one.
func (r *Request) fixOf(h Host, err error) string {
	asked := h.Asked
	var unresolved *addressError
	var wrongKey *remote.HostKeyError
	switch {
	case errors.As(err, &unresolved):
		return "name its IPv4 address"
	case errors.As(err, &wrongKey):
		file, name := "known_hosts", asked.Address
		if wrongKey.Target.Name == "" { // a jump host
			file, name = "the file of --known-hosts", wrongKey.Target.Address
		}
		return "the pin is from " + file +
			"; once you have compared the new key: ssh-keygen -R " + name
	case errors.Is(err, remote.ErrKeyRejected) && (r.SSH.KeyFile == "" || len(h.target.Jump) > 0):
		return "or name another user (--user, or USER@ before the address) or key (--key, --agent)"
	case errors.Is(err, remote.ErrKeyRejected):
		return fmt.Sprintf(
			"ssh-copy-id -i %s.pub -p %d %s@%s, or name another user (--user, or USER@ before "+
				"the address) or key (--key, --agent)",
			r.SSH.KeyFile, asked.Port, asked.User, asked.Address)
	case errors.Is(err, remote.ErrSudo), errors.Is(err, remote.ErrSudoPassword):
		return "that is read from " + reach.SudoPasswordVariable + ", or log in as root"
	case errors.Is(err, remote.ErrNotRun):
		return "--user, or USER@ before the address, names one"
	case errors.Is(err, context.DeadlineExceeded) && remote.HasAnswered(err):
		return "--timeout waits longer"
	case errors.Is(err, context.DeadlineExceeded):
		return "check that the host is on, and its address and port; --timeout waits longer"
	}
	return ""
}
