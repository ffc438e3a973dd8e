package node

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
)

// importImages loads every image archive of agent/images before kubelet starts. As in K3s, one that does
// not load is logged and the node goes on.
func (c *Config) importImages(ctx context.Context) {
	entries, err := os.ReadDir(c.agentPath("images"))
	if err != nil {
		if !os.IsNotExist(err) {
			logrus.Errorf("Unable to read the image folder: %v", err)
		}
		return
	}
	for _, entry := range entries {
		file := filepath.Join(c.agentPath("images"), entry.Name())
		if entry.IsDir() || !isArchive(entry.Name()) {
			continue
		}
		start := time.Now()
		logrus.Infof("Importing images from %s", file)
		out, err := exec.CommandContext(ctx, filepath.Join(c.binDir(), "ctr"),
			"--address", Socket, "--namespace", "k8s.io", "images", "import", "--no-unpack=false", file).CombinedOutput()
		if err != nil {
			logrus.Errorf("Unable to import images from %s: %v: %s", file, err, strings.TrimSpace(string(out)))
			continue
		}
		logrus.Infof("Imported images from %s in %s", file, time.Since(start).Round(time.Millisecond))
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
