package imagetar

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Image is one image to write.
type Image struct {
	// Reference is the full name with registry and tag, as Pods ask for it.
	Reference string
	// Binary is the file to put at the image's root under its own name; it is the entry point.
	Binary string
	// User is the numeric user and group that the image runs as; 0 is root.
	User int
}

// Write writes the image into an archive of its own: with several images, the library's order changes from run to run.
func (i Image) Write(out string) error {
	tag, err := name.NewTag(canonical(i.Reference), name.StrictValidation)
	if err != nil {
		return fmt.Errorf("image %s: %w", i.Reference, err)
	}
	image, err := i.make()
	if err != nil {
		return fmt.Errorf("image %s: %w", i.Reference, err)
	}
	if err := tarball.WriteToFile(out, tag, image); err != nil {
		return fmt.Errorf("image %s: writing %s: %w", i.Reference, out, err)
	}
	return nil
}

// canonical is the name under which containerd looks an image up: on docker.io, one that is in no folder is in library.
func canonical(reference string) string {
	path, ok := strings.CutPrefix(reference, "docker.io/")
	if !ok || strings.Contains(path, "/") {
		return reference
	}
	return "docker.io/library/" + path
}

func (i Image) make() (v1.Image, error) {
	content, err := os.ReadFile(i.Binary)
	if err != nil {
		return nil, fmt.Errorf("reading the binary: %w", err)
	}
	file := filepath.Base(i.Binary)
	layer, err := tarLayer(file, content)
	if err != nil {
		return nil, err
	}
	// Not compressed: packing and unpacking would cost more than the disk.
	image, err := mutate.AppendLayers(empty.Image, static.NewLayer(layer, types.DockerUncompressedLayer))
	if err != nil {
		return nil, fmt.Errorf("layer: %w", err)
	}
	return configure(image, "/"+file, i.User)
}

// configure sets what the kubelet and containerd read. No field has a time: the zero time is written.
func configure(image v1.Image, entrypoint string, user int) (v1.Image, error) {
	config, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", runtime.GOARCH
	id := strconv.Itoa(user)
	config.Config = v1.Config{
		Entrypoint: []string{entrypoint},
		User:       id + ":" + id,
		WorkingDir: "/",
		Env:        []string{"PATH=/"},
	}
	image, err = mutate.ConfigFile(image, config)
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	return image, nil
}

// tarLayer holds the binary and the folders that programs expect to exist: /tmp, and /etc for the files that the
// kubelet mounts there.
func tarLayer(file string, content []byte) ([]byte, error) {
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	headers := []tar.Header{
		{Typeflag: tar.TypeDir, Name: "etc/", Mode: 0o755},
		{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o1777},
		{Typeflag: tar.TypeReg, Name: path.Clean(file), Mode: 0o755, Size: int64(len(content))},
	}
	for _, header := range headers {
		if err := writer.WriteHeader(&header); err != nil {
			return nil, fmt.Errorf("layer: %w", err)
		}
	}
	if _, err := writer.Write(content); err != nil {
		return nil, fmt.Errorf("layer: %w", err)
	}
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("layer: %w", err)
	}
	return buffer.Bytes(), nil
}
