package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Files of the lab's own that stories change or command; an original in their place may not be
// there to be changed so.
const (
	labsK3s              = "k3s/k3s"
	labsAPISIXController = "images/apisix-ingress-controller.tar.zst"
)

// originOf returns the origin in the bundle of the first artifact that is asked for; empty without
// one.
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

// isTheLabs reports whether the bundle has the lab's own file at a path, and not an original in its
// place.
func isTheLabs(t *testing.T, file string) bool {
	t.Helper()
	origin := originOf(t, func(_, path string) bool { return path == file })
	return origin != "" && !strings.HasPrefix(origin, "original:")
}

// needsTheLabs skips a story, or a step of one, that an original cannot run.
func needsTheLabs(t *testing.T, file, why string) {
	t.Helper()
	if !isTheLabs(t, file) {
		t.Skipf("the bundle has an original in the place of the lab's %s: %s", file, why)
	}
}
