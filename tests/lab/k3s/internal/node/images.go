package node

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
)

// importImages loads the image archives of agent/images before kubelet starts. As in K3s, one that does
// not load is logged and the node goes on. What an earlier start loaded unchanged is left alone, which
// K3s does only when asked to (agent/images/.cache.json).
func (c *Config) importImages(ctx context.Context) {
	entries, err := os.ReadDir(c.agentPath("images"))
	if err != nil {
		if !os.IsNotExist(err) {
			logrus.Errorf("Unable to read the image folder: %v", err)
		}
		return
	}
	done := c.importedImages()
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || !isArchive(entry.Name()) {
			continue
		}
		mark := fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
		if done[entry.Name()] == mark {
			continue
		}
		if err := c.importImage(ctx, filepath.Join(c.agentPath("images"), entry.Name())); err != nil {
			logrus.Errorf("Unable to import images: %v", err)
			continue
		}
		done[entry.Name()] = mark
	}
	c.saveImported(done)
}

func (c *Config) importImage(ctx context.Context, file string) error {
	start := time.Now()
	logrus.Infof("Importing images from %s", file)
	out, err := exec.CommandContext(ctx, filepath.Join(c.binDir(), "ctr"),
		"--address", Socket, "--namespace", "k8s.io", "images", "import", file).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", file, err, strings.TrimSpace(string(out)))
	}
	logrus.Infof("Imported images from %s in %s", file, time.Since(start).Round(time.Millisecond))
	return nil
}

// importedFile lies in containerd's own folder, so that it goes when the images go.
func (c *Config) importedFile() string { return c.agentPath("containerd/imported.json") }

func (c *Config) importedImages() map[string]string {
	done := map[string]string{}
	data, err := os.ReadFile(c.importedFile())
	if err == nil {
		err = json.Unmarshal(data, &done)
	}
	if err != nil && !os.IsNotExist(err) {
		logrus.Warnf("All images are imported again: %v", err)
	}
	return done
}

func (c *Config) saveImported(done map[string]string) {
	data, err := json.Marshal(done)
	if err == nil {
		err = os.WriteFile(c.importedFile(), data, 0o600)
	}
	if err != nil {
		logrus.Warnf("The next start imports all images again: %v", err)
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
