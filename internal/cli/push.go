package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/remote"
)

// pushInput is what `strata push` reads.
type pushInput struct {
	Target remote.Target `json:"target"`
	// File is the local file, SHA256 what it must be.
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	// Dest is the absolute path on the host, Mode its mode in octal, for example 0755.
	Dest string `json:"dest"`
	Mode string `json:"mode"`
	// Images says that the file is an archive of container images, to be loaded if K3s runs.
	Images  bool            `json:"images,omitempty"`
	Timeout metav1.Duration `json:"timeout"`
}

// diskStall is for how long a host may be silent while it takes a file. A dozen archives at once, a gigabyte in all, have kept
// an sshd from answering for 8 s on a disk that others used as well; a memory card is slower than that.
const diskStall = time.Minute

// newPushCommand is `strata push`: it copies a file to a host unless it is there, verifies it at the other end, and prints its
// sum. The private key comes in STRATA_SSH_KEY.
func newPushCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "push",
		Short:  "Copy an artifact to a host (run by the program's own resources)",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: fromStdin("push", func(ctx context.Context, cmd *cobra.Command, input pushInput) error {
			mode, err := strconv.ParseUint(input.Mode, 8, 9)
			if err != nil {
				return &exitError{2, fmt.Errorf("push: mode: expected octal permissions, found %q", input.Mode)}
			}
			sent, err := push(ctx, input, fs.FileMode(mode))
			if err != nil {
				return err
			}
			if !sent {
				_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "%s has %s already\n", input.Target.Name, input.Dest)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), input.SHA256)
			return err
		}),
	}
}

func push(ctx context.Context, input pushInput, mode fs.FileMode) (sent bool, err error) {
	client, err := remote.Dial(ctx, input.Target, []byte(os.Getenv("STRATA_SSH_KEY")))
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	client.SetDeadAfter(diskStall)
	if sent, err = client.Push(ctx, input.File, input.Dest, mode, input.SHA256); err != nil || !input.Images {
		return sent, err
	}
	// Also where it was sent already: the run that sent it may have been cut off before the import.
	if _, err := client.Run(ctx, importScript(containerdSocket, input.Dest), nil); err != nil {
		return sent, fmt.Errorf("import the images of %s: %w", input.Dest, err)
	}
	return sent, nil
}
