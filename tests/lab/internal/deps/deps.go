package deps

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Install installs the missing packages of a list with apt-get, and writes apt-get's output to out.
// It runs `apt-get update` only if a package is missing.
func Install(ctx context.Context, out io.Writer, list []Package) error {
	query, err := status(ctx, list)
	if err != nil {
		return err
	}
	missing := Missing(query, list)
	if len(missing) == 0 {
		_, _ = fmt.Fprintf(out, "lab: all %d Debian packages are installed\n", len(list))
		return nil
	}
	_, _ = fmt.Fprintf(out, "lab: installing %d of %d Debian packages: %s\n", len(missing),
		len(list), strings.Join(missing, " "))
	if err := allowed(os.Geteuid(), missing); err != nil {
		return err
	}
	if err := apt(ctx, out, "update"); err != nil {
		return err
	}
	return apt(ctx, out, append([]string{"install", "-y", "--no-install-recommends"}, missing...)...)
}

// Allowed returns an error if a package of the list is missing and the process is not root.
func Allowed(ctx context.Context, list []Package) error {
	query, err := status(ctx, list)
	if err != nil {
		return err
	}
	return allowed(os.Geteuid(), Missing(query, list))
}

func allowed(user int, missing []string) error {
	if user == 0 || len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("installing packages needs root; run as root: apt-get install -y %s", strings.Join(missing, " "))
}

// Missing returns the packages of a list that are not installed. query is the output of dpkg-query:
// lines of "NAME STATUS", without a line for packages that dpkg does not know.
func Missing(query string, list []Package) []string {
	installed := map[string]bool{}
	for line := range strings.Lines(query) {
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[1] == "ii" {
			installed[fields[0]] = true
		}
	}
	var missing []string
	for _, one := range list {
		if !installed[one.Name] {
			missing = append(missing, one.Name)
		}
	}
	return missing
}

// status returns dpkg-query's lines for the packages of a list.
func status(ctx context.Context, list []Package) (string, error) {
	args := []string{"-W", "-f", "${Package} ${db:Status-Abbrev}\n"}
	for _, one := range list {
		args = append(args, one.Name)
	}
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(ctx, "dpkg-query", args...)
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("dpkg-query is missing: the lab needs Debian or Ubuntu: %w", err)
	}
	// Exit code 1 means that dpkg does not know some packages. Those are missing.
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return "", fmt.Errorf("asking dpkg for installed packages: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

func apt(ctx context.Context, out io.Writer, args ...string) error {
	// Automatic updates may hold dpkg's lock after a machine's first boot, so wait up to 300 s for
	// it.
	command := exec.CommandContext(ctx, "apt-get", append([]string{"-q", "-o", "DPkg::Lock::Timeout=300"}, args...)...)
	command.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	command.Stdout, command.Stderr = out, out
	if err := command.Run(); err != nil {
		return fmt.Errorf("apt-get %s: %w", args[0], err)
	}
	return nil
}
