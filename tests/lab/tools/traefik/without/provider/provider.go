// Package provider is a stub of Traefik's providers for Docker, ECS, Nomad, Knative and key-value
// stores. Their clients are more code than the rest of Traefik's configuration.
package provider

import (
	"errors"

	ptypes "github.com/traefik/paerser/types"

	"github.com/traefik/traefik/v3/pkg/config/dynamic"
	"github.com/traefik/traefik/v3/pkg/safe"
)

var errNone = errors.New("the lab's Traefik reads nothing but Kubernetes and files: no such provider")

// Names of the omitted providers. They have no objects, so no object's name ends with them.
const (
	ProviderName = "left-out"
	DockerName   = ProviderName
	SwarmName    = ProviderName
)

// Provider always fails. It has the fields that Traefik reads.
type Provider struct{ HTTPClientTimeout, RefreshSeconds ptypes.Duration }

// SwarmProvider is the provider for Docker Swarm.
type SwarmProvider = Provider

// Init always fails.
func (*Provider) Init() error { return errNone }

// Provide always fails.
func (*Provider) Provide(chan<- dynamic.Message, *safe.Pool) error { return errNone }

// ProviderBuilder creates a provider for each namespace.
type ProviderBuilder struct{}

// BuildProviders returns a provider that always fails.
func (*ProviderBuilder) BuildProviders() []*Provider { return []*Provider{{}} }
