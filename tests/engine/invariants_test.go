package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	pkgresource "github.com/pulumi/pulumi/pkg/v3/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"strata/artifacts"
	"strata/config"
	"strata/tests/pulumitest"
)

// secrets are texts that must never be in plain text in a state or a message.
var secrets = []string{pulumitest.Token, pulumitest.ClientKey, "PRIVATE KEY"}

// whole checks all invariants after an update.
func (h *history) whole() error {
	for _, holds := range []func() error{
		h.nodesAreWhole, h.hostsAreAsAsked, h.clusterMatchesState, h.nothingIsPlain,
		h.gatesLookedLast} {
		if err := holds(); err != nil {
			return err
		}
	}
	return nil
}

// nodesAreWhole checks that exactly the configured nodes exist, in one cluster, and that no other
// machine exists.
func (h *history) nodesAreWhole() error {
	if h.reality.existing {
		return nil
	}
	wanted := h.wanted()
	if err := h.reality.judge(wanted); err != nil {
		return err
	}
	for name, one := range h.reality.hosts {
		if one.there && !slices.Contains(wanted, name) && !h.onExistingHosts() {
			return fmt.Errorf("the machine of %s is there, and without an owner", name)
		}
	}
	return nil
}

// hostsAreAsAsked checks that each host runs the K3s of the bundle, with the configuration in the
// state.
func (h *history) hostsAreAsAsked() error {
	manifest, err := artifacts.ReadManifest(os.Getenv(config.ArtifactsVariable))
	if err != nil {
		return err
	}
	i := slices.IndexFunc(manifest.Artifacts,
		func(one artifacts.Entry) bool { return one.Name == config.ArtifactK3s })
	stored := h.stored()
	for _, name := range h.wanted() {
		one, install := h.reality.at(name), stored["k3s-"+name+"-install"]
		switch {
		case one.running != manifest.Artifacts[i].SHA256:
			return fmt.Errorf("%s runs K3s %s, not %s", name, one.running,
				manifest.Artifacts[i].SHA256)
		case install == nil || hostInput(install.Inputs).Stdin != one.config:
			return fmt.Errorf("%s has another configuration than the state", name)
		}
	}
	return nil
}

// clusterMatchesState returns an error unless the cluster and the state contain the same objects
// with the same content. It also applies to a simulated existing cluster, which is empty at first.
func (h *history) clusterMatchesState() error {
	stored := map[string]bool{}
	for _, state := range h.snapshot.Resources {
		object := objectOf(state.URN, state.Inputs)
		if object == "" {
			continue
		}
		stored[object] = true
		if h.adrift {
			continue
		}
		if !h.here(object) {
			return fmt.Errorf("%s is in the state, and not in the cluster", object)
		}
		if is, asked := revealed(h.reality.content[object]), revealed(state.Inputs); is != asked {
			return fmt.Errorf("%s is another in the cluster than in the state:\n%s\n%s", object,
				is, asked)
		}
	}
	for object := range h.objects {
		if !stored[object] {
			return fmt.Errorf("%s is in the cluster, and not in the state", object)
		}
	}
	return nil
}

// revealed returns values as a text in which secrets are shown.
func revealed(values resource.PropertyMap) string {
	var reveal func(value resource.PropertyValue) (any, bool)
	reveal = func(value resource.PropertyValue) (any, bool) {
		if value.IsSecret() {
			return value.SecretValue().Element.MapRepl(nil, reveal), true
		}
		return nil, false
	}
	text, err := json.Marshal(values.MapRepl(nil, reveal))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// nothingIsPlain checks that secrets are only in secret values of the state.
func (h *history) nothingIsPlain() error {
	for _, state := range h.snapshot.Resources {
		for _, text := range secrets {
			for what, values := range map[string]resource.PropertyMap{"inputs": state.Inputs,
				"outputs": state.Outputs} {
				if found := pulumitest.FindPlain(what, resource.NewProperty(values),
					text); len(found) > 0 {
					return fmt.Errorf("%s has a secret in plain: %v", state.URN.Name(), found)
				}
			}
		}
	}
	return nil
}

// gatesLookedLast checks that each gate in the state has run after the last write of its
// dependencies. It ignores writes by a refresh, which recreates objects without a change of a
// gate's inputs: docs/operations.md recommends `strata health` after a refresh.
func (h *history) gatesLookedLast() error {
	if h.refreshed {
		maps.Copy(h.looked, h.written)
	}
	stored := h.stored()
	for name, state := range stored {
		if !isGate(state) {
			continue
		}
		for _, need := range state.Dependencies {
			if other := stored[need.Name()]; other != nil && !isGate(other) && moves(other) &&
				h.written[need.Name()] > max(h.written[name], h.looked[need.Name()]) {
				return fmt.Errorf("%s stands open since before %s was written", name, need.Name())
			}
		}
	}
	return nil
}

// isGate reports whether a resource is a gate.
func isGate(state *pkgresource.State) bool {
	return strings.HasSuffix(plain(state.Inputs["create"]), "strata gate")
}

// moves reports whether gates must run after a write of the resource: a node's install, a release
// or a workload.
func moves(state *pkgresource.State) bool {
	kind := string(state.Type)
	return kind == releaseType || strings.HasPrefix(kind, "kubernetes:apps/") ||
		strings.HasSuffix(state.URN.Name(), "-install")
}

// nothing checks that a destroy left nothing.
func (h *history) nothing() error {
	if left := h.stored(); len(left) > 0 {
		return fmt.Errorf("a destroy left in the state: %v", left)
	}
	for name, one := range h.reality.hosts {
		if one.token != "" || one.there && !h.onExistingHosts() {
			return fmt.Errorf("a destroy left %s: %+v", name, *one)
		}
	}
	if h.reality.existing && len(h.objects) > 0 {
		return fmt.Errorf("a destroy left in the existing cluster: %v", h.objects)
	}
	return nil
}
