// Package plugins is a stub of Traefik's plugins, which the lab does not use. So Traefik compiles
// without the interpreter of Go, which lists every symbol in the standard library, and without the
// one of WebAssembly.
package plugins

import (
	"context"
	"errors"
	"net/http"

	"github.com/traefik/traefik/v3/pkg/provider"
)

var errNone = errors.New("the lab's Traefik has no plugins")

// Constructor creates a middleware.
type Constructor func(context.Context, http.Handler) (http.Handler, error)

// Descriptor is the static configuration of a plugin.
type Descriptor struct{ ModuleName, Version, Hash string }

// LocalDescriptor is the static configuration of a plugin on disk.
type LocalDescriptor struct{ ModuleName string }

// SetupLocalPlugins always fails.
func SetupLocalPlugins(map[string]LocalDescriptor) error { return errNone }

// RegistryDownloaderOptions are the options of a downloader.
type RegistryDownloaderOptions struct {
	HTTPClient   *http.Client
	ArchivesPath string
}

// RegistryDownloader downloads plugins. None is ever created.
type RegistryDownloader struct{}

// NewRegistryDownloader always fails.
func NewRegistryDownloader(RegistryDownloaderOptions) (*RegistryDownloader, error) {
	return nil, errNone
}

// ManagerOptions are the options of a manager.
type ManagerOptions struct{ Output string }

// Manager manages plugins. None is ever created.
type Manager struct{}

// NewManager always fails.
func NewManager(*RegistryDownloader, ManagerOptions) (*Manager, error) { return nil, errNone }

// SetupRemotePlugins always fails.
func SetupRemotePlugins(*Manager, map[string]Descriptor) error { return errNone }

// Builder always fails to build a plugin.
type Builder struct{}

// NewBuilder returns a Builder. It must not fail, because Traefik calls it in every run without
// plugins.
func NewBuilder(*Manager, map[string]Descriptor, map[string]LocalDescriptor) (*Builder, error) {
	return &Builder{}, nil
}

// Build always fails.
func (*Builder) Build(string, map[string]any, string) (Constructor, error) { return nil, errNone }

// BuildProvider always fails.
func (*Builder) BuildProvider(string, map[string]any) (provider.Provider, error) { return nil, errNone }
