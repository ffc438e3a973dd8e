package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Stories change or replace these files of the lab. Upstream files may not allow that.
const (
	labsK3s              = "k3s/k3s"
	labsAPISIXController = "images/apisix-ingress-controller.tar.zst"
)

// originOf returns the origin of the bundle's first artifact for which is returns true; empty if
// there is none.
func originOf(t *testing.T, is func(name, path string) bool) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(bundle, "manifest.json"))
	require.NoError(t, err)
	var manifest struct {
		Artifacts []struct{ Name, Path, Origin string }
	}
	require.NoError(t, json.Unmarshal(text, &manifest))
	for _, a := range manifest.Artifacts {
		if is(a.Name, a.Path) {
			return a.Origin
		}
	}
	return ""
}

// isTheLabs reports whether a file of the bundle is the lab's own, and not from upstream.
func isTheLabs(t *testing.T, file string) bool {
	t.Helper()
	origin := originOf(t, func(_, path string) bool { return path == file })
	return origin != "" && !strings.HasPrefix(origin, "original:")
}

// needsTheLabs skips a story or a step that does not work with an upstream file.
func needsTheLabs(t *testing.T, file, why string) {
	t.Helper()
	if !isTheLabs(t, file) {
		t.Skipf("the bundle has an original in the place of the lab's %s: %s", file, why)
	}
}
