package health

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/ssh/remote"
)

// testBody is the body of a kind with given traits.
type testBody struct {
	traits Traits
	Name   string `json:"name,omitempty"`
}

func (b testBody) Traits() Traits {
	b.traits.Kind = "test"
	return b.traits
}

func (b testBody) Validate(need Need) { need(b.Name != "bad", "test.name: bad") }

func (testBody) NewWatch(Spec, Secrets) (Watch, error) {
	return nil, errors.New("a test observes nothing")
}

// specWith returns a complete Spec whose kind has the traits.
func specWith(traits Traits) Spec {
	return Spec{
		Gate: "g", Timeout: metav1.Duration{Duration: time.Minute},
		Servers: []string{"https://10.10.0.11:6443"},
		Hosts: []Host{{Target: remote.Target{Name: "server-1", Address: "10.10.0.11"},
			Role: "server"}}, Body: testBody{traits: traits},
	}
}

func TestHostRequiresNameAndAddress(t *testing.T) {
	for _, target := range []Host{{Target: remote.Target{Address: "10.10.0.11"}}, {Target: remote.Target{Name: "a"}}} {
		spec := specWith(Traits{})
		target.Role = "agent"
		spec.Hosts = []Host{target}
		require.ErrorContains(t, spec.Validate(), "hosts[0]: name or address is empty")
	}
}

func TestSpecValidationFollowsTraitsOfKind(t *testing.T) {
	for _, c := range []struct {
		name   string
		traits Traits
		change func(*Spec)
		want   string
	}{
		{"two hosts, one expected", Traits{OneHost: true},
			func(s *Spec) { s.Hosts = append(s.Hosts, s.Hosts[0]) },
			"hosts: a test gate has exactly one, found 2"},
		{"no host, one expected", Traits{OneHost: true}, func(s *Spec) { s.Hosts = nil },
			"hosts: a test gate has exactly one, found 0"},
		{"an empty node set", Traits{NodeSet: true}, func(s *Spec) { s.Hosts = nil },
			"hosts: empty; an empty node set is never ready"},
		{"no server", Traits{}, func(s *Spec) { s.Servers = nil },
			"servers: empty; a test gate asks every API server"},
		{"releases without workloads", Traits{}, func(s *Spec) { s.Releases = []string{"a/b"} },
			"releases: a gate of kind test asks for no rights"},
		{"a release without a namespace", Traits{Workloads: true},
			func(s *Spec) { s.Releases = []string{"a/b", "c"} },
			`releases[1]: expected namespace/name, found "c"`},
		{"a mistake in the body", Traits{}, func(s *Spec) { s.Body = testBody{Name: "bad"} },
			`gate "g": test.name: bad`},
		{"no body", Traits{}, func(s *Spec) { s.Body = nil }, "kind: missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := specWith(c.traits)
			require.NoError(t, spec.Validate())
			c.change(&spec)
			require.ErrorContains(t, spec.Validate(), c.want)
		})
	}
	spec := specWith(Traits{NoServers: true, Workloads: true})
	spec.Servers, spec.Hosts, spec.Releases = nil, nil, []string{"a/b"}
	require.NoError(t, spec.Validate())
}

// A check is hidden while a check in its After fails, and is shown when that check has passed.
func TestCheckIsShownWhenItsPrerequisitePassed(t *testing.T) {
	failing, hidden := Split([]Verdict{{Check: "unit", State: Ready},
		{Check: "node", State: Waiting, After: []string{"unit"}}, {Check: "api", State: Waiting}})
	assert.Len(t, failing, 2)
	assert.Zero(t, hidden)
}
