package node

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/remote"
)

// Push is a file that a host is to have. It is what `strata push` reads on stdin.
type Push struct {
	// Dest is the absolute path on the host, Mode its mode in octal, for example 0755.
	Dest string `json:"dest"`
	// File is the local file, SHA256 what it must be.
	File string `json:"file"`
	// Images says that the file is an archive of container images, to be loaded if K3s runs.
	Images bool          `json:"images,omitempty"`
	Mode   string        `json:"mode"`
	SHA256 string        `json:"sha256"`
	Target remote.Target `json:"target"`
	// Timeout bounds the whole.
	Timeout metav1.Duration `json:"timeout"`
}

// Permissions are the mode, read.
func (p Push) Permissions() (fs.FileMode, error) {
	mode, err := strconv.ParseUint(p.Mode, 8, 9)
	if err != nil {
		return 0, fmt.Errorf("push: mode: expected octal permissions, found %q", p.Mode)
	}
	return fs.FileMode(mode), nil
}

// Send copies the file to the host unless it is there, and verifies it at the other end. sent is false where it was there.
func (p Push) Send(ctx context.Context, mode fs.FileMode, key []byte) (sent bool, err error) {
	client, err := remote.Dial(ctx, p.Target, key)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	client.SetDeadAfter(diskStall)
	if sent, err = client.Push(ctx, p.File, p.Dest, mode, p.SHA256); err != nil || !p.Images {
		return sent, err
	}
	names, err := namesIn(p.File)
	if err != nil {
		return sent, fmt.Errorf("images of %w", err)
	}
	// Also where it was sent already: the run that sent it may have been cut off before the import.
	if _, err := client.Run(ctx, importScript(containerdSocket, p.Dest, names), nil); err != nil {
		return sent, fmt.Errorf("import the images of %s: %w", p.Dest, err)
	}
	return sent, nil
}

// containerdSocket is where K3s's containerd listens.
const containerdSocket = "/run/k3s/containerd/containerd.sock"

//go:embed import.sh
var importText string

// importScript is the script that loads an archive of images into the containerd behind a socket, if one answers there.
func importScript(socket, archive string, images []string) string {
	return fmt.Sprintf("socket=%s archive=%s images=%s\n", remote.Quote(socket), remote.Quote(archive), remote.Quote(strings.Join(images, "\n"))) + importText
}
