package ownimage

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"strata/config"
	"strata/internal/files/atomicfile"
)

// environment has the variables of every build. Without cgo, the program is static and runs in an
// empty image.
var environment = []string{"CGO_ENABLED=0", "GOOS=linux", "GOWORK=off",
	"GOFLAGS=-mod=readonly -buildvcs=false -trimpath"}

// Write compiles the image's program for an architecture (as in GOARCH), and writes the image
// archive to a file. The same sources and Go version give the same bytes. It needs Go on the PATH
// and the project's folder.
func Write(
	ctx context.Context, projectDir string, image config.OwnImage, reference, arch, file string,
) error {
	program, err := compile(ctx, filepath.Join(projectDir, image.Folder), arch)
	if err != nil {
		return fmt.Errorf("image %s: %w", image.Name, err)
	}
	var archived bytes.Buffer
	if err := archive(&archived,
		contents{reference: reference, arch: arch, name: image.Name,
			program: program}); err != nil {
		return fmt.Errorf("image %s: %w", image.Name, err)
	}
	return atomicfile.Write(file, archived.Bytes(), 0o644)
}

// compile returns the static binary of the command in a module's folder.
func compile(ctx context.Context, folder, arch string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "strata-image-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary := filepath.Join(dir, "program")
	build := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w -buildid=", "-o",
		binary, ".")
	build.Dir, build.Env = folder, append(os.Environ(), append(environment, "GOARCH="+arch)...)
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build in %s: %w: %s", folder, err,
			strings.TrimSpace(string(output)))
	}
	return os.ReadFile(binary)
}
