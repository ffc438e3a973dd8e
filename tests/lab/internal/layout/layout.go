package layout

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"strata/tests/lab/internal/originals"
)

// Layout holds the paths of one checkout and of one user's caches. All are absolute.
type Layout struct {
	// Checkout is the root of the repository.
	Checkout string
	// Cache is the folder of everything built: ${XDG_CACHE_HOME:-~/.cache}/strata.
	Cache string
	// Originals is the folder of originals that the variable ORIGINALS names. If it is empty, all
	// parts are the lab's own.
	Originals string
}

// Find returns the layout for the checkout that holds dir. It is an error when dir is in no
// checkout of Strata.
func Find(dir string) (Layout, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return Layout{}, fmt.Errorf("absolute path of %s: %w", dir, err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return Layout{}, fmt.Errorf("finding the cache folder: %w; set XDG_CACHE_HOME or HOME", err)
	}
	for at := start; ; at = filepath.Dir(at) {
		_, err := os.Stat(filepath.Join(at, "tests", "lab", "cmd", "lab"))
		if err == nil {
			return Layout{Checkout: at, Cache: filepath.Join(cache, "strata"), Originals: originalsOf(at)}, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return Layout{}, fmt.Errorf("looking for the checkout: %w", err)
		}
		if at == filepath.Dir(at) {
			return Layout{}, fmt.Errorf("%s is not in a checkout of Strata (no tests/lab/cmd/lab "+
				"above it); change into one", start)
		}
	}
}

// originalsOf returns the folder of originals; a relative path is relative to the checkout, from
// wherever the lab is called.
func originalsOf(checkout string) string {
	given := os.Getenv(originals.Variable)
	if given == "" {
		return ""
	}
	if filepath.IsAbs(given) {
		return filepath.Clean(given)
	}
	return filepath.Join(checkout, given)
}

// Lab returns the lab's own folder, tests/lab.
func (l Layout) Lab() string { return filepath.Join(l.Checkout, "tests", "lab") }

// Tools holds one folder per built tool, NAME-DIGEST.
func (l Layout) Tools() string { return filepath.Join(l.Cache, "tools") }

// Record returns the file of the last build that built something: its costs and its estimates.
func (l Layout) Record() string {
	return filepath.Join(l.Cache, "last-build"+l.withOriginals()+".json")
}

// Bundle returns the default folder of the assembled artifacts. A bundle with originals never
// replaces the one without.
func (l Layout) Bundle() string { return filepath.Join(l.Cache, "bundle"+l.withOriginals()) }

// withOriginals returns the end of the names of folders that hold originals. It is different for
// each folder of originals, because stacks with different ones may come up at once. tests/e2e uses
// the same names.
func (l Layout) withOriginals() string {
	if l.Originals == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(l.Originals))
	return "-originals-" + hex.EncodeToString(sum[:4])
}

// ZeroBundle returns the folder of the bundle whose stand-ins have no delays, for a benchmark.
func (l Layout) ZeroBundle() string { return filepath.Join(l.Cache, "bundle-zero-delays") }

// VMBundle returns the folder of the virtual machines' disk image, apart from Bundle: it is built
// only on request.
func (l Layout) VMBundle() string { return filepath.Join(l.Cache, "vm-bundle") }

// PulumiHome returns the PULUMI_HOME with the stand-in plugins, or with those of Originals in their
// place.
func (l Layout) PulumiHome() string { return filepath.Join(l.Cache, "pulumi-home"+l.withOriginals()) }

// OfficialPulumiHome returns the PULUMI_HOME with the official plugins.
func (l Layout) OfficialPulumiHome() string { return filepath.Join(l.Cache, "pulumi-home-official") }

// Local returns the folder in the checkout for a run's files; never committed.
func (l Layout) Local() string { return filepath.Join(l.Checkout, ".strata") }
