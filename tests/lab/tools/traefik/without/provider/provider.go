// Package provider stands in for Traefik's providers that read from other systems than Kubernetes
// and files: the clients of those are more than the rest of its configuration.
package provider

import (
	"errors"

	ptypes "github.com/traefik/paerser/types"

	"github.com/traefik/traefik/v3/pkg/config/dynamic"
	"github.com/traefik/traefik/v3/pkg/safe"
)

var errNone = errors.New("the lab's Traefik reads nothing but Kubernetes and files: no such provider")

// Names of providers. No object's name ends with one of these.
const (
	ProviderName = "left-out"
	DockerName   = ProviderName
	SwarmName    = ProviderName
)

// Provider provides nothing. The fields are those that Traefik reads.
type Provider struct{ HTTPClientTimeout, RefreshSeconds ptypes.Duration }

// SwarmProvider is Docker's other one.
type SwarmProvider = Provider

// Init refuses.
func (*Provider) Init() error { return errNone }

// Provide refuses.
func (*Provider) Provide(chan<- dynamic.Message, *safe.Pool) error { return errNone }

// ProviderBuilder makes providers by namespace.
type ProviderBuilder struct{}

// BuildProviders returns one that refuses.
func (*ProviderBuilder) BuildProviders() []*Provider { return []*Provider{{}} }
