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

// entryFile describes an entry. It is written last, so it also marks the entry as complete.
const entryFile = ".entry.json"

// kept is the number of entries that the cache keeps of one name. It suffices to switch between two
// branches.
const kept = 3

// cache is a folder of entries that are named NAME-KEY.
type cache struct{ dir string }

func (c cache) path(name, key string) string { return filepath.Join(c.dir, name+"-"+key[:16]) }

// load returns the entry of a key, and whether it exists.
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

// stagePattern matches the folders in which a step is built. No step's name has a dot in it.
func (c cache) stagePattern(name string) string { return ".building-" + name + ".*" }

// sweep removes leftovers of a step's killed builds. The caller holds the step's lock, so no other
// process builds the step now.
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

// stage makes an empty folder beside the entries, so that publishing is a rename.
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

// publish describes a step's files in stage and moves them into place. If another build was faster,
// its result stays.
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

// describe lists the files below dir. It removes their write permission, because the bundle has
// hard links to them.
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

// prune removes the oldest entries of a name beyond the kept ones. Bundles keep their files,
// because they hold hard links.
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
		// "metallb-*" also matches entries of "metallb-chart", so the suffix must be a digest
		// alone.
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
