package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"strata/artifacts"
	"strata/config"
	"strata/internal/files/atomicfile"
	"strata/internal/files/digest"
	"strata/internal/files/lockfile"
)

// sumsFile has the sum of each file, in the format of sha256sum. It is written last: a folder
// without it is incomplete.
const sumsFile = "SHA256SUMS"

// filesFolder holds the downloads, and imagesFolder the archives of images.
const (
	filesFolder  = "files"
	imagesFolder = "images"
)

// bundle describes the bundle folder while `strata bundle make` fills it.
type bundle struct {
	project, stack, stackFile, dir string
	// lock is the project's lock, with the images' digests.
	lock *artifacts.Lock
	// fetched has the files that this run has downloaded. It becomes the lock of filesFolder.
	fetched *artifacts.Lock
	// before are the folder's entries from earlier runs, and now the entries of this run.
	before, now []artifacts.Entry
	out         io.Writer
	unlock      func()
}

// open locks a folder against other runs. It fails if the folder has files of another program.
func open(ctx context.Context, project, stack, file, dir string) (*bundle, error) {
	if stack == "" || file == "" || dir == "" {
		return nil, errors.New("a stack, its file and a folder are required")
	}
	if err := absolute(&project, &file, &dir); err != nil {
		return nil, err
	}
	b := &bundle{project: project, stack: stack, stackFile: file, dir: dir,
		fetched: &artifacts.Lock{}, out: os.Stderr}
	if err := b.isOurs(); err != nil {
		return nil, err
	}
	var err error
	if b.lock, err = artifacts.ReadLock(project); err != nil {
		return nil, err
	}
	for _, folder := range []string{filesFolder, imagesFolder} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return nil, err
		}
	}
	b.unlock, err = lockfile.Lock(ctx, filepath.Join(dir, ".lock"), func() {
		b.say("waiting for another run that makes %s", dir)
	})
	if err != nil {
		return nil, err
	}
	b.before = entriesBefore(dir)
	// From here on the bundle is incomplete until the sums exist again.
	return b, os.RemoveAll(filepath.Join(dir, sumsFile))
}

// close unlocks the folder. If the bundle is incomplete, close records its files, so that the next
// run can use or remove them.
func (b *bundle) close() error {
	defer b.unlock()
	return b.keepUnfinished()
}

// isOurs returns an error if the folder is not empty and has no .lock file, which every bundle run
// creates: files of others could be mistaken for the bundle's, or be deleted.
func (b *bundle) isOurs() error {
	entries, err := os.ReadDir(b.dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() == ".lock" {
			return nil
		}
	}
	return fmt.Errorf("%s is not empty, and no bundle that this command made: name a new folder", b.dir)
}

// configuration returns the stack's configuration with source as the source of its artifacts.
func (b *bundle) configuration(source string) (*config.Config, error) {
	for variable, value := range map[string]string{config.ArtifactsVariable: source,
		config.MachineImageVariable: source} {
		if err := os.Setenv(variable, value); err != nil {
			return nil, err
		}
	}
	return config.OfStack(b.project, b.stack, b.stackFile)
}

// add records a file of the folder, by its path relative to the folder. It computes the sum unless
// it is known.
func (b *bundle) add(entry artifacts.Entry) error {
	file := filepath.Join(b.dir, entry.Path)
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	entry.Size = info.Size()
	if entry.SHA256 == "" {
		if entry.SHA256, err = digest.File(file); err != nil {
			return err
		}
	}
	b.now = append(b.now, entry)
	return nil
}

// formerSum returns the sum that an earlier run recorded for a file of this origin and path. still
// is true if the file exists and has not changed since that run.
func (b *bundle) formerSum(origin, path string) (sum string, still bool) {
	i := slices.IndexFunc(b.before, func(entry artifacts.Entry) bool {
		return entry.Origin == origin && entry.Path == path
	})
	if i < 0 || artifacts.Verify(filepath.Join(b.dir, path), b.before[i].SHA256) != nil {
		return "", false
	}
	return b.before[i].SHA256, true
}

// write writes the manifest with the entries of this run.
func (b *bundle) write() error { return (&artifacts.Manifest{Artifacts: b.now}).Write(b.dir) }

// finish removes files of earlier runs, stores manifest, locks and sums, and prints the next steps.
func (b *bundle) finish() error {
	if err := errors.Join(b.removeSuperseded(), b.write(),
		b.fetched.Write(filepath.Join(b.dir, filesFolder)), b.lock.Write(b.project)); err != nil {
		return err
	}
	var sums strings.Builder
	var bytes int64
	for _, entry := range b.now {
		fmt.Fprintf(&sums, "%s  %s\n", entry.SHA256, entry.Path)
		bytes += entry.Size
	}
	sum, err := digest.File(filepath.Join(b.dir, artifacts.ManifestFile))
	if err != nil {
		return err
	}
	fmt.Fprintf(&sums, "%s  %s\n", sum, artifacts.ManifestFile)
	if err := atomicfile.Write(filepath.Join(b.dir, sumsFile), []byte(sums.String()),
		0o644); err != nil {
		return err
	}
	const mebi = 1 << 20
	b.say(
		"%s has all that stack %s needs: %d files, %d MiB. %s has the sums of what came from "+
			"elsewhere; commit it.\nOver there: read %s",
		b.dir, b.stack, len(b.now), bytes/mebi, artifacts.LockFile,
		filepath.Join(b.dir, readmeFile))
	return nil
}

// say prints the progress.
func (b *bundle) say(format string, args ...any) { _, _ = fmt.Fprintf(b.out, format+"\n", args...) }
