package network

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"strata/tests/lab/machines/host"
)

// arpWait is the timeout of the check whether an address is in use. A neighbour on a bridge of this
// host responds in less than 1 ms.
const arpWait = 200 * time.Millisecond

// checkRoutes returns an error if this host has a route to the subnet on another interface.
func (b Bridge) checkRoutes(ctx context.Context) error {
	out, err := host.Run(ctx, "ip", "-json", "-4", "route", "show", "table", "main")
	if err != nil {
		return fmt.Errorf("reading this host's routes: %w", err)
	}
	return b.routeCollision(out)
}

func (b Bridge) routeCollision(routesJSON []byte) error {
	var routes []struct{ Dst, Dev string }
	if err := json.Unmarshal(routesJSON, &routes); err != nil {
		return fmt.Errorf("reading this host's routes: %w", err)
	}
	for _, route := range routes {
		dst, err := netip.ParsePrefix(route.Dst)
		if addr, addrErr := netip.ParseAddr(route.Dst); addrErr == nil {
			dst, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil || route.Dev == b.Name { // "default" cannot be parsed
			continue
		}
		if dst.Overlaps(b.Subnet) {
			return fmt.Errorf("subnet %s collides with this host's route %s dev %s; choose another subnet", b.Subnet,
				route.Dst, route.Dev)
		}
	}
	return nil
}

// CheckSilent returns an error if an address responds to ARP on the bridge. Call it when no running
// machine of ours has the address. It sends an empty UDP packet, so that the kernel sends an ARP
// request, and reads the response from the neighbour table.
func CheckSilent(ctx context.Context, bridge string, address netip.Addr) error {
	if ports, err := os.ReadDir(sysNet(bridge, "brif")); err != nil || len(ports) == 0 {
		return nil
	}
	ForgetNeighbour(ctx, bridge, address)
	conn, err := net.Dial("udp4", netip.AddrPortFrom(address, 9).String())
	if err != nil {
		return fmt.Errorf("asking whether %s is free: %w", address, err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write(nil); err != nil {
		return fmt.Errorf("asking whether %s is free: %w", address, err)
	}
	deadline := time.Now().Add(arpWait)
	for time.Now().Before(deadline) {
		out, err := host.Run(ctx, "ip", "-json", "-4", "neigh", "show", "to", address.String(), "dev", bridge)
		if err != nil {
			return fmt.Errorf("asking whether %s is free: %w", address, err)
		}
		var found []struct{ LLAddr string }
		if err := json.Unmarshal(out, &found); err == nil && len(found) > 0 && found[0].LLAddr != "" {
			return fmt.Errorf("address %s is in use: %s answers for it on bridge %s; choose another address", address,
				found[0].LLAddr, bridge)
		}
		time.Sleep(host.BusyPoll)
	}
	return nil
}

// ForgetNeighbour removes an address from this host's neighbour table, which may have a former
// machine's MAC address.
func ForgetNeighbour(ctx context.Context, bridge string, address netip.Addr) {
	// Ignore errors. Usually there is no entry. If a stale one remains, the wait for sshd fails.
	_, _ = host.Run(ctx, "ip", "neigh", "del", address.String(), "dev", bridge)
}
