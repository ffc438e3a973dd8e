package drift_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// k3s is a K3s under test: the lab's stand-in or an upstream binary.
type k3s struct{ binary, version string }

// start configures a start of K3s.
type start struct {
	// args are the arguments. config is the text of config.yaml, and dropIn that of a file in
	// config.yaml.d; empty for none.
	args           []string
	config, dropIn string
	// env are variables besides PATH.
	env []string
	// until is a text; K3s is killed once a line contains it. If it is empty, K3s ends by itself.
	until string
}

// outcome has the output and the exit code of K3s; the code is -1 if K3s was killed.
type outcome struct {
	said string
	exit int
}

// patience bounds each run of K3s. The upstream binary unpacks itself first.
const patience = time.Minute

// sandbox runs K3s with private folders in place of those to which it writes. It needs no network
// isolation, because it exits before its first listener. It is not the first process of its
// namespace, as which K3s behaves differently. The file is called k3s, as on a host, because K3s
// shows its file's name. It is a copy, because a downloaded binary is not executable.
const sandbox = `set -e
root=$1 dropIn=$2
shift 2
mount -t tmpfs drift "$root"
cp -a /etc "$root/etc"
rm -rf "$root/etc/rancher"
mkdir -p "$root/etc/rancher/k3s/config.yaml.d"
cat > "$root/etc/rancher/k3s/config.yaml"
printf '%s' "$dropIn" > "$root/etc/rancher/k3s/config.yaml.d/10-drift.yaml"
mount --bind "$root/etc" /etc
mount -t tmpfs drift /var/lib
mount -t tmpfs drift /run
cp "$1" "$root/k3s"
chmod 755 "$root/k3s"
shift
"$root/k3s" "$@"
`

// run starts K3s in a sandbox.
func (k k3s) run(t testing.TB, s start) outcome {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), patience)
	defer end()
	args := []string{"--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
		sandbox,
		"sh", t.TempDir(), s.dropIn, k.binary}
	command := exec.CommandContext(ctx, "unshare", append(args, s.args...)...)
	command.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=/root"}, s.env...)
	command.Stdin = strings.NewReader(s.config)
	reader, writer := io.Pipe()
	command.Stdout, command.Stderr = writer, writer
	require.NoError(t, command.Start())
	ended := make(chan error, 1)
	go func() {
		err := command.Wait()
		_ = writer.Close()
		ended <- err
	}()
	var said strings.Builder
	lines := bufio.NewScanner(reader)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		said.WriteString(lines.Text() + "\n")
		if s.until != "" && strings.Contains(lines.Text(), s.until) {
			end()
		}
	}
	err := <-ended
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatalf("%s: %v", k.binary, err)
	}
	return outcome{said: said.String(), exit: command.ProcessState.ExitCode()}
}

// needsSandbox skips the test if no sandbox can be made. It fails the test instead if an upstream
// K3s was given, which must be checked.
func needsSandbox(t *testing.T) {
	t.Helper()
	reason := ""
	if _, err := exec.LookPath("unshare"); err != nil {
		reason = err.Error()
	}
	if os.Geteuid() != 0 {
		reason = "it needs root, to have folders of its own in the place of the machine's"
	}
	if reason == "" {
		return
	}
	if original, given := originalK3s(t); given {
		t.Fatalf("%s was not checked: %s", original.binary, reason)
	}
	t.Skip("K3s was not checked: " + reason)
}
