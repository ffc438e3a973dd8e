package network

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"strata/tests/lab/machines/host"
)

// bridgeAlias is the interface alias that Ensure sets on a new bridge. Release removes only bridges
// that have this alias.
const bridgeAlias = "strata"

// Bridge is a bridge on this host, and the network of the machines on it.
type Bridge struct {
	// Name is the name of the interface, at most 15 characters.
	Name string
	// Subnet is the machines' network. Gateway is this host's address in it.
	Subnet  netip.Prefix
	Gateway netip.Addr
}

// Ensure creates the bridge and the packet filter rules for its machines, unless check fails. It
// calls check while it holds the bridge's lock.
func (b Bridge) Ensure(ctx context.Context, check func() error, say func(format string, args ...any)) error {
	unlock, err := host.Lock(ctx, "bridge-"+b.Name)
	if err != nil {
		return err
	}
	defer unlock()
	if err := check(); err != nil {
		return err
	}
	if _, err := os.Stat(sysNet(b.Name)); errors.Is(err, fs.ErrNotExist) {
		if err := b.make(ctx, say); err != nil {
			return errors.Join(err, deleteBridge(ctx, b.Name))
		}
	} else if err := b.complete(ctx); err != nil {
		return err
	}
	return b.ensureRules(ctx)
}

func sysNet(link string, elem ...string) string {
	return filepath.Join(append([]string{"/sys/class/net", link}, elem...)...)
}

func (b Bridge) make(ctx context.Context, say func(format string, args ...any)) error {
	if err := b.checkRoutes(ctx); err != nil {
		return err
	}
	say("making bridge %s with %s/%d", b.Name, b.Gateway, b.Subnet.Bits())
	// Give the bridge a fixed MAC address. Otherwise, it has the lowest address of its ports, and
	// the machines' ARP entries for the gateway become stale when a machine starts or stops. The
	// forward delay is 0, because otherwise a new port forwards nothing for 15 s.
	if _, err := host.Run(ctx, "ip", "link", "add", b.Name, "address", bridgeMAC(b.Name), "type", "bridge",
		"forward_delay", "0", "stp_state", "0"); err != nil {
		return fmt.Errorf("making bridge %s: %w", b.Name, err)
	}
	if _, err := host.Run(ctx, "ip", "link", "set", b.Name, "alias", bridgeAlias); err != nil {
		return fmt.Errorf("marking bridge %s: %w", b.Name, err)
	}
	return b.complete(ctx)
}

// complete checks that an existing interface is the wanted bridge, and completes an interrupted
// creation.
func (b Bridge) complete(ctx context.Context) error {
	if _, err := os.Stat(sysNet(b.Name, "bridge")); err != nil {
		return fmt.Errorf("bridge %q: an interface of that name exists and is not a bridge; choose another name",
			b.Name)
	}
	have, err := linkAddresses(ctx, b.Name)
	if err != nil {
		return err
	}
	want := netip.PrefixFrom(b.Gateway, b.Subnet.Bits())
	switch {
	case len(have) == 0 && isOurBridge(b.Name):
		if _, err := host.Run(ctx, "ip", "addr", "add", want.String(), "dev", b.Name); err != nil {
			return fmt.Errorf("giving bridge %s its address: %w", b.Name, err)
		}
	case len(have) != 1 || have[0] != want:
		return fmt.Errorf("bridge %s: expected address %s, found %v; use its subnet, or another bridge name", b.Name,
			want, have)
	}
	_, err = host.Run(ctx, "ip", "link", "set", b.Name, "up")
	return err
}

func isOurBridge(bridge string) bool {
	alias, err := os.ReadFile(sysNet(bridge, "ifalias"))
	return err == nil && strings.TrimSpace(string(alias)) == bridgeAlias
}

func bridgeMAC(bridge string) string {
	sum := sha256.Sum256([]byte("strata bridge " + bridge))
	// The first byte 02 means a locally administered address.
	return fmt.Sprintf("02:%02x:%02x:%02x:%02x:%02x", sum[0], sum[1], sum[2], sum[3], sum[4])
}

func linkAddresses(ctx context.Context, link string) ([]netip.Prefix, error) {
	out, err := host.Run(ctx, "ip", "-json", "-4", "addr", "show", "dev", link)
	if err != nil {
		return nil, fmt.Errorf("reading the addresses of %s: %w", link, err)
	}
	var links []struct {
		AddrInfo []struct {
			Local     netip.Addr `json:"local"`
			PrefixLen int        `json:"prefixlen"`
		} `json:"addr_info"`
	}
	if err := json.Unmarshal(out, &links); err != nil {
		return nil, fmt.Errorf("reading the addresses of %s: %w", link, err)
	}
	var addrs []netip.Prefix
	for _, l := range links {
		for _, a := range l.AddrInfo {
			addrs = append(addrs, netip.PrefixFrom(a.Local, a.PrefixLen))
		}
	}
	return addrs, nil
}

// Release removes the bridge and its rules, unless inUse returns true. A bridge with a foreign
// interface stays. Release calls inUse while it holds the bridge's lock.
func (b Bridge) Release(ctx context.Context, inUse func() (bool, error), say func(format string, args ...any)) error {
	unlock, err := host.Lock(ctx, "bridge-"+b.Name)
	if err != nil {
		return err
	}
	defer unlock()
	if used, err := inUse(); err != nil || used {
		return err
	}
	if err := b.removeRules(ctx); err != nil {
		return err
	}
	ports, err := os.ReadDir(sysNet(b.Name, "brif"))
	if err == nil && len(ports) > 0 && isOurBridge(b.Name) {
		say("bridge %s stays: %s is plugged into it, which is not a machine of Strata", b.Name, ports[0].Name())
		return nil
	}
	return deleteBridge(ctx, b.Name)
}

func deleteBridge(ctx context.Context, bridge string) error {
	if !isOurBridge(bridge) {
		return nil
	}
	_, err := host.Run(ctx, "ip", "link", "delete", bridge)
	return err
}
