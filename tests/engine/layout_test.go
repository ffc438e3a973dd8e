package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pkgresource "github.com/pulumi/pulumi/pkg/v3/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/self"
	"strata/platform"
)

// leftAlone is the beginning of the error for a state or a command of another layout.
const leftAlone = "refused, nothing was changed: "

// lastGuards are the guards that a destroy deletes first.
var lastGuards = map[string]string{"staging": guard, "kind": "cluster-teardown-guard"}

// looksAtLayout makes the program check the state's layout, as when Pulumi runs it.
func (s *stack) looksAtLayout() {
	s.registers = platform.Program{State: s.state}.Run
}

// contents returns the URN, the inputs and the outputs of each resource in the state, as text.
func (s *stack) contents() map[string]string {
	contents := map[string]string{}
	for name, state := range s.stored() {
		contents[name] = fmt.Sprint(state.URN, state.ID, state.Inputs, state.Outputs)
	}
	return contents
}

// withoutLayout returns a stack whose state has no layout. If failed is true, the state is that of
// a first update that failed at the last layers.
func withoutLayout(t *testing.T, name string, failed bool) *stack {
	t.Helper()
	s := stackOf(t, name, filepath.Join(root, "tests", "engine", "testdata", "without-layout",
		name+".json.gz"))
	if failed {
		all := s.snapshot.Resources
		require.Equal(t, lastGuards[name], all[len(all)-1].URN.Name(), "it waits for all")
		s.snapshot.Resources = all[:len(all)*3/4]
		all[0].Outputs = resource.PropertyMap{}
	}
	s.looksAtLayout()
	return s
}

func TestUpdateAndPreviewRefuseStateWithoutLayout(t *testing.T) {
	for name := range lastGuards {
		for how, failed := range map[string]bool{"finished": false, "failed": true} {
			t.Run(name+" "+how, func(t *testing.T) {
				s := withoutLayout(t, name, failed)
				before := s.contents()
				for which, run := range map[string]func() *result{"preview": s.preview, "up": s.up} {
					r := run()
					require.Error(t, r.err, which)
					said := strings.Join(slices.Collect(maps.Values(r.errors)), "\n")
					assert.Contains(t, said,
						leftAlone+"stack "+name+": the state has urn:pulumi:", which)
					assert.Contains(t, said,
						"destroy the stack with the Strata that made it", which)
					assert.Empty(t, r.changed(), which)
					assert.Empty(t, r.actions, which)
					assert.Equal(t, before, s.contents(), which)
				}
			})
		}
	}
}

// installs makes delete commands of the state run this test binary in place of Strata.
func (s *stack) installs(t *testing.T) {
	t.Helper()
	project := t.TempDir()
	own, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(project, filepath.Dir(self.Path)), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(project, self.Path),
		fmt.Appendf(nil, "#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", asStrata, own), 0o755))
	s.refuses = func(verb string, inputs resource.PropertyMap) error {
		if verb != "delete" || !inputs["delete"].IsString() {
			return nil
		}
		command := exec.Command("/bin/sh", "-c", inputs["delete"].StringValue())
		command.Dir = project
		if out, err := command.CombinedOutput(); err != nil {
			return errors.New(string(out))
		}
		return nil
	}
}

// A destroy does not run the program. It first deletes the last guard. If a failed update did not
// create that guard, each delete command itself must refuse.
func TestDestroyOfStateWithoutLayoutChangesNoHost(t *testing.T) {
	for name, last := range lastGuards {
		t.Run(name+" finished", func(t *testing.T) {
			s := withoutLayout(t, name, false)
			s.installs(t)
			before := s.contents()
			gone := s.destroy()
			require.Error(t, gone.err)
			assert.Contains(t, toldAbout(gone, last),
				leftAlone+`"teardown" is a command in the state of a stack of layout none`)
			assert.Equal(t, []string{last}, gone.actions.names("delete"))
			assert.Equal(t, before, s.contents())
		})
	}
	t.Run("staging failed", func(t *testing.T) {
		s := withoutLayout(t, "staging", true)
		s.installs(t)
		runs := func(state *pkgresource.State) bool { return state.Inputs["delete"].IsString() }
		before := slices.Clone(s.snapshot.Resources)
		before = slices.DeleteFunc(before,
			func(state *pkgresource.State) bool { return !runs(state) })
		require.Greater(t, len(before), 4)
		gone := s.destroy()
		require.Error(t, gone.err)
		said := strings.Join(slices.Collect(maps.Values(gone.errors)), "\n")
		assert.Contains(t, said, "destroy the stack with the Strata that made it")
		for _, state := range before {
			assert.Contains(t, s.stored(), state.URN.Name(), "its delete would have run")
		}
	})
}

// The program accepts states of its own layout: an empty one, one of a failed update, and a
// complete one.
func TestUpdateContinuesStateOfCurrentLayout(t *testing.T) {
	s := newStack(t, "staging")
	s.looksAtLayout()
	s.fail("create", "metallb-release")
	require.Error(t, s.up().err)
	s.heal("create", "metallb-release")
	s.mustUp()
	assert.Empty(t, s.mustUp().changed())
	require.NoError(t, s.destroy().err)
	assert.Empty(t, s.stored())
}
