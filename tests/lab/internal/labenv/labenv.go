package labenv

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"strata/tests/lab/internal/layout"
)

// Variable is an environment variable.
type Variable struct{ Name, Value string }

// Prepare returns the environment variables, and creates the folders that they refer to. plugins is
// "official", or "stand-in", the default. wanted are the plugin folders that the official
// PULUMI_HOME must have.
func Prepare(at layout.Layout, plugins string, wanted []string) ([]Variable, error) {
	home, err := pulumiHome(at, plugins, wanted)
	if err != nil {
		return nil, err
	}
	state, temporary := filepath.Join(at.Local(), "state"), filepath.Join(at.Local(), "tmp")
	for _, dir := range []string{state, temporary} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("preparing the environment: %w", err)
		}
	}
	if err := clearStale(temporary); err != nil {
		return nil, err
	}
	if err := linkBundle(at); err != nil {
		return nil, err
	}
	passphrase := filepath.Join(at.Local(), "passphrase")
	if err := ensurePassphrase(passphrase); err != nil {
		return nil, err
	}
	return []Variable{
		{"PATH", filepath.Join(home, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH")},
		{"PULUMI_HOME", home},
		{"PULUMI_SKIP_UPDATE_CHECK", "true"},
		{"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION", "true"},
		// Without this setting, a plugin on PATH takes precedence over those in PULUMI_HOME.
		{"PULUMI_IGNORE_AMBIENT_PLUGINS", "true"},
		// Do not write metadata files beside the state. A kill may truncate such a file, and then
		// Pulumi cannot read the state (gocloud.dev/blob/fileblob/attrs.go).
		{"PULUMI_BACKEND_URL", "file://" + state + "?metadata=skip"},
		{"PULUMI_CONFIG_PASSPHRASE_FILE", passphrase},
		// Backups of each of hundreds of checkpoints would take longer than the run itself.
		{"PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS", "true"},
		// The official kubernetes plugin leaves a kubeconfig in $TMPDIR at each run. clearStale
		// removes it.
		{"TMPDIR", temporary},
		// The lab compiles everything with this setting. With the same setting, Pulumi reuses the
		// packages of the program that the lab has compiled.
		{"CGO_ENABLED", "0"},
	}, nil
}

// linkBundle links .strata/bundle, the path in the stack files of lab machines, to the lab's own
// bundle. No environment variable names the bundle, because then any other stack in the same shell
// would get the lab's K3s.
func linkBundle(at layout.Layout) error {
	at.Originals = ""
	link := filepath.Join(at.Local(), "bundle")
	if there, err := os.Readlink(link); err == nil && there == at.Bundle() {
		return nil
	}
	err := os.RemoveAll(link)
	if err == nil {
		err = os.Symlink(at.Bundle(), link)
	}
	if err != nil && !errors.Is(err, os.ErrExist) { // another process has created the link
		return fmt.Errorf("linking the bundle: %w", err)
	}
	return nil
}

// pulumiHome returns the PULUMI_HOME for a set of plugins. It fails if the CLI or a wanted plugin
// is missing.
func pulumiHome(at layout.Layout, plugins string, wanted []string) (string, error) {
	home := at.PulumiHome()
	switch plugins {
	case "", "stand-in":
		wanted = nil
	case "official":
		home = at.OfficialPulumiHome()
	default:
		return "", fmt.Errorf("PLUGINS=%s: expected stand-in or official", plugins)
	}
	if _, err := os.Stat(filepath.Join(home, "bin", "pulumi")); err != nil {
		return "", fmt.Errorf("the Pulumi CLI is not built: %w; run: go run ./cmd/lab build", err)
	}
	for _, folder := range wanted {
		if _, err := os.Stat(filepath.Join(home, folder)); err != nil {
			plugin := strings.Replace(strings.TrimPrefix(folder, "plugins/resource-"), "-v", " ", 1)
			return "", fmt.Errorf("PLUGINS=official: %w; where it can be downloaded: "+
				"PULUMI_HOME=%s %s/bin/pulumi plugin install resource %s",
				err, home, home, plugin)
		}
	}
	return home, nil
}

// Exports returns the variables as export lines for a shell's eval.
func Exports(variables []Variable) string {
	var text strings.Builder
	for _, variable := range variables {
		quoted := "'" + strings.ReplaceAll(variable.Value, "'", `'\''`) + "'"
		fmt.Fprintf(&text, "export %s=%s\n", variable.Name, quoted)
	}
	return text.String()
}
