package k3shost

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

	"strata/internal/files/lockfile"
	"strata/internal/ssh/remote"
)

// Push describes a file to copy to a host. `strata push` reads it on stdin.
type Push struct {
	// Dest is the absolute path on the host, Mode its mode in octal, for example 0755.
	Dest string `json:"dest"`
	// File is the local file, SHA256 its required sum.
	File string `json:"file"`
	// Images is true if the file is an archive of container images, to be loaded if K3s runs.
	Images bool          `json:"images,omitempty"`
	Mode   string        `json:"mode"`
	SHA256 string        `json:"sha256"`
	Target remote.Target `json:"target"`
	// Timeout bounds the connection to the host, the silence of the transfer, and the import. The
	// transfer itself has no time limit.
	Timeout metav1.Duration `json:"timeout"`
}

// Permissions parses the mode.
func (p Push) Permissions() (fs.FileMode, error) {
	mode, err := strconv.ParseUint(p.Mode, 8, 9)
	if err != nil {
		return 0, fmt.Errorf("push: mode: expected octal permissions, found %q", p.Mode)
	}
	return fs.FileMode(mode), nil
}

// Send copies the file to the host unless it is there, and verifies it on the host. sent is false
// if it was there. say receives the progress.
func (p Push) Send(ctx context.Context, mode fs.FileMode, key []byte, say func(string)) (sent bool, err error) {
	dial, stop := context.WithTimeout(ctx, p.Timeout.Duration)
	defer stop()
	client, err := remote.Dial(dial, p.Target, key)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	upload := remote.Upload{File: p.File, Dest: p.Dest, Mode: mode, SHA256: p.SHA256,
		Silence: p.Timeout.Duration, Say: say, Turn: p.turn(say)}
	if sent, err = client.Push(ctx, upload); err != nil || !p.Images {
		return sent, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.Timeout.Duration)
	defer cancel()
	names, err := namesIn(p.File)
	if err != nil {
		return sent, fmt.Errorf("images of %w", err)
	}
	// Even if it was sent already: the run that sent it may have been interrupted before the
	// import.
	if _, err := client.Run(ctx, importScript(containerdSocket, p.Dest, names), nil); err != nil {
		return sent, fmt.Errorf("import the images of %s: %w", p.Dest, err)
	}
	return sent, nil
}

// turn waits until no other push of this project sends to the host. Thirty at once overload a small
// host, and on a slow line none would finish soon. The lock is a file of this project.
func (p Push) turn(say func(string)) func(context.Context) (func(), error) {
	path := filepath.Join(".strata", "push-"+net.JoinHostPort(p.Target.Address, strconv.Itoa(p.Target.Port))+".lock")
	return func(ctx context.Context) (func(), error) {
		return lockfile.Lock(ctx, path, func() {
			say(filepath.Base(p.Dest) + " waits for another file on its way to " + p.Target.Name)
		})
	}
}

// containerdSocket is the socket of K3s's containerd.
const containerdSocket = "/run/k3s/containerd/containerd.sock"

//go:embed import.sh
var importText string

// importScript returns the script that loads an archive of images into the containerd behind a
// socket, if one answers there.
func importScript(socket, archive string, images []string) string {
	return fmt.Sprintf("socket=%s archive=%s images=%s\n", remote.Quote(socket), remote.Quote(archive),
		remote.Quote(strings.Join(images, "\n"))) + importText
}
