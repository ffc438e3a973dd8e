package nspawn

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
)

// bridgeAlias marks a bridge that was made here, on the interface itself: only such a bridge is ever removed.
const bridgeAlias = "strata"

// ensureNetwork makes the spec's bridge and the packet filter rules that let its machines out.
func ensureNetwork(ctx context.Context, spec Spec, log *Log) error {
	unlock, err := lock(ctx, "bridge-"+spec.Bridge)
	if err != nil {
		return err
	}
	defer unlock()
	if err := checkAddressUnused(spec); err != nil {
		return err
	}
	if _, err := os.Stat(sysNet(spec.Bridge)); errors.Is(err, fs.ErrNotExist) {
		if err := makeBridge(ctx, spec, log); err != nil {
			return errors.Join(err, deleteBridge(ctx, spec.Bridge))
		}
	} else if err := completeBridge(ctx, spec); err != nil {
		return err
	}
	return ensureRules(ctx, spec)
}

func sysNet(link string, elem ...string) string {
	return filepath.Join(append([]string{"/sys/class/net", link}, elem...)...)
}

func makeBridge(ctx context.Context, spec Spec, log *Log) error {
	if err := checkRoutes(ctx, spec); err != nil {
		return err
	}
	log.Printf("making bridge %s with %s/%d", spec.Bridge, spec.Gateway, spec.Subnet.Bits())
	// Without an address of its own a bridge takes the lowest one of its ports, and the machines' ARP entries for the
	// gateway go stale when a machine comes or goes. Without a forward delay of 0 each new port is silent for 15 s.
	if _, err := run(ctx, "ip", "link", "add", spec.Bridge, "address", bridgeMAC(spec.Bridge), "type", "bridge",
		"forward_delay", "0", "stp_state", "0"); err != nil {
		return fmt.Errorf("making bridge %s: %w", spec.Bridge, err)
	}
	if _, err := run(ctx, "ip", "link", "set", spec.Bridge, "alias", bridgeAlias); err != nil {
		return fmt.Errorf("marking bridge %s: %w", spec.Bridge, err)
	}
	return completeBridge(ctx, spec)
}

// completeBridge checks that an existing interface is the bridge meant, and finishes one whose making was interrupted.
func completeBridge(ctx context.Context, spec Spec) error {
	if _, err := os.Stat(sysNet(spec.Bridge, "bridge")); err != nil {
		return fmt.Errorf("bridge %q: an interface of that name exists and is not a bridge; choose another name", spec.Bridge)
	}
	have, err := linkAddresses(ctx, spec.Bridge)
	if err != nil {
		return err
	}
	want := netip.PrefixFrom(spec.Gateway, spec.Subnet.Bits())
	switch {
	case len(have) == 0 && isOurBridge(spec.Bridge):
		if _, err := run(ctx, "ip", "addr", "add", want.String(), "dev", spec.Bridge); err != nil {
			return fmt.Errorf("giving bridge %s its address: %w", spec.Bridge, err)
		}
	case len(have) != 1 || have[0] != want:
		return fmt.Errorf("bridge %s: expected address %s, found %v; use its subnet, or another bridge name", spec.Bridge, want, have)
	}
	_, err = run(ctx, "ip", "link", "set", spec.Bridge, "up")
	return err
}

func isOurBridge(bridge string) bool {
	alias, err := os.ReadFile(sysNet(bridge, "ifalias"))
	return err == nil && strings.TrimSpace(string(alias)) == bridgeAlias
}

func bridgeMAC(bridge string) string {
	sum := sha256.Sum256([]byte("strata bridge " + bridge))
	// 02 marks a locally administered address.
	return fmt.Sprintf("02:%02x:%02x:%02x:%02x:%02x", sum[0], sum[1], sum[2], sum[3], sum[4])
}

func linkAddresses(ctx context.Context, link string) ([]netip.Prefix, error) {
	out, err := run(ctx, "ip", "-json", "-4", "addr", "show", "dev", link)
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

// releaseNetwork removes the bridge and its rules when no machine's spec names it and nothing else is plugged in.
func releaseNetwork(ctx context.Context, spec Spec, log *Log) error {
	unlock, err := lock(ctx, "bridge-"+spec.Bridge)
	if err != nil {
		return err
	}
	defer unlock()
	specs, err := allSpecs()
	if err != nil {
		return err
	}
	for _, other := range specs {
		if other.Bridge == spec.Bridge {
			return nil
		}
	}
	if err := removeRules(ctx, spec); err != nil {
		return err
	}
	ports, err := os.ReadDir(sysNet(spec.Bridge, "brif"))
	if err == nil && len(ports) > 0 && isOurBridge(spec.Bridge) {
		log.Printf("bridge %s stays: %s is plugged into it, which is not a machine of Strata", spec.Bridge, ports[0].Name())
		return nil
	}
	return deleteBridge(ctx, spec.Bridge)
}

func deleteBridge(ctx context.Context, bridge string) error {
	if !isOurBridge(bridge) {
		return nil
	}
	_, err := run(ctx, "ip", "link", "delete", bridge)
	return err
}
