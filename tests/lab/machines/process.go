package machines

import "os"

// verb begins the arguments with which this program starts itself again for a machine.
const verb = "machines"

// RunProcess runs the process of a machine that the program's arguments ask for. isProcess is false
// for other arguments. A program that makes machines calls it first: such a process has neither
// environment nor folder of its caller.
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
