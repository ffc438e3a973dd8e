package graph_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/artifacts"
	"strata/tests/pulumitest"
)

// Each resource fails in turn. The program must end with its error, and none of its dependents may
// be created. The resource's name must begin with its layer's, so that the error shows the layer.
func TestFailedResourceEndsProgramAndStopsDependents(t *testing.T) {
	p := newProgram(t, "local")
	sound := p.graph(t)
	for _, name := range sound.where(func(r pulumitest.Resource) bool { return r.Custom }) {
		t.Run(name, func(t *testing.T) {
			assert.True(t, strings.HasPrefix(name, sound.layer(name)+"-"), "named after its layer")
			g, err := p.run(pulumitest.FailName(name))
			require.ErrorContains(t, err, sound[name].Type+" "+name+": made to fail")
			for _, other := range sound.names() {
				if sound.reaches(other, name) || sound[other].Provider == name {
					assert.NotContains(t, g, other, "it needs %s", name)
				}
			}
		})
	}
}

func TestFailureOfEachResourceTypeIsReported(t *testing.T) {
	p := newProgram(t, "staging")
	types := map[string]bool{}
	for _, r := range p.graph(t) {
		if r.Custom {
			types[r.Type] = true
		}
	}
	require.Greater(t, len(types), 6)
	for token := range types {
		t.Run(token, func(t *testing.T) {
			_, err := p.run(pulumitest.FailType(token))
			require.ErrorContains(t, err, token)
			require.ErrorContains(t, err, "made to fail")
		})
	}
}

func TestNoResourceIsCreatedWhenAllFail(t *testing.T) {
	g, err := newProgram(t, "staging").run(pulumitest.FailAll())
	require.ErrorContains(t, err, "made to fail")
	assert.Empty(t, g.where(func(r pulumitest.Resource) bool { return r.Custom }))
}

// The program reports its own errors before anything is created. The error names the part that it
// affects.
func TestMissingInputsFailBeforeAnyResource(t *testing.T) {
	for name, test := range map[string]struct {
		breaks func(t *testing.T, p *program)
		want   string
	}{
		"an SSH key": {func(t *testing.T, _ *program) {
			require.NoError(t, os.RemoveAll(filepath.Join(os.Getenv("HOME"), ".ssh")))
		}, "hosts: driver existing: strata:hosts.nodes[0].ssh of server-1: private key: "},
		"the bundle": {func(t *testing.T, p *program) {
			require.NoError(t, os.Remove(filepath.Join(p.project.Bundle, artifacts.ManifestFile)))
		}, "artifacts: "},
		"a file of the bundle": {func(t *testing.T, p *program) {
			require.NoError(t, os.Remove(filepath.Join(p.project.Bundle, "k3s/k3s")))
		}, "artifact k3s"},
		"the right content": {func(t *testing.T, p *program) {
			require.NoError(t,
				os.WriteFile(filepath.Join(p.project.Bundle, "charts/metallb.tgz"),
					[]byte("other"), 0o600))
		}, "charts/metallb.tgz: wrong checksum"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t, "staging")
			test.breaks(t, p)
			g, err := p.run(nil)
			require.ErrorContains(t, err, test.want)
			assert.Empty(t, g.where(func(r pulumitest.Resource) bool { return r.Custom }))
		})
	}
}
