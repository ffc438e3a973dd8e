package labenv

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"strata/tests/lab/internal/layout"
)

// Variable is one variable of the environment.
type Variable struct{ Name, Value string }

// Prepare returns the environment for the set of plugins ("stand-in", also by default, or
// "official"), and creates the folders that it names. wanted are the folders that the official set
// must have in its PULUMI_HOME.
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
		// A plugin on PATH would win over the ones of PULUMI_HOME.
		{"PULUMI_IGNORE_AMBIENT_PLUGINS", "true"},
		// Metadata files beside the state are turned off. A kill may truncate such a file, and
		// Pulumi cannot read a state with a truncated one (gocloud.dev/blob/fileblob/attrs.go).
		{"PULUMI_BACKEND_URL", "file://" + state + "?metadata=skip"},
		{"PULUMI_CONFIG_PASSPHRASE_FILE", passphrase},
		// A backup of each of hundreds of checkpoints costs more than the run.
		{"PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS", "true"},
		// The official kubernetes plugin leaves a kubeconfig in $TMPDIR at each run.
		{"TMPDIR", temporary},
		// All that the lab compiles uses this setting, so the program's packages are compiled only
		// once.
		{"CGO_ENABLED", "0"},
	}, nil
}

// linkBundle links the lab's own bundle to the path in the stack files of the lab's machines. No
// variable names it, because in a shell with this environment, any other stack's hosts would get
// the lab's K3s.
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
	if err != nil && !errors.Is(err, os.ErrExist) { // another call has linked it
		return fmt.Errorf("linking the bundle: %w", err)
	}
	return nil
}

// pulumiHome picks the PULUMI_HOME and checks that it is complete.
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

// Exports renders variables as lines for a shell's eval.
func Exports(variables []Variable) string {
	var text strings.Builder
	for _, variable := range variables {
		quoted := "'" + strings.ReplaceAll(variable.Value, "'", `'\''`) + "'"
		fmt.Fprintf(&text, "export %s=%s\n", variable.Name, quoted)
	}
	return text.String()
}
