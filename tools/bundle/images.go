package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"strata/artifacts"
	"strata/artifacts/ownimage"
	"strata/config"
	"strata/platform"
	"strata/tools/bundle/images"
	"strata/tools/bundle/registry"
)

// pullsAtOnce is the number of parallel pulls, small enough not to overload registries.
const pullsAtOnce = 4

// images writes an archive of each image that the stack uses with this bundle.
func (b *bundle) images(ctx context.Context) error {
	if err := errors.Join(b.keepUnfinished(), b.write()); err != nil {
		return err
	}
	cfg, err := b.configuration(b.dir)
	if err != nil {
		return err
	}
	asked, err := b.listImages(ctx, cfg)
	if err != nil {
		return err
	}
	puller := pullerOf(cfg)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(pullsAtOnce)
	var mutex sync.Mutex
	for _, image := range asked {
		group.Go(func() error {
			entry, locked, err := b.image(ctx, puller, image)
			if err != nil {
				return fmt.Errorf("%w; %s asks for it", err, image.By)
			}
			mutex.Lock()
			defer mutex.Unlock()
			if locked != nil {
				b.lock = b.lock.With([]artifacts.Locked{*locked})
			}
			return b.add(entry)
		})
	}
	err = group.Wait()
	slices.SortFunc(b.now, func(a, b artifacts.Entry) int {
		return strings.Compare(a.Path,
			b.Path)
	})
	return err
}

// listImages returns the images of the stack's program.
func (b *bundle) listImages(ctx context.Context, cfg *config.Config) ([]images.Image, error) {
	files, err := artifacts.Resolve(cfg, b.project)
	if err != nil {
		return nil, err
	}
	registered, err := platform.Registrations(ctx, cfg, files, b.project)
	if err != nil {
		return nil, err
	}
	kubernetes := config.K3sVersion
	// For an existing cluster, K3s is no artifact, and the cluster's version is not known.
	if k3s, err := files.Get(config.ArtifactK3s); err == nil {
		kubernetes = k3s.Version
	}
	return images.Collect(registered, files.Artifacts(), b.project, kubernetes)
}

// pullerOf returns a puller that uses the registries of the stack's nodes.
func pullerOf(cfg *config.Config) *registry.Puller {
	return &registry.Puller{Registries: cfg.K3s.Registries, OnlyMirrors: onlyMirrors(cfg),
		Arch: archOf(cfg)}
}

// onlyMirrors reports whether nodes use only mirrors for a registry that has mirrors.
func onlyMirrors(cfg *config.Config) bool {
	only, _ := cfg.K3s.ServerArgs["disable-default-registry-endpoint"].(bool)
	return only
}

// image writes the archive of one image, pulled or built, and returns its manifest entry. The lock
// entry is nil for an image that is built from this repository.
func (b *bundle) image(
	ctx context.Context, puller *registry.Puller, image images.Image,
) (artifacts.Entry, *artifacts.Locked, error) {
	entry := artifacts.Entry{
		Name: config.ArtifactK3sImages, Version: version(image.Reference), Arch: puller.Arch,
		For:  image.For,
		Path: path.Join(imagesFolder, unfit.ReplaceAllString(image.Reference, "-")+".tar"),
	}
	file := filepath.Join(b.dir, entry.Path)
	for _, own := range config.OwnImages {
		if image.Reference == own.BundleReference() {
			b.say("image %s: built from %s", image.Reference, own.Folder)
			entry.Origin = "real: " + own.Folder
			return entry, nil, ownimage.Write(ctx, b.project, own, image.Reference,
				puller.Arch, file)
		}
	}
	pin := artifacts.ImagePin(image.Reference, entry.Version, puller.Arch)
	digest := ""
	known, again := b.lock.Find(pin)
	if again {
		digest = "sha256:" + known.SHA256
		entry.Origin = origin(image.Reference, digest)
		if sum, still := b.formerSum(entry.Origin, entry.Path); still {
			entry.SHA256 = sum
			b.say("image %s: already here", image.Reference)
			return entry, &known, nil
		}
	}
	pulled, err := puller.Pull(ctx, image.Reference, digest)
	if err != nil && digest != "" {
		return entry, nil, fmt.Errorf(
			"%w; %s has it with %s: remove that entry to take what the tag is now", err,
			artifacts.LockFile, digest)
	}
	if err != nil {
		return entry, nil, err
	}
	b.say("image %s: %s", image.Reference, pulled.Digest)
	if again {
		pulled.Digests = known.Digests // the digest of one image does not tell the digest of its index
	}
	entry.Origin = origin(image.Reference, pulled.Digest)
	size, err := pulled.Write(file)
	return entry, &artifacts.Locked{
		Name: pin.Name, Version: pin.Version, Arch: pin.Arch, URL: pin.URL,
		SHA256: strings.TrimPrefix(pulled.Digest, "sha256:"), Size: size,
		Digests: pulled.Digests,
	}, err
}

// origin returns an image's source and digest.
func origin(reference, digest string) string {
	reference, _, _ = strings.Cut(reference, "@")
	return "real: " + reference + "@" + digest
}

// unfit matches the characters that a file name cannot have.
var unfit = regexp.MustCompile(`[^A-Za-z0-9.+_-]+`)

// version returns the last part of an image's name with its tag, by which users tell archives
// apart.
func version(reference string) string { return unfit.ReplaceAllString(path.Base(reference), "-") }
