package nspawn

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"
)

// arpWait bounds the look whether somebody else has an address: a neighbour on a bridge of this host answers in under 1 ms.
const arpWait = 200 * time.Millisecond

// checkAddressUnused compares with the other machines on the bridge, running or not.
func checkAddressUnused(spec Spec) error {
	specs, err := allSpecs()
	if err != nil {
		return err
	}
	for _, other := range specs {
		if other.Name != spec.Name && other.Bridge == spec.Bridge && other.Address == spec.Address {
			return fmt.Errorf("address %s is in use by machine %s; choose another one, or run: strata machine delete %s",
				spec.Address, other.Name, other.Name)
		}
	}
	return nil
}

// checkRoutes refuses a subnet that this host already reaches another way.
func checkRoutes(ctx context.Context, spec Spec) error {
	out, err := run(ctx, "ip", "-json", "-4", "route", "show", "table", "main")
	if err != nil {
		return fmt.Errorf("reading this host's routes: %w", err)
	}
	return routeCollision(out, spec)
}

func routeCollision(routesJSON []byte, spec Spec) error {
	var routes []struct{ Dst, Dev string }
	if err := json.Unmarshal(routesJSON, &routes); err != nil {
		return fmt.Errorf("reading this host's routes: %w", err)
	}
	for _, route := range routes {
		dst, err := netip.ParsePrefix(route.Dst)
		if addr, addrErr := netip.ParseAddr(route.Dst); addrErr == nil {
			dst, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil || route.Dev == spec.Bridge { // "default" is no prefix
			continue
		}
		if dst.Overlaps(spec.Subnet) {
			return fmt.Errorf("subnet %s collides with this host's route %s dev %s; choose another subnet", spec.Subnet, route.Dst, route.Dev)
		}
	}
	return nil
}

// checkSilent refuses an address that answers ARP on the bridge although no machine of ours that runs has it. An empty
// packet makes the kernel ask; its answer is read from the neighbour table.
func checkSilent(ctx context.Context, spec Spec) error {
	if ports, err := os.ReadDir(sysNet(spec.Bridge, "brif")); err != nil || len(ports) == 0 {
		return nil
	}
	forgetNeighbour(ctx, spec)
	conn, err := net.Dial("udp4", netip.AddrPortFrom(spec.Address, 9).String())
	if err != nil {
		return fmt.Errorf("asking whether %s is free: %w", spec.Address, err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write(nil); err != nil {
		return fmt.Errorf("asking whether %s is free: %w", spec.Address, err)
	}
	deadline := time.Now().Add(arpWait)
	for time.Now().Before(deadline) {
		out, err := run(ctx, "ip", "-json", "-4", "neigh", "show", "to", spec.Address.String(), "dev", spec.Bridge)
		if err != nil {
			return fmt.Errorf("asking whether %s is free: %w", spec.Address, err)
		}
		var found []struct{ LLAddr string }
		if err := json.Unmarshal(out, &found); err == nil && len(found) > 0 && found[0].LLAddr != "" {
			return fmt.Errorf("address %s is in use: %s answers for it on bridge %s; choose another address", spec.Address,
				found[0].LLAddr, spec.Bridge)
		}
		time.Sleep(busyPoll)
	}
	return nil
}

// forgetNeighbour drops what this host remembers of an address: a former machine's MAC address would be used for a while.
func forgetNeighbour(ctx context.Context, spec Spec) {
	// The entry being absent is the usual case, and the only failure that matters shows when sshd does not answer.
	_, _ = run(ctx, "ip", "neigh", "del", spec.Address.String(), "dev", spec.Bridge)
}
