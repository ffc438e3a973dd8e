package registry

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// containerdName is the annotation with containerd's name for an imported image (its
// core/images/annotations.go).
const containerdName = "io.containerd.image.name"

// Names returns containerd's names for the image: the reference, and its repository with each of
// its digests, for a Pod that uses a digest.
func (p *Pulled) Names() []string {
	repository, _, _ := strings.Cut(p.Reference, "@")
	if slash, colon := strings.LastIndex(repository, "/"),
		strings.LastIndex(repository, ":"); colon > slash {
		repository = repository[:colon]
	}
	names := []string{p.Reference}
	for _, digest := range []string{p.Digest, p.index} {
		if name := repository + "@" + digest; digest != "" && name != p.Reference {
			names = append(names, name)
		}
	}
	return names
}

// Write writes the image into a file that appears when it is complete. The file is a tar with an
// OCI image layout (opencontainers/image-spec, image-layout.md). This layout keeps the registry's
// manifest, and so the image's digest. The same image gives the same bytes. Write returns the
// file's size.
func (p *Pulled) Write(file string) (size int64, err error) {
	temporary := file + ".part"
	out, err := os.Create(temporary)
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.Remove(temporary) }()
	if err := p.write(tar.NewWriter(out)); err != nil {
		_ = out.Close()
		return 0, fmt.Errorf("image %s: %w", p.Reference, err)
	}
	info, err := out.Stat()
	if err := errors.Join(err, out.Close()); err != nil {
		return 0, err
	}
	return info.Size(), os.Rename(temporary, file)
}

func (p *Pulled) write(to *tar.Writer) error {
	manifest, err := p.image.RawManifest()
	if err != nil {
		return err
	}
	index, err := p.layoutIndex(int64(len(manifest)))
	if err != nil {
		return err
	}
	settings, err := p.image.RawConfigFile()
	if err != nil {
		return err
	}
	parsed, err := p.image.Manifest()
	if err != nil {
		return err
	}
	digest, err := v1.NewHash(p.Digest)
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name    string
		content []byte
	}{
		{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)}, {"index.json", index},
		{blob(digest), manifest}, {blob(parsed.Config.Digest), settings},
	} {
		if err := put(to, file.name, int64(len(file.content)),
			bytes.NewReader(file.content)); err != nil {
			return err
		}
	}
	if err := p.layers(to); err != nil {
		return err
	}
	return to.Close()
}

// layers writes each layer once, unchanged from the registry.
func (p *Pulled) layers(to *tar.Writer) error {
	layers, err := p.image.Layers()
	if err != nil {
		return err
	}
	written := map[v1.Hash]bool{}
	for _, layer := range layers {
		digest, err := layer.Digest()
		if err != nil {
			return err
		}
		size, err := layer.Size()
		if err != nil {
			return err
		}
		if written[digest] {
			continue
		}
		written[digest] = true
		content, err := layer.Compressed() // it checks the digest at its end
		if err != nil {
			return err
		}
		if err := errors.Join(put(to, blob(digest), size, content), content.Close()); err != nil {
			return fmt.Errorf("layer %s: %w", digest, err)
		}
	}
	return nil
}

// layoutIndex returns an index that lists the one manifest under each of the image's names.
func (p *Pulled) layoutIndex(size int64) ([]byte, error) {
	mediaType, err := p.image.MediaType()
	if err != nil {
		return nil, err
	}
	digest, err := v1.NewHash(p.Digest)
	if err != nil {
		return nil, err
	}
	index := v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex}
	for _, name := range p.Names() {
		index.Manifests = append(index.Manifests, v1.Descriptor{
			MediaType: mediaType, Digest: digest, Size: size,
			Annotations: map[string]string{containerdName: name},
		})
	}
	return json.Marshal(index)
}

func blob(digest v1.Hash) string { return "blobs/" + digest.Algorithm + "/" + digest.Hex }

func put(to *tar.Writer, name string, size int64, content io.Reader) error {
	if err := to.WriteHeader(
		&tar.Header{Name: name, Mode: 0o644, Size: size, Typeflag: tar.TypeReg,
			Format: tar.FormatUSTAR}); err != nil {
		return err
	}
	_, err := io.Copy(to, content)
	return err
}
