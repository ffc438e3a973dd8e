package pulumihome

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"strata/tests/lab/internal/bundle"
)

// Paths in a PULUMI_HOME.
const (
	// CLIPath is the path of the command pulumi.
	CLIPath = "bin/pulumi"
	// LauncherPath is the path where the CLI looks for the Go language host. The lab's launcher is
	// there.
	LauncherPath = "bin/pulumi-language-go"
	// HostPath is the path of the real language host, which the launcher starts.
	HostPath = "lib/pulumi-language-go"
)

// PluginFolder returns the folder where the CLI looks for a resource plugin.
func PluginFolder(name, version string) string {
	return fmt.Sprintf("plugins/resource-%s-v%s", name, version)
}

// CLI has the paths of the built CLI, launcher and language host.
type CLI struct{ Pulumi, Launcher, Host string }

// Install installs the CLI, the launcher and the language host into home.
func (c CLI) Install(home string) error {
	// Install the language host before the launcher, which needs it. Install the CLI last, because
	// its presence means that the folder is complete.
	for _, pair := range [][2]string{{c.Host, HostPath}, {c.Launcher, LauncherPath}, {c.Pulumi, CLIPath}} {
		if err := place(pair[0], filepath.Join(home, pair[1])); err != nil {
			return err
		}
	}
	return os.MkdirAll(filepath.Join(home, "plugins"), 0o755)
}

// InstallPlugin installs a resource plugin into home.
func InstallPlugin(home, name, version, binary string) error {
	return place(binary, filepath.Join(home, PluginFolder(name, version), "pulumi-resource-"+name))
}

// WriteManifest writes the manifest of home, unless it is unchanged.
func WriteManifest(home string, manifest bundle.Manifest) error {
	text, err := manifest.Encode()
	if err != nil {
		return err
	}
	path := filepath.Join(home, bundle.ManifestFile)
	have, err := os.ReadFile(path)
	if err == nil && bytes.Equal(have, text) {
		return nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("reading the manifest: %w", err)
	}
	part := path + ".part"
	if err := os.WriteFile(part, text, 0o644); err != nil {
		return fmt.Errorf("writing the manifest: %w", err)
	}
	if err := os.Rename(part, path); err != nil {
		return fmt.Errorf("writing the manifest: %w", err)
	}
	return nil
}

// place installs source at target with a rename. It does nothing if target is the same file or has
// the same size and modification time.
func place(source, target string) error {
	want, err := os.Stat(source)
	if err != nil {
		return fmt.Errorf("installing %s: %w", target, err)
	}
	have, err := os.Stat(target)
	if err == nil && (os.SameFile(want, have) || want.Size() == have.Size() && want.ModTime().Equal(have.ModTime())) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return fmt.Errorf("installing %s: %w", target, err)
	}
	stage, err := os.MkdirTemp(filepath.Dir(target), ".installing-")
	if err != nil {
		return fmt.Errorf("installing %s: %w", target, err)
	}
	defer func() { _ = os.RemoveAll(stage) }()
	part := filepath.Join(stage, filepath.Base(target))
	if err := bundle.Place(source, part); err != nil {
		return fmt.Errorf("installing %s: %w", target, err)
	}
	if err := os.Chtimes(part, want.ModTime(), want.ModTime()); err != nil {
		return fmt.Errorf("installing %s: %w", target, err)
	}
	if err := os.Rename(part, target); err != nil {
		return fmt.Errorf("installing %s: %w", target, err)
	}
	return nil
}
