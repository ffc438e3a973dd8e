package host

import (
	"os"
)

// HasSystemd reports whether systemd is the init system of this host.
func HasSystemd() bool {
	_, err := os.Stat("/run/systemd/system")
	return err == nil
}

// UnitSlice is the systemd slice of all machines' units.
const UnitSlice = "strata.slice"

// UnitName returns the name of a machine's transient unit on a host with systemd.
func UnitName(name string) string { return "strata-machine-" + name + ".service" }
