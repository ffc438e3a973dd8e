package nspawn

import "os"

// hostHasSystemd says whether systemd is this host's init.
func hostHasSystemd() bool {
	_, err := os.Stat("/run/systemd/system")
	return err == nil
}

// unitSlice holds the units of all machines.
const unitSlice = "strata.slice"

// unitName is the transient unit of a machine on a host with systemd.
func unitName(name string) string { return "strata-machine-" + name + ".service" }
