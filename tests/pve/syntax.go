package main

import (
	"fmt"
	"slices"
	"strings"
)

// form is the syntax of a command: its number of words, and its options, each with a value.
type form struct {
	words   int
	options []string
}

// config has options of qm create and qm set: keys of a VM's configuration (qm.conf(5)).
var config = []string{
	"agent", "boot", "cores", "cpu", "description", "ide2", "memory", "name", "net0", "onboot",
	"ostype", "scsi0", "scsi30", "scsihw", "serial0", "tags", "template",
}

// forms come from the definitions of the commands in release 9.2.6 of qemu-server
// (src/PVE/CLI/qm.pm, $cmddef, and the parameters of src/PVE/API2/Qemu.pm), from which the manual
// pages qm(1), pvesh(1) and pvesm(1) are generated.
var forms = map[string]form{
	"qm create": {1, append([]string{"archive", "force", "pool", "start", "storage", "unique",
		"bwlimit"}, config...)},
	"qm clone": {2, []string{"bwlimit", "description", "format", "full", "name", "pool",
		"snapname", "storage", "target"}},
	"qm set": {1, append([]string{"delete", "digest", "force", "revert", "skiplock"},
		config...)},
	"qm disk resize": {3, []string{"digest", "skiplock"}},
	"qm start":       {1, []string{"force-cpu", "machine", "skiplock", "timeout"}},
	"qm stop":        {1, []string{"keepActive", "overrule-shutdown", "skiplock", "timeout"}},
	"qm shutdown":    {1, []string{"forceStop", "keepActive", "skiplock", "timeout"}},
	"qm status":      {1, []string{"verbose"}},
	"qm destroy":     {1, []string{"destroy-unreferenced-disks", "purge", "skiplock"}},
	"qm guest cmd":   {2, nil},
	"pvesh get":      {1, []string{"type", "noproxy", "output-format", "human-readable", "quiet"}},
	"pvesm path":     {1, nil},
}

// switches are options that may have no value.
var switches = []string{"verbose", "noproxy", "quiet"}

// call is a parsed command line.
type call struct {
	command string
	words   []string
	options map[string]string
}

// parse parses a command line like PVE's command line handler: words, and --option value.
func parse(program string, args []string) (call, error) {
	c := call{command: program, options: map[string]string{}}
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		if _, complete := forms[c.command]; complete {
			break
		}
		c.command, args = c.command+" "+args[0], args[1:]
	}
	f, known := forms[c.command]
	if !known {
		return c, fmt.Errorf("ERROR: unknown command '%s'", c.command)
	}
	for len(args) > 0 {
		name, option := strings.CutPrefix(args[0], "--")
		switch {
		case !option:
			c.words, args = append(c.words, args[0]), args[1:]
		case !slices.Contains(f.options, name):
			return c, fmt.Errorf("Unknown option: %s\n400 unable to parse option", name)
		case slices.Contains(switches, name):
			c.options[name], args = "1", args[1:]
		case len(args) == 1:
			return c, fmt.Errorf("Option %s requires an argument\n400 unable to parse option", name)
		default:
			c.options[name], args = args[1], args[2:]
		}
	}
	if len(c.words) != f.words {
		return c, fmt.Errorf("400 not enough arguments, or too many: %s takes %d words, not %d",
			c.command, f.words, len(c.words))
	}
	return c, nil
}
