package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// These are paths on this machine, which TestMain sets.
var (
	root       string // the checkout
	strata     string // the built program
	lab        string // the lab's program, which runs the machines
	bundle     string // the lab's artifacts
	pulumiHome string // the lab's Pulumi
)

func TestMain(m *testing.M) {
	if reason := cannotRun(); reason != "" {
		fmt.Println("skipped: e2e needs " + reason)
		os.Exit(0)
	}
	var err error
	if root, err = filepath.Abs("../.."); err != nil {
		panic(err)
	}
	strata, lab = filepath.Join(root, ".strata/bin/strata"), filepath.Join(root, ".strata/bin/lab")
	cache, err := os.UserCacheDir()
	if err != nil {
		panic(err)
	}
	kind := withOriginals(os.Getenv("ORIGINALS"))
	bundle = filepath.Join(cache, "strata/bundle"+kind)
	pulumiHome = filepath.Join(cache, "strata/pulumi-home"+kind)
	if given := os.Getenv("STRATA_ARTIFACTS"); given != "" {
		bundle = given
	}
	if os.Getenv("PLUGINS") == "official" {
		pulumiHome = filepath.Join(cache, "strata/pulumi-home-official")
	}
	for _, path := range []string{strata, lab, filepath.Join(bundle, "manifest.json"), filepath.Join(pulumiHome, "bin/pulumi")} {
		if _, err := os.Stat(path); err != nil {
			fmt.Fprintln(os.Stderr, "e2e: "+err.Error()+"; run `make ready` first")
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// withOriginals returns the suffix of the folders with the upstream artifacts of folder, like
// tests/lab/internal/layout; empty if folder is.
func withOriginals(folder string) string {
	if folder == "" {
		return ""
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(root, folder)
	}
	sum := sha256.Sum256([]byte(filepath.Clean(folder)))
	return "-originals-" + hex.EncodeToString(sum[:4])
}

// cannotRun names a requirement that this machine does not meet; empty if it meets all.
func cannotRun() string {
	if os.Geteuid() != 0 {
		return "root"
	}
	if _, err := exec.LookPath("systemd-nspawn"); err != nil {
		return "systemd-nspawn (make lab installs it)"
	}
	return ""
}
