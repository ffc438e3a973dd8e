package imagetar

import (
	"errors"
	"fmt"
	"io"
	"os"
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
	"github.com/klauspost/compress/zstd"
)

// Image describes an image to write.
type Image struct {
	// Reference is the full image name with registry and tag, as Pods use it.
	Reference string
	// Root is a tar file for the base layer: programs and libraries. Optional.
	Root string
	// Binary is the file to add to the image. Optional if Root is set.
	Binary string
	// Path is the binary's path in the image. Default: the binary's file name in the root folder.
	Path string
	// Links are paths of symbolic links to the binary.
	Links []string
	// Entrypoint is the image's command. Default: the binary.
	Entrypoint []string
	// User is the numeric user and group of the image; 0 is root.
	User int
}

// Write writes the image to an archive that is compressed with zstd, like K3s's published archives.
// Compression reduces the bytes that each host receives to a third. An archive has one image,
// because the library writes several images in a random order.
func (i Image) Write(out string) error {
	tag, err := name.NewTag(canonical(i.Reference), name.StrictValidation)
	if err != nil {
		return fmt.Errorf("image %s: %w", i.Reference, err)
	}
	image, err := i.make()
	if err != nil {
		return fmt.Errorf("image %s: %w", i.Reference, err)
	}
	if err := pack(out, func(archive io.Writer) error { return tarball.Write(tag, image, archive) }); err != nil {
		return fmt.Errorf("image %s: writing %s: %w", i.Reference, out, err)
	}
	return nil
}

// pack creates a file and writes to it through a zstd compressor.
func pack(out string, write func(io.Writer) error) (err error) {
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	packer, err := zstd.NewWriter(file, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	return errors.Join(write(packer), packer.Close())
}

// canonical returns the name under which containerd looks for an image: a docker.io image without a
// namespace has the namespace library.
func canonical(reference string) string {
	path, ok := strings.CutPrefix(reference, "docker.io/")
	if !ok || strings.Contains(path, "/") {
		return reference
	}
	return "docker.io/library/" + path
}

func (i Image) make() (v1.Image, error) {
	var layers []v1.Layer
	if i.Root != "" {
		root, err := os.ReadFile(i.Root)
		if err != nil {
			return nil, fmt.Errorf("reading the root: %w", err)
		}
		layers = append(layers, plain(root))
	}
	if i.Binary != "" {
		own, err := i.layer()
		if err != nil {
			return nil, err
		}
		layers = append(layers, plain(own))
	}
	image, err := mutate.AppendLayers(empty.Image, layers...)
	if err != nil {
		return nil, fmt.Errorf("layers: %w", err)
	}
	entrypoint := i.Entrypoint
	if len(entrypoint) == 0 {
		entrypoint = []string{i.path()}
	}
	return i.configure(image, entrypoint)
}

// plain returns an uncompressed layer, because the whole archive is compressed.
func plain(content []byte) v1.Layer { return static.NewLayer(content, types.DockerUncompressedLayer) }

// path returns the binary's path in the image.
func (i Image) path() string {
	if i.Path != "" {
		return i.Path
	}
	return "/" + filepath.Base(i.Binary)
}

// configure sets the configuration fields that the kubelet and containerd read. It sets no time, so
// that equal inputs give equal bytes.
func (i Image) configure(image v1.Image, entrypoint []string) (v1.Image, error) {
	config, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", runtime.GOARCH
	id := strconv.Itoa(i.User)
	search := "PATH=/"
	if i.Root != "" || i.Path != "" {
		search = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	}
	config.Config = v1.Config{Entrypoint: entrypoint, User: id + ":" + id, WorkingDir: "/", Env: []string{search}}
	image, err = mutate.ConfigFile(image, config)
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	return image, nil
}
