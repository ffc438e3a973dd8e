// Package plugins stands in for Traefik's plugins, which the lab has none of. With it go the
// interpreter of Go, with the list of every symbol in its standard library, and the one of
// WebAssembly.
package plugins

import (
	"context"
	"errors"
	"net/http"

	"github.com/traefik/traefik/v3/pkg/provider"
)

var errNone = errors.New("the lab's Traefik has no plugins")

// Constructor makes a middleware.
type Constructor func(context.Context, http.Handler) (http.Handler, error)

// Descriptor is the static configuration of a plugin.
type Descriptor struct{ ModuleName, Version, Hash string }

// LocalDescriptor is the same of one on the disk.
type LocalDescriptor struct{ ModuleName string }

// SetupLocalPlugins refuses.
func SetupLocalPlugins(map[string]LocalDescriptor) error { return errNone }

// RegistryDownloaderOptions are of a downloader.
type RegistryDownloaderOptions struct {
	HTTPClient   *http.Client
	ArchivesPath string
}

// RegistryDownloader is never made.
type RegistryDownloader struct{}

// NewRegistryDownloader refuses.
func NewRegistryDownloader(RegistryDownloaderOptions) (*RegistryDownloader, error) {
	return nil, errNone
}

// ManagerOptions are of a manager.
type ManagerOptions struct{ Output string }

// Manager is never made.
type Manager struct{}

// NewManager refuses.
func NewManager(*RegistryDownloader, ManagerOptions) (*Manager, error) { return nil, errNone }

// SetupRemotePlugins refuses.
func SetupRemotePlugins(*Manager, map[string]Descriptor) error { return errNone }

// Builder builds nothing.
type Builder struct{}

// NewBuilder returns one: Traefik makes it where no plugin is configured, and not where one is.
func NewBuilder(*Manager, map[string]Descriptor, map[string]LocalDescriptor) (*Builder, error) {
	return &Builder{}, nil
}

// Build refuses.
func (*Builder) Build(string, map[string]any, string) (Constructor, error) { return nil, errNone }

// BuildProvider refuses.
func (*Builder) BuildProvider(string, map[string]any) (provider.Provider, error) { return nil, errNone }
