package machines

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// Exec runs a command as root inside a running machine, with this process's standard streams. It
// does not use SSH, so it works when the machine's sshd or network is broken. The error contains
// the command's exit code.
func Exec(ctx context.Context, name string, argv []string) error {
	if _, err := loadSpec(name); err != nil {
		return err
	}
	pid := leader(name)
	if pid == 0 {
		return fmt.Errorf("machine %s is not running (lab machines start %s)", name, name)
	}
	args := append([]string{"--target", fmt.Sprint(pid), "--all", "--"}, argv...)
	cmd := exec.CommandContext(ctx, "nsenter", args...)
	cmd.Env = []string{hostPath, "HOME=/root", "TERM=" + os.Getenv("TERM")}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
