package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"strata/artifacts"
	"strata/config"
)

// downloads downloads the stack's artifacts, and Pulumi's command line and plugins for this
// machine's architecture.
func (b *bundle) downloads(ctx context.Context) error {
	cfg, err := b.configuration(config.SourceUpstream)
	if err != nil {
		return err
	}
	pins, err := b.pins(cfg)
	if err != nil {
		return err
	}
	folder := filepath.Join(b.dir, filesFolder)
	filled, err := artifacts.Originals(ctx, folder, b.lock, cfg.Artifacts, pins, b.out)
	if err := errors.Join(err, filled.Missing); err != nil {
		return err
	}
	if len(filled.Left) > 0 {
		return fmt.Errorf("%s has files that this command did not write: %s; remove them", folder,
			strings.Join(filled.Left, ", "))
	}
	for _, entry := range filled.Entries {
		entry.Path = path.Join(filesFolder, entry.Path)
		if !strings.HasPrefix(entry.Name, artifacts.CLIName) { // Pulumi's files get a place of their own
			b.now = append(b.now, entry)
		}
	}
	// The lock of the folder also lists the downloads of earlier runs, whose files were removed.
	all, err := artifacts.ReadLock(folder)
	if err != nil {
		return err
	}
	for _, one := range all.Artifacts {
		if slices.ContainsFunc(filled.Entries,
			func(entry artifacts.Entry) bool { return isOf(entry, one) }) {
			b.fetched.Artifacts = append(b.fetched.Artifacts, one)
		}
	}
	b.lock = b.lock.With(b.fetched.Artifacts)
	return nil
}

// isOf reports whether a manifest entry and a lock entry describe the same file.
func isOf(entry artifacts.Entry, one artifacts.Locked) bool {
	return entry.Name == one.Name && entry.Version == one.Version && entry.Arch == one.Arch &&
		entry.SHA256 == one.SHA256
}

// pins returns the stack's artifacts, Pulumi's program and its plugins. It leaves out Strata's own
// images, which are built.
func (b *bundle) pins(cfg *config.Config) ([]config.Pin, error) {
	pins := slices.DeleteFunc(cfg.NeededPins(), func(pin config.Pin) bool {
		_, built := config.BuiltImage(pin.URL)
		return built
	})
	if pin, ok := cfg.VMImagePin(); ok {
		pins = append(pins, pin)
	}
	cli, err := artifacts.CLIPin(b.project, runtime.GOARCH)
	if err != nil {
		return nil, err
	}
	plugins, err := artifacts.PluginPins(b.project, runtime.GOARCH)
	return slices.Concat(pins, []config.Pin{cli}, plugins), err
}

// archOf returns the nodes' architecture. The architecture of an existing cluster is not
// configured, so archOf assumes this machine's.
func archOf(cfg *config.Config) string {
	if cfg.Hosts.Arch == "" {
		return runtime.GOARCH
	}
	return cfg.Hosts.Arch
}
