package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/k3s/members"
	"strata/internal/pulumi/stackstate"
	"strata/platform"
)

// state returns the stack's state in the form that the program reads (platform.Program).
func (s *stack) state(context.Context, string) (*stackstate.State, error) {
	state := &stackstate.State{}
	for _, one := range s.stored() {
		inputs := one.Inputs.MapRepl(nil, func(value resource.PropertyValue) (any, bool) {
			return plain(value), value.IsSecret()
		})
		state.Resources = append(state.Resources,
			stackstate.Resource{ResourceV3: apitype.ResourceV3{
				URN: one.URN, Type: one.Type, Inputs: inputs, Dependencies: one.Dependencies,
				Outputs: map[string]any{"hex": plain(one.Outputs["hex"])},
			}})
	}
	return state, nil
}

// past returns the facts about the cluster that the state contains.
func (s *stack) past(ctx context.Context, name string) (members.Past, error) {
	state, err := s.state(ctx, name)
	return members.PastOf(state), err
}

// moved gives nodes other addresses, as after a move to new hosts.
func (s *stack) moved(names ...string) {
	for i, name := range names {
		s.node(name)["address"] = fmt.Sprintf("10.10.0.%d", 100+i)
	}
}

// servers are the servers of the stack that the tests move to new hosts.
var servers = []string{"server-1", "server-2", "server-3"}

// If all servers move, no host has the cluster's data, and an update would start a second cluster.
func TestUpdateThatMovesEveryServerIsRefusedBeforeChanges(t *testing.T) {
	for name, change := range map[string]struct {
		removed, moved []string
	}{
		"three servers":    {nil, servers},
		"the only server":  {[]string{"server-2", "server-3", "agent-1", "agent-2"}, servers[:1]},
		"all of the nodes": {nil, append(servers[:3:3], "agent-1", "agent-2")},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStack(t, "staging")
			s.registers = platform.Program{Past: s.past}.Run
			s.removeNodes(change.removed...)
			s.mustUp()
			before := s.stored()
			old := map[string]any{}
			for _, node := range change.moved {
				old[node] = s.node(node)["address"]
			}
			s.moved(change.moved...)
			for when, refused := range map[string]*result{"preview": s.preview(), "up": s.up()} {
				require.Error(t, refused.err, when)
				assert.Contains(t, fmt.Sprint(refused.err, refused.errors),
					"strata restore -s staging --new-hosts", when)
				for _, what := range []string{"-claim", "-binary", "-admission", "-install"} {
					for _, server := range append(servers[:3:3], "agent-1", "agent-2") {
						for _, verb := range []string{"create", "update", "delete"} {
							assert.Nil(t, refused.actions.find(verb, "k3s-"+server+what), when)
						}
					}
				}
			}
			for _, node := range change.moved {
				s.node(node)["address"] = old[node]
			}
			s.mustUp()
			assert.Empty(t, s.mustUp().changed())
			assert.Len(t, s.stored(), len(before))
		})
	}
}

func TestUpdateWithOneMovedServerSucceeds(t *testing.T) {
	s := newStack(t, "staging")
	s.registers = platform.Program{Past: s.past}.Run
	s.mustUp()
	s.moved("server-1")
	s.mustUp()
	assert.Empty(t, s.mustUp().changed())
}

// An update that fails before the first install has started no cluster. So all servers may move.
func TestServersMayMoveIfNoClusterWasStarted(t *testing.T) {
	const last = "k3s-server-1-install"
	s := newStack(t, "staging")
	s.registers = platform.Program{Past: s.past}.Run
	s.fail("create", last)
	require.Error(t, s.up().err)
	require.Contains(t, s.stored(), "k3s-server-1-admission")
	s.heal("create", last)
	s.moved(servers...)
	s.mustUp()
	assert.Empty(t, s.mustUp().changed())
}

// The program decides from the state whether an install may start a cluster. That decision is no
// input of the install, because it would make the second update install again.
func TestOnlyFirstServerInstallMayStartCluster(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	founds := map[string]string{}
	for name, state := range s.stored() {
		if told := hostInput(state.Inputs); told.Founds != "" {
			founds[name] = told.Founds
		}
	}
	assert.Equal(t, map[string]string{"k3s-server-1-install": "staging",
		"k3s-server-1-admission": "staging"}, founds)
	assert.Empty(t, s.mustUp().changed())
}
