package machines

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"strata/tests/lab/machines/host"
)

// ErrUnknown reports that no machine has the given name.
var ErrUnknown = errors.New("no such machine (lab machines list shows all)")

// loadSpec reads the spec of an existing machine.
func loadSpec(name string) (Spec, error) {
	if !labelPattern.MatchString(name) {
		return Spec{}, fmt.Errorf("machine name %q: must be lower case letters, digits and '-', at most 63", name)
	}
	raw, err := os.ReadFile(machineDir(name).spec())
	if errors.Is(err, fs.ErrNotExist) {
		return Spec{}, fmt.Errorf("machine %s: %w", name, ErrUnknown)
	}
	if err != nil {
		return Spec{}, fmt.Errorf("machine %s: %w", name, err)
	}
	var spec Spec
	if err := json.Unmarshal(raw, &spec); err != nil {
		return Spec{}, fmt.Errorf("machine %s: decoding %s: %w", name, machineDir(name).spec(), err)
	}
	return spec, nil
}

func saveSpec(spec Spec) error {
	raw, err := json.MarshalIndent(spec, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the spec of %s: %w", spec.Name, err)
	}
	return host.WriteFile(machineDir(spec.Name).spec(), append(raw, '\n'), 0o600)
}

// allSpecs returns the specs of all machines, including incomplete ones, sorted by name.
func allSpecs() ([]Spec, error) {
	entries, err := os.ReadDir(machinesDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing machines: %w", err)
	}
	var specs []Spec
	for _, entry := range entries {
		if !labelPattern.MatchString(entry.Name()) {
			continue
		}
		spec, err := loadSpec(entry.Name())
		if errors.Is(err, ErrUnknown) {
			continue // being created or deleted
		}
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	return specs, nil
}

// hasOwnerOf reports whether s and an existing machine have the same owner, so the same authorized
// key.
func (s Spec) hasOwnerOf(have Spec) bool {
	return strings.TrimSpace(s.AuthorizedKey) == strings.TrimSpace(have.AuthorizedKey)
}

// rebuildReasons returns the fields that can only be changed by recreating the machine. The image
// is not among them: an existing machine keeps its image, as a server keeps its operating system.
func rebuildReasons(old, wanted Spec) []string {
	var differ []string
	for _, f := range []struct{ name, old, wanted string }{
		{"bridge", old.Bridge, wanted.Bridge},
		{"subnet", old.Subnet.String(), wanted.Subnet.String()},
		{"gateway", old.Gateway.String(), wanted.Gateway.String()},
		{"address", old.Address.String(), wanted.Address.String()},
		{"hostname", old.Hostname, wanted.Hostname},
	} {
		if f.old != f.wanted {
			differ = append(differ, f.name)
		}
	}
	return differ
}

func isReady(name string) bool {
	_, err := os.Stat(machineDir(name).ready())
	return err == nil
}
