package build

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// entryFile is the name of the file that describes a cache entry. It is written last, so its
// presence means that the entry is complete.
const entryFile = ".entry.json"

// kept is the number of entries that the cache keeps for each step. Three entries are enough to
// switch between two branches without a rebuild.
const kept = 3

// cache is a folder whose entries are subfolders with the name NAME-KEY.
type cache struct{ dir string }

func (c cache) path(name, key string) string { return filepath.Join(c.dir, name+"-"+key[:16]) }

// load returns the entry for a step's name and key, and reports whether the entry exists.
func (c cache) load(name, key string) (Entry, bool, error) {
	dir := c.path(name, key)
	text, err := os.ReadFile(filepath.Join(dir, entryFile))
	if errors.Is(err, os.ErrNotExist) {
		return Entry{}, false, nil
	}
	if err != nil {
		return Entry{}, false, fmt.Errorf("reading the cache: %w", err)
	}
	entry := Entry{Dir: dir, Cached: true}
	if err := json.Unmarshal(text, &entry); err != nil {
		return Entry{}, false, fmt.Errorf("reading the cache entry %s: %w; delete the folder", dir, err)
	}
	for _, file := range entry.Files {
		info, err := os.Stat(filepath.Join(dir, file.Path))
		if err != nil || info.Size() != file.Size {
			return Entry{}, false, fmt.Errorf("cache entry %s: %s is missing or has another size "+
				"than when it was built; delete the folder", dir, file.Path)
		}
	}
	return entry, true, nil
}

// stagePattern returns the pattern of the temporary folders in which a step is built. Step names
// contain no dot, so the pattern matches no other step's folders.
func (c cache) stagePattern(name string) string { return ".building-" + name + ".*" }

// sweep removes the temporary folders that interrupted builds of a step left behind. The caller
// holds the step's lock, so no other process is building the step.
func (c cache) sweep(name string) error {
	left, err := filepath.Glob(filepath.Join(c.dir, c.stagePattern(name)))
	if err != nil {
		return fmt.Errorf("sweeping the cache: %w", err)
	}
	for _, dir := range left {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("sweeping the cache: %w", err)
		}
	}
	return nil
}

// stage makes an empty temporary folder next to the entries, so that publish only has to rename it.
func (c cache) stage(name string) (string, error) {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return "", fmt.Errorf("creating the cache: %w", err)
	}
	dir, err := os.MkdirTemp(c.dir, c.stagePattern(name))
	if err != nil {
		return "", fmt.Errorf("creating the cache: %w", err)
	}
	return dir, os.Chmod(dir, 0o755)
}

// publish writes the entry file into stage, and renames stage to the entry's path. If another build
// has published the same key already, that entry stays.
func (c cache) publish(name, stage string, entry Entry) (Entry, error) {
	var err error
	if entry.Files, err = describe(stage); err != nil {
		return Entry{}, err
	}
	if len(entry.Files) == 0 {
		return Entry{}, errors.New("the step wrote no file")
	}
	text, err := json.MarshalIndent(entry, "", "  ")
	if err != nil {
		return Entry{}, fmt.Errorf("describing the cache entry: %w", err)
	}
	if err := os.WriteFile(filepath.Join(stage, entryFile), text, 0o644); err != nil {
		return Entry{}, fmt.Errorf("describing the cache entry: %w", err)
	}
	entry.Dir = c.path(name, entry.Key)
	if err := os.Rename(stage, entry.Dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return Entry{}, fmt.Errorf("publishing the cache entry: %w", err)
	}
	return entry, c.prune(name, entry.Dir)
}

// describe lists the files below dir with their digests. It also removes the files' write
// permission: a write would change bundles, which contain hard links to the files.
func describe(dir string) ([]File, error) {
	var files []File
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if err := os.Chmod(path, info.Mode().Perm()&0o555|0o444); err != nil {
			return err
		}
		sum, size, err := DigestFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		files = append(files, File{Path: filepath.ToSlash(relative), SHA256: sum, Size: size})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("describing the cache entry: %w", err)
	}
	sort.Slice(files, func(i, j int) bool { return files[i].Path < files[j].Path })
	return files, nil
}

// prune removes a step's oldest entries, and keeps the number in kept. Bundles keep the files of
// removed entries, because they contain hard links to these files.
func (c cache) prune(name, current string) error {
	found, err := filepath.Glob(filepath.Join(c.dir, name+"-*"))
	if err != nil {
		return fmt.Errorf("pruning the cache: %w", err)
	}
	ages := map[string]int64{}
	var old []string
	for _, dir := range found {
		info, err := os.Stat(dir)
		suffix := strings.TrimPrefix(filepath.Base(dir), name+"-")
		// The pattern "metallb-*" also matches entries of the step metallb-chart. So the rest of
		// the name must be a key alone.
		if err != nil || dir == current || len(suffix) != 16 || strings.Contains(suffix, "-") {
			continue
		}
		ages[dir] = info.ModTime().UnixNano()
		old = append(old, dir)
	}
	sort.Slice(old, func(i, j int) bool { return ages[old[i]] > ages[old[j]] })
	for i := kept - 1; i < len(old); i++ {
		if err := os.RemoveAll(old[i]); err != nil {
			return fmt.Errorf("pruning the cache: %w", err)
		}
	}
	return nil
}
