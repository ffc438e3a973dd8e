package ownimage

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"strata/internal/files/digest"
)

// user is the numeric user and group of the images, the same as in distroless images. The kubelet
// cannot check runAsNonRoot for a user name.
const user = "65532:65532"

// contents describes an image that contains one program and no other file.
type contents struct {
	// reference is the image's name in Pods, arch its architecture as in GOARCH.
	reference, arch string
	// name is the program's file name in the image's root folder.
	name    string
	program []byte
}

// file is one entry of a tar archive.
type file struct {
	name    string
	mode    int64
	content []byte
}

// archive writes the image in the format of `docker save`, which containerd, Docker, kind, k3d and
// skopeo read. It contains one layer, the configuration, and a manifest
// (github.com/moby/docker-image-spec, spec.md, "Combined Image JSON + Filesystem Changeset
// Format"). No entry has a time, so equal contents give equal bytes.
func archive(out io.Writer, image contents) error {
	var layer bytes.Buffer
	if err := pack(&layer, file{image.name, 0o755, image.program}); err != nil {
		return err
	}
	config, err := json.Marshal(map[string]any{
		"architecture": image.arch, "os": "linux",
		"config": map[string]any{"User": user, "WorkingDir": "/", "Env": []string{"PATH=/"},
			"Entrypoint": []string{"/" + image.name}},
		"rootfs": map[string]any{"type": "layers",
			"diff_ids": []string{"sha256:" + digest.Sum(layer.Bytes())}},
	})
	if err != nil {
		return err
	}
	settings, blob := digest.Sum(config)+".json", digest.Sum(layer.Bytes())+".tar"
	list, err := json.Marshal(
		[]any{map[string]any{"Config": settings, "RepoTags": []string{image.reference},
			"Layers": []string{blob}}})
	if err != nil {
		return err
	}
	return pack(out, file{settings, 0o644, config}, file{blob, 0o644, layer.Bytes()},
		file{"manifest.json", 0o644, list})
}

func pack(out io.Writer, files ...file) error {
	tarred := tar.NewWriter(out)
	for _, one := range files {
		header := &tar.Header{Name: one.name, Mode: one.mode, Size: int64(len(one.content)),
			Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if err := tarred.WriteHeader(header); err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		if _, err := tarred.Write(one.content); err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
	}
	return tarred.Close()
}
