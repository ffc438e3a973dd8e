// Package push copies the files of a stack to hosts, and loads archives of images into a K3s that
// runs.
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

// Send copies a file to a host unless the host has it, verifies it at the other end, and prints its
// sum. The private key comes in STRATA_SSH_KEY.
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

// Input describes a file that a host must have.
type Input struct {
	// Dest is the absolute path on the host, Mode its mode in octal, for example 0755.
	Dest string `json:"dest"`
	// File is the local file, SHA256 its expected digest.
	File string `json:"file"`
	// Images says that the file is an archive of container images. If K3s runs, they are loaded.
	Images bool          `json:"images,omitempty"`
	Mode   string        `json:"mode"`
	SHA256 string        `json:"sha256"`
	Target remote.Target `json:"target"`
	// Timeout bounds three things: the login at the host, each silence of the transfer, and the
	// import. The transfer itself may take as long as the line needs.
	Timeout metav1.Duration `json:"timeout"`
}

// permissions parses the mode.
func (i Input) permissions() (fs.FileMode, error) {
	mode, err := strconv.ParseUint(i.Mode, 8, 9)
	if err != nil {
		return 0, fmt.Errorf("mode: expected octal permissions, found %q", i.Mode)
	}
	return fs.FileMode(mode), nil
}

// send copies the file to the host unless the host has it, and verifies it at the other end. sent
// is false if the host had it. say gets the progress.
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
	// Import a file that was sent before as well: its run may have been interrupted before the
	// import.
	if _, err := client.Run(ctx, importScript(containerdSocket, i.Dest, names), nil); err != nil {
		return sent, fmt.Errorf("import the images of %s: %w", i.Dest, err)
	}
	return sent, nil
}

// turn returns a function that waits until no other push of this project sends to the host. Thirty
// pushes at once would keep a small host busy with switching, and on a slow line none would finish
// for long. The lock is a file of this project.
func (i Input) turn(say func(string)) func(context.Context) (func(), error) {
	path := filepath.Join(".strata", "push-"+
		net.JoinHostPort(i.Target.Address, strconv.Itoa(i.Target.Port))+".lock")
	return func(ctx context.Context) (func(), error) {
		return lockfile.Lock(ctx, path, func() {
			say(filepath.Base(i.Dest) + " waits for another file on its way to " + i.Target.Name)
		})
	}
}

// containerdSocket leads to K3s's containerd.
const containerdSocket = "/run/k3s/containerd/containerd.sock"

//go:embed import.sh
var importText string

// importScript returns the script that loads an archive of images into the containerd behind a
// socket, if one answers there.
func importScript(socket, archive string, images []string) string {
	return fmt.Sprintf("socket=%s archive=%s images=%s\n",
		remote.Quote(socket), remote.Quote(archive), remote.Quote(strings.Join(images, "\n"))) +
		importText
}
