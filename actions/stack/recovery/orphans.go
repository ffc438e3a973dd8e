package recovery

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// graceful is the time between SIGTERM and SIGKILL. A plugin that waits for a command may ignore
// SIGTERM.
const graceful = 5 * time.Second

// errSurvived reports processes that survived SIGKILL.
var errSurvived = errors.New(
	"a process of the dead run does not end even on SIGKILL; see the lines above, and end it by hand")

// EndOrphans kills the processes that dead Pulumi engines left in a project, and records the
// current run. The caller must hold the stack's lock. log gets a line for each process.
func EndOrphans(ctx context.Context, projectDir string, log io.Writer) error {
	dir, err := filepath.EvalSymlinks(projectDir) // the kernel reports resolved paths of working directories
	if err != nil {
		return err
	}
	if err := NoteParent(dir); err != nil {
		return err
	}
	return (&Recovery{ProjectDir: dir, Log: log}).endOrphans(ctx)
}

// endOrphans kills the plugins and programs that a dead engine left in this project, and their
// commands. They would otherwise change hosts and the cluster during the next run.
func (r *Recovery) endOrphans(ctx context.Context) error {
	all, err := processes()
	if err != nil {
		return err
	}
	orphaned := orphans(all, r.ProjectDir, isListening)
	for _, victim := range orphaned {
		r.did("ending process %d (%s), whose run is gone", victim.pid,
			filepath.Base(victim.args[0]))
	}
	return end(ctx, orphaned)
}

// orphans returns the processes of this project whose engine refuses connections, and their
// descendants. It leaves out descendants with a session of their own, such as tunnels, because they
// are meant to outlive their parent.
func orphans(all []process, projectDir string, answers func(address string) bool) []process {
	var found []process
	for _, candidate := range all {
		if !isInside(projectDir, candidate.dir) {
			continue
		}
		if address := engineOf(candidate); address != "" && !answers(address) {
			found = append(found, candidate)
		}
	}
	for i := 0; i < len(found); i++ {
		for _, child := range all {
			related := child.parent == found[i].pid && child.session == found[i].session
			known := slices.ContainsFunc(found, func(p process) bool { return p.pid == child.pid })
			if related && !known && child.pid != os.Getpid() {
				found = append(found, child)
			}
		}
	}
	return found
}

// isInside reports whether dir is the project's folder or below it.
func isInside(projectDir, dir string) bool {
	relative, err := filepath.Rel(projectDir, dir)
	return err == nil && dir != "" && filepath.IsLocal(relative)
}

// engineOf returns the address of the Pulumi engine that started a process; "" if no engine did. A
// plugin has the address in its arguments, the program in its environment.
func engineOf(p process) string {
	name := filepath.Base(p.args[0])
	if strings.HasPrefix(name, "pulumi-resource-") || strings.HasPrefix(name, "pulumi-language-") {
		for _, arg := range slices.Backward(p.args[1:]) {
			if _, _, err := net.SplitHostPort(arg); err == nil {
				return arg
			}
		}
		return ""
	}
	return p.variable("PULUMI_ENGINE")
}

// isListening reports whether a server may listen on an address. Only a refused connection gives
// false.
func isListening(address string) bool {
	connection, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return !errors.Is(err, syscall.ECONNREFUSED)
	}
	_ = connection.Close()
	return true
}
