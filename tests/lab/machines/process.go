package machines

import "os"

// verb is the first argument when this program starts itself as a process of a machine.
const verb = "machines"

// RunProcess runs a process of a machine (supervise or boot) if args ask for one. isProcess is
// false for other arguments. A program that creates machines must call it first in main, because
// such a process has neither the environment nor the working directory of its caller.
func RunProcess(args []string) (isProcess bool, err error) {
	if len(args) != 3 || args[0] != verb {
		return false, nil
	}
	switch name := args[2]; args[1] {
	case "supervise":
		return true, supervise(name, &Log{W: os.Stdout})
	case "boot":
		return true, boot(name)
	}
	return false, nil
}
