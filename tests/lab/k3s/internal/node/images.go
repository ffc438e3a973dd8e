package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/sirupsen/logrus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// imageCache is the file that makes K3s skip archives which an earlier start has imported. K3s
// never creates it. Users who want the cache create an empty file (k3s-io/k3s
// pkg/agent/containerd/watcher.go, loadCache and syncCache).
const imageCache = ".cache.json"

// imported is the cache entry of an archive. Its key is the archive's path.
type imported struct {
	Size    int64       `json:"size"`
	ModTime metav1.Time `json:"modTime"`
}

// importImages imports the image archives in agent/images before kubelet starts. Every start
// imports all archives that are not in the cache. As in K3s, an archive that cannot be imported is
// only logged.
func (c *Config) importImages(ctx context.Context) {
	importArchives(c.agentPath("images"), func(file string) error { return c.importImage(ctx, file) })
}

// importArchives imports the archives in a folder, and updates the cache file if it exists.
func importArchives(dir string, load func(file string) error) {
	known, cached := loadCache(filepath.Join(dir, imageCache))
	seen := map[string]imported{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || !isArchive(path) {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if before, found := known[path]; found && !changed(before, info) {
			seen[path] = before
			return nil
		}
		if err := load(path); err != nil {
			logrus.Errorf("Failed to process image event: failed to import %s: %v", path, err)
			return nil
		}
		seen[path] = imported{info.Size(), metav1.NewTime(info.ModTime())}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		logrus.Errorf("Unable to read the image folder: %v", err)
	}
	if cached {
		saveCache(filepath.Join(dir, imageCache), seen)
	}
}

// changed reports whether an archive must be imported again. As in K3s, it must have another size
// and be newer.
func changed(before imported, now fs.FileInfo) bool {
	return now.Size() != before.Size && now.ModTime().After(before.ModTime.Time)
}

// importImage imports an archive without unpacking it, as K3s does. Images are unpacked on nodes
// where a Pod uses them (k3s-io/k3s pkg/agent/containerd/containerd.go, preloadFile).
func (c *Config) importImage(ctx context.Context, file string) error {
	start := time.Now()
	logrus.Infof("Importing images from %s", file)
	archive, err := openArchive(file)
	if err != nil {
		return err
	}
	defer func() { _ = archive.Close() }()
	load := exec.CommandContext(ctx, filepath.Join(c.binDir(), "ctr"), "--address", Socket, "--namespace", "k8s.io", "images", "import", "--no-unpack", "-")
	load.Stdin = archive
	if out, err := load.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	logrus.Infof("Imported images from %s in %s", file, time.Since(start).Round(time.Millisecond))
	return nil
}

// openArchive opens the tar in an archive. Like K3s, it recognizes zstd by the file extension
// (rancher/wharfie pkg/tarfile). It decompresses zstd itself, because Debian's containerd cannot.
func openArchive(file string) (io.ReadCloser, error) {
	packed, err := os.Open(file)
	if err != nil || !strings.HasSuffix(file, "zst") {
		return packed, err
	}
	unpacked, err := zstd.NewReader(packed)
	if err != nil {
		return nil, errors.Join(err, packed.Close())
	}
	return readCloser{unpacked, func() error {
		unpacked.Close()
		return packed.Close()
	}}, nil
}

// readCloser combines a reader with a separate close function.
type readCloser struct {
	io.Reader
	close func() error
}

func (r readCloser) Close() error { return r.close() }

// loadCache returns the cache entries, and reports whether the cache file exists. An empty file has
// no entries.
func loadCache(file string) (known map[string]imported, found bool) {
	data, err := os.ReadFile(file)
	if err == nil && len(data) > 0 {
		err = json.Unmarshal(data, &known)
	}
	if err != nil && !os.IsNotExist(err) {
		logrus.Errorf("Failed to read image import fileinfo cache: %v", err)
	}
	return known, !os.IsNotExist(err)
}

func saveCache(file string, known map[string]imported) {
	data, err := json.Marshal(known)
	if err == nil {
		err = os.WriteFile(file, data, 0o644)
	}
	if err != nil {
		logrus.Errorf("Failed to write image import fileinfo cache: %v", err)
	}
}

func isArchive(name string) bool {
	for _, suffix := range []string{".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}
