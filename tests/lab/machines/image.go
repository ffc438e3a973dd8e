package machines

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"strata/tests/lab/machines/host"
)

// ensureImage extracts the spec's image, unless an image with the same checksum is extracted. It
// verifies the checksum while it extracts, and renames the directory to its final name only if the
// checksum is right.
func ensureImage(ctx context.Context, spec Spec, log *Log) error {
	unlock, err := host.Lock(ctx, "image-"+spec.ImageSHA256[:12])
	if err != nil {
		return err
	}
	defer unlock()
	final := imageDir(spec.ImageSHA256)
	if _, err := os.Stat(final); err == nil {
		return nil
	}
	tar, err := os.Open(spec.Image)
	if err != nil {
		return fmt.Errorf("opening the machine image (build it with tests/lab/image/build.sh): %w", err)
	}
	defer func() { _ = tar.Close() }()
	if err := checkSpaceFor(tar); err != nil {
		return err
	}
	log.Printf("extracting image %s", spec.Image)
	if err := os.MkdirAll(imagesDir(), 0o700); err != nil {
		return fmt.Errorf("making the image directory: %w", err)
	}
	partial := final + ".partial"
	if err := os.RemoveAll(partial); err != nil {
		return fmt.Errorf("removing an interrupted extraction: %w", err)
	}
	if err := extractInto(ctx, partial, tar, spec); err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	return os.Rename(partial, final)
}

func extractInto(ctx context.Context, dir string, tar io.Reader, spec Spec) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	sum := sha256.New()
	in := io.TeeReader(tar, sum)
	cmd := exec.CommandContext(ctx, "tar", "--extract", "--preserve-permissions", "--numeric-owner", "--xattrs",
		"--xattrs-include=*", "--directory", dir)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = in, &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("extracting %s into %s: %w: %s", spec.Image, dir, err, lastLines(stderr.String(), 3))
	}
	// tar stops reading at its end mark, but the checksum covers the whole file.
	if _, err := io.Copy(io.Discard, in); err != nil {
		return fmt.Errorf("reading %s: %w", spec.Image, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != spec.ImageSHA256 {
		return fmt.Errorf("machine image %s: expected sha256 %s, found %s; fetch or build it again",
			spec.Image, spec.ImageSHA256, got)
	}
	return nil
}

// removeImage removes an extracted image if no machine uses it.
func removeImage(ctx context.Context, sha string) error {
	unlock, err := host.Lock(ctx, "image-"+sha[:12])
	if err != nil {
		return err
	}
	defer unlock()
	specs, err := allSpecs()
	if err != nil {
		return err
	}
	for _, other := range specs {
		if other.ImageSHA256[:12] == sha[:12] {
			return nil
		}
	}
	for _, path := range []string{imageDir(sha), imageDir(sha) + ".partial"} {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("removing image: %w", err)
		}
	}
	return nil
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
