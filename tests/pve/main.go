package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(filepath.Base(os.Args[0]), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(255) // the exit code of the Perl commands
	}
}

func run(program string, args []string) error {
	dir := os.Getenv("PVE_STATE")
	if dir == "" {
		return errors.New("PVE_STATE is not set")
	}
	call, err := parse(program, args)
	if err != nil {
		return err
	}
	n, err := open(dir)
	if err != nil {
		return err
	}
	defer n.close()
	do, ok := commands[call.command]
	if !ok {
		return fmt.Errorf("the stand-in has no %s", call.command)
	}
	return do(n, call)
}

// commands are the stand-in's commands.
var commands = map[string]func(*node, call) error{
	"qm create": (*node).create, "qm clone": (*node).clone, "qm set": (*node).set,
	"qm disk resize": (*node).resize,
	"qm start":       (*node).start, "qm stop": (*node).stop, "qm shutdown": (*node).shutdown,
	"qm status":  (*node).status,
	"qm destroy": (*node).destroy, "qm guest cmd": (*node).agent,
	"pvesh get": (*node).get, "pvesm path": (*node).path,
}
