package health

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ErrSpec is a Spec or a Secret with which no gate can observe anything.
var ErrSpec = errors.New("gate cannot be asked")

// ParseSpec reads a Spec from JSON. A field that it does not know is an error: a check that is
// silently left out is a gate that says ready too early.
func ParseSpec(text []byte) (Spec, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var spec Spec
	if err := decoder.Decode(&spec); err != nil {
		return Spec{}, fmt.Errorf("%w: spec: %w", ErrSpec, err)
	}
	if decoder.More() {
		return Spec{}, fmt.Errorf("%w: spec: expected one JSON object, found more behind it", ErrSpec)
	}
	return spec, nil
}

// Ask asks one gate with the constructor of its kind (health/kinds has them all): it observes until
// every check passes, one is stuck or the deadline passes. Progress and, on a failure, the report
// are written to progress. The error wraps ErrSpec; a gate that does not open is a Result and not
// an error.
func Ask(ctx context.Context, spec Spec, secrets Secrets, newWatch Constructor, progress io.Writer) (Result, error) {
	if err := spec.Validate(); err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrSpec, err)
	}
	watch, err := newWatch(spec, secrets)
	if err != nil {
		return Result{}, fmt.Errorf("%w: gate %s: %w", ErrSpec, spec.Gate, err)
	}
	result, err := wait(ctx, spec, watch, progress)
	if err != nil {
		return Result{}, fmt.Errorf("%w: gate %s: %w", ErrSpec, spec.Gate, err)
	}
	// First, because people see the last line.
	if _, err := io.WriteString(progress, SeenLine(result)); err != nil {
		return result, fmt.Errorf("gate %s: report: %w", spec.Gate, err)
	}
	if err := WriteReport(progress, result); err != nil {
		return result, fmt.Errorf("gate %s: report: %w", spec.Gate, err)
	}
	return result, nil
}

// Validate reports everything that is missing in a Spec at once.
func (s Spec) Validate() error {
	var problems []error
	need := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Errorf("gate %q: "+format, append([]any{s.Gate}, args...)...))
		}
	}
	known := slices.Contains(Kinds, s.Kind)
	need(known, "kind: expected one of %s, found %q", kindNames(), s.Kind)
	need(s.Gate != "", "gate: empty; a gate has its resource's name")
	need(s.Timeout.Duration > 0, "timeout: expected a positive duration, found %s; an unbounded gate is no gate", s.Timeout.Duration)
	for i, host := range s.Hosts {
		need(host.Name != "" && host.Address != "", "hosts[%d]: name or address is empty", i)
		need(host.Role == "server" || host.Role == "agent", "hosts[%d].role: expected server or agent, found %q", i, host.Role)
	}
	oneHost := s.Kind == KindHost || s.Kind == KindServer
	need(!oneHost || len(s.Hosts) == 1, "hosts: a %s gate has exactly one, found %d", s.Kind, len(s.Hosts))
	registered := s.Nodes != nil && s.Nodes.Registered
	need(s.Kind != KindNodes || registered || len(s.Hosts) > 0, "hosts: empty; an empty node set is never ready")
	need(!known || oneHost || s.Kind == KindVM || len(s.Servers) > 0, "servers: empty; a %s gate asks every API server", s.Kind)
	s.validatePart(need)
	return errors.Join(problems...)
}

// kindNames are the known kinds as people read them.
func kindNames() string {
	names := make([]string, 0, len(Kinds))
	for _, kind := range Kinds {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}
