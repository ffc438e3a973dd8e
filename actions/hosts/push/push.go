// Package push copies a stack's files to hosts, and imports image archives into a running K3s.
package push

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/verb"
	"strata/internal/files/lockfile"
	"strata/internal/ssh/remote"
)

// Send copies a file to a host unless the host has it, verifies the copy, and prints its SHA-256
// sum. The SSH private key is in STRATA_SSH_KEY.
var Send = verb.NewUnbounded(func(ctx context.Context, call verb.Call, input Input) error {
	mode, err := input.permissions()
	if err != nil {
		return call.Wrong(err)
	}
	if input.Timeout.Duration <= 0 {
		return call.Wrong(errors.New("a positive timeout is required"))
	}
	say := func(progress string) { _, _ = fmt.Fprintln(call.Stderr, progress) }
	sent, err := input.send(ctx, mode, call.SSHKey(), say)
	if err != nil {
		return err
	}
	if !sent {
		_, _ = fmt.Fprintf(call.Stderr, "%s has %s already\n", input.Target.Name, input.Dest)
	}
	return call.Print(input.SHA256)
})

// Input is the input of Send.
type Input struct {
	// Dest is the absolute path on the host, Mode its file mode in octal, for example 0755.
	Dest string `json:"dest"`
	// File is the path of the local file, SHA256 its expected digest.
	File string `json:"file"`
	// Images is true if the file is an archive of container images, to be imported if K3s runs.
	Images bool          `json:"images,omitempty"`
	Mode   string        `json:"mode"`
	SHA256 string        `json:"sha256"`
	Target remote.Target `json:"target"`
	// Timeout bounds the login, the import, and each time without data during the transfer. It does
	// not bound the whole transfer, which may be slow.
	Timeout metav1.Duration `json:"timeout"`
}

// permissions returns the parsed Mode.
func (i Input) permissions() (fs.FileMode, error) {
	mode, err := strconv.ParseUint(i.Mode, 8, 9)
	if err != nil {
		return 0, fmt.Errorf("mode: expected octal permissions, found %q", i.Mode)
	}
	return fs.FileMode(mode), nil
}

// send copies the file to the host and verifies it there. sent is false if the host already had it.
// say gets the progress.
func (i Input) send(ctx context.Context, mode fs.FileMode, key []byte, say func(string)) (sent bool,
	err error) {
	dial, stop := context.WithTimeout(ctx, i.Timeout.Duration)
	defer stop()
	client, err := remote.Dial(dial, i.Target, key)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	upload := remote.Upload{
		File: i.File, Dest: i.Dest, Mode: mode, SHA256: i.SHA256, Silence: i.Timeout.Duration,
		Say: say, Turn: i.turn(say),
	}
	if sent, err = client.Push(ctx, upload); err != nil || !i.Images {
		return sent, err
	}
	ctx, cancel := context.WithTimeout(ctx, i.Timeout.Duration)
	defer cancel()
	names, err := namesIn(i.File)
	if err != nil {
		return sent, fmt.Errorf("images of %w", err)
	}
	// Import the file even if the host already had it, because the run that sent it may have been
	// interrupted before the import.
	if _, err := client.Run(ctx, importScript(containerdSocket, i.Dest, names), nil); err != nil {
		return sent, fmt.Errorf("import the images of %s: %w", i.Dest, err)
	}
	return sent, nil
}

// turn returns a function that waits until no other push of this project sends to the host. Thirty
// parallel pushes would overload a small host, and on a slow line none would finish for a long
// time. The lock is a file of this project.
func (i Input) turn(say func(string)) func(context.Context) (func(), error) {
	path := filepath.Join(".strata", "push-"+
		net.JoinHostPort(i.Target.Address, strconv.Itoa(i.Target.Port))+".lock")
	return func(ctx context.Context) (func(), error) {
		return lockfile.Lock(ctx, path, func() {
			say(filepath.Base(i.Dest) + " waits for another file on its way to " + i.Target.Name)
		})
	}
}

const containerdSocket = "/run/k3s/containerd/containerd.sock"

//go:embed import.sh
var importText string

// importScript returns a script that imports an image archive into the containerd at a socket, if
// one listens there.
func importScript(socket, archive string, images []string) string {
	return fmt.Sprintf("socket=%s archive=%s images=%s\n",
		remote.Quote(socket), remote.Quote(archive), remote.Quote(strings.Join(images, "\n"))) +
		importText
}
