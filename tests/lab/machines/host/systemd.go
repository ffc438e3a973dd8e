package host

import (
	"os"
)

// HasSystemd reports whether systemd is this host's init.
func HasSystemd() bool {
	_, err := os.Stat("/run/systemd/system")
	return err == nil
}

// UnitSlice holds the units of all machines.
const UnitSlice = "strata.slice"

// UnitName returns the transient unit of a machine on a host with systemd.
func UnitName(name string) string { return "strata-machine-" + name + ".service" }
