package health

import (
	"errors"
	"strings"
)

// Kind names the observations and the judgement of a gate, such as webhook. Each kind has a package
// of its own, and one row in health/kinds.
type Kind string

// Body configures one kind of gate. It is the Spec of the kind's package.
type Body interface {
	// Traits returns the kind and its rules for the common fields of a Spec.
	Traits() Traits
	// Validate notes every mistake in the body's own fields.
	Validate(need Need)
	// NewWatch returns the watch of the gate. It fails if the Spec or the Secrets are incomplete.
	NewWatch(spec Spec, secrets Secrets) (Watch, error)
}

// Traits describes a kind to code that knows no kind.
type Traits struct {
	Kind Kind
	// OneHost is true of a kind that observes exactly one host.
	OneHost bool
	// NodeSet is true of a kind that observes all of the Spec's hosts, and so needs one.
	NodeSet bool
	// NoServers is true of a kind that can do without an API server.
	NoServers bool
	// Workloads is true of a kind that judges workloads. Only such a kind has Images and Releases.
	Workloads bool
	// Measures is true of a kind whose passing checks have measured something. The report shows it.
	Measures bool
	// Optional is true of a body without required fields. JSON leaves it out if it is empty.
	Optional bool
}

// Need notes a mistake unless ok.
type Need func(ok bool, format string, args ...any)

// NamespacedName notes a text that is neither empty nor namespace/name.
func (need Need) NamespacedName(key, text string) {
	namespace, name, found := strings.Cut(text, "/")
	need(text == "" || found && namespace != "" && name != "",
		"%s: expected namespace/name, found %q", key, text)
}

// unusable stands for a body that JSON lacks, or whose kind is unknown. The gate is refused with
// its problem.
type unusable struct {
	traits  Traits
	problem string
}

func (u unusable) Traits() Traits { return u.traits }

func (u unusable) Validate(need Need) { need(false, "%s", u.problem) }

func (u unusable) NewWatch(Spec, Secrets) (Watch, error) { return nil, errors.New(u.problem) }
