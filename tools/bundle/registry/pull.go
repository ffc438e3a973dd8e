package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"strata/config"
)

// Puller pulls images.
type Puller struct {
	// Registries are the stack's k3s.registries.
	Registries []config.Registry
	// OnlyMirrors leaves out an image's own registry if it has mirrors
	// (disable-default-registry-endpoint).
	OnlyMirrors bool
	// Arch is the nodes' architecture, in Go's terms.
	Arch string
}

// Pulled is an image in a registry. Its layers are read when the archive is written.
type Pulled struct {
	// Reference is the image's name in Pods.
	Reference string
	// Digest is the digest of the image for the architecture, as sha256:HEX.
	Digest string
	// Digests are all digests under which the registry serves the image. That of its index is
	// first, if there is one. Then come those of each platform's manifest.
	Digests []string
	image   v1.Image
	// index is the digest of the index for all architectures; empty if the image has no index.
	index string
}

// Pull finds the image of a reference. digest is the reference's former digest, or empty. If it is
// set, Pull requests that image, whatever the tag names now. The error has the answer of every
// registry and mirror that was asked.
func (p *Puller) Pull(ctx context.Context, reference, digest string) (*Pulled, error) {
	whole, err := name.ParseReference(reference)
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, from := range p.places(whole.Context()) {
		pulled, err := p.pullFrom(ctx, from, whole, digest)
		if err == nil {
			pulled.Reference = reference
			return pulled, nil
		}
		failed = append(failed, fmt.Errorf("%s: %w%s", from.name, err, from.advice(err)))
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("image %s: %w", reference, errors.Join(failed...))
}

// pullFrom requests the image at one place.
func (p *Puller) pullFrom(
	ctx context.Context, from place, whole name.Reference, digest string,
) (*Pulled, error) {
	if from.fault != nil {
		return nil, from.fault
	}
	asked := whole.Identifier()
	if digest != "" {
		asked = digest
	}
	var at name.Reference = from.repository.Tag(asked)
	if strings.HasPrefix(asked, "sha256:") {
		at = from.repository.Digest(asked)
	}
	described, err := remote.Get(at, remote.WithContext(ctx), remote.WithTransport(from.transport),
		remote.WithAuthFromKeychain(from.keychain),
		remote.WithPlatform(v1.Platform{OS: "linux", Architecture: p.Arch}))
	if err != nil {
		return nil, err
	}
	image, err := described.Image()
	if err != nil {
		return nil, err
	}
	found, err := image.Digest()
	if err != nil {
		return nil, err
	}
	settings, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	if settings.Architecture != p.Arch {
		return nil, fmt.Errorf("expected an image for linux/%s, found one for %s/%s", p.Arch,
			settings.OS, settings.Architecture)
	}
	pulled := &Pulled{Digest: found.String(), Digests: []string{found.String()}, image: image}
	if described.MediaType.IsIndex() {
		pulled.index = described.Digest.String()
		pulled.Digests, err = digestsOf(described)
	}
	return pulled, err
}

// digestsOf returns the digests of an index and of its images. It leaves out attestations, which no
// node runs and which have no platform.
func digestsOf(described *remote.Descriptor) ([]string, error) {
	index, err := described.ImageIndex()
	if err != nil {
		return nil, err
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	digests := []string{described.Digest.String()}
	for _, one := range manifest.Manifests {
		if one.Platform == nil || one.Platform.OS != "unknown" {
			digests = append(digests, one.Digest.String())
		}
	}
	return digests, nil
}

// advice returns how to supply a login that this command cannot read.
func (p place) advice(err error) string {
	var refused *transport.Error
	if errors.As(err, &refused) && refused.StatusCode == http.StatusUnauthorized {
		return "; docker login " + p.repository.RegistryStr() + " gives this command a login"
	}
	return ""
}
