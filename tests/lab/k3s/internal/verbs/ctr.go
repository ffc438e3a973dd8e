package verbs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// ctr runs containerd's command ctr. Like K3s's, its `images import` accepts archives that are
// compressed with zstd (containerd 2, core/transfer/archive/importer.go). Debian's older containerd
// does not.
func ctr(args []string) error {
	args = append([]string{"--address", socket, "--namespace", "k8s.io"}, args...)
	last := len(args) - 1
	if !slices.Contains(args, "import") || args[last] == "import" {
		return runTool("ctr", args)
	}
	archive := os.Stdin
	if args[last] != "-" {
		var err error
		if archive, err = os.Open(args[last]); err != nil {
			return fmt.Errorf("ctr: %w", err)
		}
		args[last] = "-"
	}
	content, err := unpacked(archive)
	if err != nil {
		return fmt.Errorf("ctr: %w", err)
	}
	command := exec.Command(toolPath("ctr"), args...)
	command.Stdin, command.Stdout, command.Stderr = content, os.Stdout, os.Stderr
	err = command.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		os.Exit(exit.ExitCode())
	}
	return err
}

// zstdMagic is the start of each zstd frame (RFC 8878, 3.1.1).
var zstdMagic = []byte{0x28, 0xB5, 0x2F, 0xFD}

// unpacked returns a reader of the tar in an archive.
func unpacked(archive io.Reader) (io.Reader, error) {
	content := bufio.NewReader(archive)
	if begin, err := content.Peek(len(zstdMagic)); err != nil || !bytes.Equal(begin, zstdMagic) {
		return content, nil // not zstd, or too short, which ctr reports
	}
	return zstd.NewReader(content)
}
