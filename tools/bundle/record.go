package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"strata/artifacts"
	"strata/config"
	"strata/tools/bundle/registry"
)

// record adds the digests of the images that a stack's nodes pull to the project's lock. An image
// that no registry serves is reported and not recorded. If an image differs from the lock, record
// fails and writes nothing.
func record(ctx context.Context, project, stack, file string, out io.Writer) error {
	if err := absolute(&project, &file); err != nil {
		return err
	}
	cfg, err := config.OfStack(project, stack, file)
	if err != nil {
		return err
	}
	b := &bundle{project: project, stack: stack, stackFile: file, out: out}
	if cfg.Artifacts.Source != config.SourceUpstream {
		b.say("stack %s: its images come from the bundle %s, and none is recorded", stack,
			cfg.Artifacts.Source)
		return nil
	}
	if b.lock, err = artifacts.ReadLock(project); err != nil {
		return err
	}
	asked, err := b.listImages(ctx, cfg)
	if err != nil {
		return err
	}
	recorded, wrong := make([]artifacts.Locked, len(asked)), make([]error, len(asked))
	group := errgroup.Group{}
	group.SetLimit(pullsAtOnce)
	puller := pullerOf(cfg)
	for i, image := range asked {
		group.Go(func() error {
			recorded[i], wrong[i] = b.digests(ctx, puller, image.Reference)
			return nil
		})
	}
	if err := errors.Join(append(wrong, group.Wait())...); err != nil {
		return err
	}
	recorded = slices.DeleteFunc(recorded,
		func(one artifacts.Locked) bool { return one.SHA256 == "" })
	b.say("stack %s: %s has the digests of %d of %d images", stack, artifacts.LockFile,
		len(recorded), len(asked))
	return b.lock.With(recorded).Write(project)
}

// digests returns an image's entry for the lock, as its registry serves it now. The entry has no
// sum if nothing can be recorded.
func (b *bundle) digests(
	ctx context.Context, puller *registry.Puller, reference string,
) (artifacts.Locked, error) {
	if strings.HasPrefix(reference, "localhost/") || strings.Contains(reference, "@") {
		return artifacts.Locked{}, nil // no registry has a localhost image, and containerd verifies a digest itself
	}
	pin := artifacts.ImagePin(reference, version(reference), puller.Arch)
	known, again := b.lock.Find(pin)
	pulled, err := puller.Pull(ctx, reference, "")
	if ctx.Err() != nil {
		return artifacts.Locked{}, ctx.Err()
	}
	if err != nil {
		b.say("not recorded, and not compared with what runs: %v", err)
		return artifacts.Locked{}, nil
	}
	sum := strings.TrimPrefix(pulled.Digest, "sha256:")
	if again && known.SHA256 != sum {
		return artifacts.Locked{}, fmt.Errorf(
			"image %s: expected sha256:%s, which %s has, found sha256:%s: "+
				"its tag was pushed again; remove that entry to take it",
			reference, known.SHA256, artifacts.LockFile, sum)
	}
	b.say("image %s: %s", reference, pulled.Digests[0])
	// A registry gets a new index when a platform is added, although the image for this
	// architecture is unchanged. So the lock keeps its recorded digests beside the pulled ones.
	return artifacts.Locked{
		Name: pin.Name, Version: pin.Version, Arch: pin.Arch, URL: pin.URL, SHA256: sum,
		Size:    known.Size,
		Digests: artifacts.Union(pulled.Digests, known.Digests),
	}, nil
}
