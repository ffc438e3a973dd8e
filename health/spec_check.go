package health

import (
	"errors"
	"fmt"
)

// Validate returns all faults of a Spec in one error; nil without any.
func (s Spec) Validate() error {
	var problems []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Errorf("gate %q: "+format,
				append([]any{s.Gate}, args...)...))
		}
	}
	need(s.Gate != "", "gate: empty; a gate has its resource's name")
	need(s.Timeout.Duration > 0, "timeout: expected a positive duration, found %s; an unbounded "+
		"gate is no gate", s.Timeout.Duration)
	for i, host := range s.Hosts {
		need(host.Name != "" && host.Address != "", "hosts[%d]: name or address is empty", i)
		need(host.Role == "server" || host.Role == "agent",
			"hosts[%d].role: expected server or agent, found %q", i, host.Role)
	}
	if s.Body == nil {
		need(false, "kind: missing; a gate has the body of its kind")
		return errors.Join(problems...)
	}
	traits := s.Body.Traits()
	need(!traits.OneHost || len(s.Hosts) == 1, "hosts: a %s gate has exactly one, found %d",
		traits.Kind, len(s.Hosts))
	need(!traits.NodeSet || len(s.Hosts) > 0, "hosts: empty; an empty node set is never ready")
	need(traits.NoServers || len(s.Servers) > 0, "servers: empty; a %s gate asks every API server",
		traits.Kind)
	for i, release := range s.Releases {
		need(traits.Workloads, "releases: a gate of kind %s asks for no rights", traits.Kind)
		Need(need).NamespacedName(fmt.Sprintf("releases[%d]", i), release)
	}
	s.Body.Validate(need)
	return errors.Join(problems...)
}
