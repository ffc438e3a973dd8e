package push

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"strata/internal/kube/imageref"
)

// namesIn returns the names that containerd gives to the images of an archive, sorted. An archive
// of `docker save` has them in manifest.json, an OCI layout in containerd's annotation in
// index.json (containerd core/images/archive/importer.go). The file's extension says whether it is
// compressed with gzip or zstd.
func namesIn(file string) (names []string, err error) {
	packed, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = packed.Close() }() // only read from
	content, err := decompress(file, packed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for reader := tar.NewReader(content); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			slices.Sort(names)
			return slices.Compact(names), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		found, err := namesOf(header.Name, reader)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, header.Name, err)
		}
		names = append(names, found...)
	}
}

func decompress(file string, packed io.Reader) (io.Reader, error) {
	switch {
	case strings.HasSuffix(file, "gz"):
		return gzip.NewReader(packed)
	case strings.HasSuffix(file, "zst"):
		// A decoder without concurrency has nothing to close.
		return zstd.NewReader(packed, zstd.WithDecoderConcurrency(1))
	}
	return packed, nil
}

// namesOf returns the image names in one file of an archive.
func namesOf(file string, content io.Reader) (names []string, err error) {
	const docker, oci = "manifest.json", "index.json"
	switch file {
	case docker:
		var images []struct{ RepoTags []string }
		err = json.NewDecoder(content).Decode(&images)
		for _, image := range images {
			for _, tag := range image.RepoTags {
				names = append(names, imageref.Whole(tag))
			}
		}
	case oci:
		var index struct {
			Manifests []struct{ Annotations map[string]string }
		}
		err = json.NewDecoder(content).Decode(&index)
		for _, manifest := range index.Manifests {
			if name := manifest.Annotations["io.containerd.image.name"]; name != "" {
				names = append(names, name)
			}
		}
	}
	return names, err
}
