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

// Layout has the paths of a checkout and of a user's caches. All are absolute.
type Layout struct {
	// Checkout is the root of the repository.
	Checkout string
	// Cache is the folder of all build outputs: ${XDG_CACHE_HOME:-~/.cache}/strata.
	Cache string
	// Originals is the folder of upstream artifacts that the variable ORIGINALS names. If it is
	// empty, the lab uses only its own builds.
	Originals string
}

// Find returns the layout of the checkout that contains dir. It fails if dir is in no checkout of
// Strata.
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

// originalsOf returns the folder that ORIGINALS names. A relative path is relative to the checkout,
// whatever the working directory is.
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

// Lab returns the folder tests/lab.
func (l Layout) Lab() string { return filepath.Join(l.Checkout, "tests", "lab") }

// Tools returns the cache folder of build outputs, which has one subfolder NAME-KEY for each
// output.
func (l Layout) Tools() string { return filepath.Join(l.Cache, "tools") }

// Record returns the path of the last record of a build that was not fully cached. It has the
// build's costs and estimates.
func (l Layout) Record() string {
	return filepath.Join(l.Cache, "last-build"+l.withOriginals()+".json")
}

// Bundle returns the default folder of the bundle. A bundle with upstream artifacts has a path of
// its own.
func (l Layout) Bundle() string { return filepath.Join(l.Cache, "bundle"+l.withOriginals()) }

// withOriginals returns the suffix of folders that contain upstream artifacts. It differs for each
// folder $ORIGINALS, because stacks with different folders may run at the same time. tests/e2e uses
// the same names.
func (l Layout) withOriginals() string {
	if l.Originals == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(l.Originals))
	return "-originals-" + hex.EncodeToString(sum[:4])
}

// ZeroBundle returns the folder of the bundle whose stand-ins have no artificial delays. Benchmarks
// use it.
func (l Layout) ZeroBundle() string { return filepath.Join(l.Cache, "bundle-zero-delays") }

// VMBundle returns the folder of the bundle that has the disk image of virtual machines. It is
// separate, because the image is built only on request.
func (l Layout) VMBundle() string { return filepath.Join(l.Cache, "vm-bundle") }

// PulumiHome returns the PULUMI_HOME that has the stand-in plugins, or the upstream plugins of
// Originals in their place.
func (l Layout) PulumiHome() string { return filepath.Join(l.Cache, "pulumi-home"+l.withOriginals()) }

// OfficialPulumiHome returns the PULUMI_HOME with the official plugins.
func (l Layout) OfficialPulumiHome() string { return filepath.Join(l.Cache, "pulumi-home-official") }

// Local returns the checkout's folder for files of runs, .strata. It is never committed.
func (l Layout) Local() string { return filepath.Join(l.Checkout, ".strata") }
