package localstate

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"

	"strata/internal/files/atomicfile"
	"strata/internal/ssh/remote"
)

// chosenBy holds the environment variables that select a state backend or a passphrase for Pulumi
// (https://www.pulumi.com/docs/iac/cli/environment-variables/).
var chosenBy = []string{"PULUMI_BACKEND_URL", "PULUMI_ACCESS_TOKEN", "PULUMI_CONFIG_PASSPHRASE",
	"PULUMI_CONFIG_PASSPHRASE_FILE"}

// variables returns the environment variables that select the storage in dir, which is ~/.strata.
func variables(dir string) map[string]string {
	return map[string]string{
		// Without metadata, Pulumi replaces a state file atomically, so a kill cannot cut it off.
		"PULUMI_BACKEND_URL":            "file://" + filepath.Join(dir, "state") + "?metadata=skip",
		"PULUMI_CONFIG_PASSPHRASE_FILE": filepath.Join(dir, "passphrase"),
	}
}

// FindChoice returns the name of the setting that already selects a state backend or a passphrase:
// a variable, the project's file, or `pulumi login`. It is empty if there is none.
func FindChoice(project string) (string, error) {
	for _, name := range chosenBy {
		if _, set := os.LookupEnv(name); set {
			return name, nil
		}
	}
	file := filepath.Join(project, "Pulumi.yaml")
	described, err := workspace.LoadProject(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err == nil && described.Backend != nil && described.Backend.URL != "" {
		return file, nil
	}
	login, err := workspace.GetStoredCredentials()
	if err != nil || login.Current == "" {
		return "", err
	}
	return "pulumi login", nil
}

// IsSelected reports whether the environment has the variables that Prepare writes.
func IsSelected() bool {
	home, err := os.UserHomeDir()
	for name, value := range variables(filepath.Join(home, ".strata")) {
		if err != nil || os.Getenv(name) != value {
			return false
		}
	}
	return true
}

// Prepare makes the state's folder, the passphrase and a shell file in ~/.strata, all readable by
// their owner only. It returns the path of the shell file, which exports the variables for Pulumi
// and adds the folder programs to PATH.
func Prepare(programs string) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(home, ".strata")
	shell := filepath.Join(dir, "env")
	if err := os.MkdirAll(filepath.Join(dir, "state"), 0o700); err != nil {
		return "", err
	}
	if err := makePassphrase(filepath.Join(dir, "passphrase")); err != nil {
		return "", err
	}
	text := fmt.Sprintf("export PATH=%s:\"$PATH\"\n", remote.Quote(programs))
	own := variables(dir)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		text += fmt.Sprintf("export %s=%s\n", name, remote.Quote(own[name]))
	}
	return shell, atomicfile.Write(shell, []byte(text), 0o600)
}

// makePassphrase writes 32 random bytes as text. It keeps an existing file, because a state's
// secrets cannot be decrypted without its passphrase.
func makePassphrase(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	random := make([]byte, 32)
	_, _ = rand.Read(random) // It never fails (crypto/rand).
	return atomicfile.Write(path, []byte(base64.StdEncoding.EncodeToString(random)+"\n"), 0o600)
}
