package health

import (
	"errors"
	"strings"
)

// Kind names a type of gate, such as webhook. Each kind has its own package and one row in
// health/kinds.
type Kind string

// Body configures one kind of gate. Each kind's package implements Body by its type Spec.
type Body interface {
	// Traits returns the kind and its rules for the common fields of a Spec.
	Traits() Traits
	// Validate reports every mistake in the body's own fields through need.
	Validate(need Need)
	// NewWatch returns the watch of the gate. It fails if the Spec or the Secrets are incomplete.
	NewWatch(spec Spec, secrets Secrets) (Watch, error)
}

// Traits describes a kind, so that code for all kinds needs no list of them.
type Traits struct {
	Kind Kind
	// OneHost is true for a kind that observes exactly one host.
	OneHost bool
	// NodeSet is true for a kind that observes all hosts of the Spec, and so needs at least one.
	NodeSet bool
	// NoServers is true for a kind that needs no API server.
	NoServers bool
	// Workloads is true for a kind that judges workloads. Only a Spec of such a kind may have
	// Images and Releases.
	Workloads bool
	// Measures is true for a kind whose passing checks have a measurement in their Message, such as
	// a response time. The report then lists them.
	Measures bool
	// Optional is true for a body without required fields. JSON omits such a body if it is empty.
	Optional bool
}

// Need records a mistake with the given message, unless ok.
type Need func(ok bool, format string, args ...any)

// NamespacedName records a mistake unless text is empty or has the form namespace/name.
func (need Need) NamespacedName(key, text string) {
	namespace, name, found := strings.Cut(text, "/")
	need(text == "" || found && namespace != "" && name != "",
		"%s: expected namespace/name, found %q", key, text)
}

// unusable stands for a body that is missing in JSON, or whose kind is unknown. Validation of the
// Spec then fails with problem.
type unusable struct {
	traits  Traits
	problem string
}

func (u unusable) Traits() Traits { return u.traits }

func (u unusable) Validate(need Need) { need(false, "%s", u.problem) }

func (u unusable) NewWatch(Spec, Secrets) (Watch, error) { return nil, errors.New(u.problem) }
