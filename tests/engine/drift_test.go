package engine_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/stack/drift"
	"strata/components"
	"strata/config"
	"strata/platform"
)

// drifting has the differences that the program finds on the hosts and in the cluster.
type drifting struct {
	found []drift.Difference
	at    time.Time
	// mutex guards back, the restored resources. fails is the result of each restore.
	mutex sync.Mutex
	back  []string
	fails error
}

// finds makes the stack's program restore the resources that differ by d.found.
func (s *stack) finds(d *drifting) {
	s.registers = platform.Program{State: s.state, Drift: func(ctx *pulumi.Context, name string,
		_ config.Drift) (*components.PutBack, error) {
		d.at = d.at.Add(time.Minute)
		state, err := s.state(ctx.Context(), name)
		return &components.PutBack{
			Reasons: (&drift.Report{Differences: d.found}).Reasons(d.at, state),
			Objects: func(_ context.Context, resource string) error {
				d.mutex.Lock()
				defer d.mutex.Unlock()
				d.back = append(d.back, resource)
				return d.fails
			},
		}, err
	}}.Run
}

// mark makes the program find a difference of each resource, and no other differences.
func (d *drifting) mark(resources ...string) {
	d.found, d.back = nil, nil
	for _, name := range resources {
		d.found = append(d.found, drift.Difference{Resource: name, Thing: "Thing/" + name,
			Verdict: drift.Missing})
	}
}

// driftingResources has a resource of each kind: a release, a custom resource, an object, a bundle,
// and the commands of a host.
var driftingResources = []string{"traefik-release", "metallb-pool", "traefik-namespace",
	"crds-gateway-api", "k3s-server-1-install", "k3s-upgrade"}

// gatesOfDriftingResources are the gates that run again after their restore.
var gatesOfDriftingResources = []string{"traefik-rollout", "metallb-pool-gate",
	"crds-gateway-api-gate", "k3s-server-1-gate", "k3s-nodes", "k3s-system",
	"traefik-address"}

func TestPreviewShowsDriftAndUpdateRevertsItOnce(t *testing.T) {
	s, d := newStack(t, "staging"), &drifting{}
	s.finds(d)
	s.mustUp()
	require.Empty(t, s.mustUp().changed())

	d.mark(driftingResources...)
	names := slices.Sorted(slices.Values(append(driftingResources, gatesOfDriftingResources...)))
	shown := s.preview()
	require.NoError(t, shown.err)
	assert.Equal(t, names, slices.Sorted(maps.Keys(shown.changed())))
	assert.Empty(t, d.back, "a preview changes nothing")
	did := s.mustUp()
	assert.Equal(t, names, slices.Sorted(maps.Keys(did.changed())))
	assert.ElementsMatch(t, names, did.actions.names("update"), "in place")
	assert.ElementsMatch(t, names, d.back)

	d.mark()
	require.Empty(t, s.mustUp().changed())
	d.mark("metallb-pool")
	assert.Equal(t, []string{"metallb-pool", "metallb-pool-gate"},
		slices.Sorted(maps.Keys(s.mustUp().changed())), "the same difference again")
}

func TestNextUpdateRepeatsFailedDriftRepair(t *testing.T) {
	s, d := newStack(t, "kind"), &drifting{}
	s.finds(d)
	s.mustUp()
	d.mark("traefik-release")
	d.fails = errors.New("the API server refuses it")
	require.ErrorContains(t, s.up().err, "the API server refuses it")
	d.fails = nil
	assert.Equal(t, []string{"traefik-address", "traefik-release", "traefik-rollout"},
		slices.Sorted(maps.Keys(s.mustUp().changed())))
	d.mark()
	require.Empty(t, s.mustUp().changed())
}

// An update restores every object and release of a stack in place, and keeps its other inputs.
func TestUpdateRestoresEveryDriftedObjectInPlace(t *testing.T) {
	for _, name := range []string{"kind", "local"} {
		t.Run(name, func(t *testing.T) {
			s, d := newStack(t, name), &drifting{}
			s.set("apps", "manifests", []any{s.manifest(t)})
			s.finds(d)
			s.mustUp()
			before := s.stored()
			var objects []string
			for resource, state := range before {
				if strings.HasPrefix(string(state.Type), "kubernetes:") {
					objects = append(objects, resource)
				}
			}
			d.mark(objects...)
			require.NoError(t, s.preview().err)
			changed := s.mustUp().changed()
			for _, object := range objects {
				assert.Equal(t, []string{"update"}, changed[object], object)
				inputs := s.stored()[object].Inputs
				if inputs["kind"].HasValue() {
					assert.Contains(t, annotationsOf(inputs), resource.PropertyKey(drift.Annotation), object)
				}
				for key := range before[object].Inputs {
					assert.Contains(t, inputs, key, object)
				}
				for key := range annotationsOf(before[object].Inputs) {
					assert.Contains(t, annotationsOf(inputs), key, object)
				}
			}
			d.mark()
			require.Empty(t, s.mustUp().changed())
		})
	}
}

// manifest writes a file with an object that has annotations, and a Secret without annotations.
func (s *stack) manifest(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "team.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`apiVersion: v1
kind: ConfigMap
metadata: {name: team, annotations: {team.example.org/owner: a}}
data: {size: "3"}
---
apiVersion: v1
kind: Secret
metadata: {name: team}
stringData: {password: hunter2}
`), 0o600))
	return file
}

func annotationsOf(inputs resource.PropertyMap) resource.PropertyMap {
	metadata := inputs["metadata"]
	if !metadata.IsObject() || !metadata.ObjectValue()["annotations"].IsObject() {
		return nil
	}
	return metadata.ObjectValue()["annotations"].ObjectValue()
}
