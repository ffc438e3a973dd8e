package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	pkgresource "github.com/pulumi/pulumi/pkg/v3/resource"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/machines/machineset"
	"strata/actions/stack/teardown"
	"strata/config"
	hostgate "strata/health/host"
	"strata/internal/hypervisor"
)

// put sets a key of the configuration; after [], that of the list's first entry. back reverts it.
func (s *stack) put(t *testing.T, key string, value any) (back func()) {
	t.Helper()
	text, err := json.Marshal(s.config)
	require.NoError(t, err)
	switch hostKey := strings.TrimSpace(s.answers.HostKey); fmt.Sprint(value) {
	case "HOSTKEY":
		value = hostKey
	case "[HOSTKEY]":
		value = []any{hostKey}
	}
	path := strings.Split(key, ".")
	name := "strata:" + path[0]
	if s.config[name] == nil {
		s.config[name] = section{}
	}
	at := map[string]any(s.config[name])
	for _, step := range path[1 : len(path)-1] {
		if list, isList := strings.CutSuffix(step, "[]"); isList {
			at = at[list].([]any)[0].(map[string]any)
			continue
		}
		if at[step] == nil {
			at[step] = map[string]any{}
		}
		at = at[step].(map[string]any)
	}
	at[path[len(path)-1]] = value
	return func() {
		s.config = nil
		require.NoError(t, json.Unmarshal(text, &s.config))
	}
}

// keepBundle returns a function that restores the bundle to its present content.
func keepBundle(t *testing.T) (back func()) {
	t.Helper()
	bundle, copied := os.Getenv(config.ArtifactsVariable), t.TempDir()
	require.NoError(t, os.CopyFS(copied, os.DirFS(bundle)))
	return func() {
		require.NoError(t, os.RemoveAll(bundle))
		require.NoError(t, os.CopyFS(bundle, os.DirFS(copied)))
	}
}

// effect describes the effect of a previewed change in words.
func (s *stack) effect(t *testing.T, key string, seen *result) string {
	t.Helper()
	if !assert.NoError(t, seen.err, key) {
		return ""
	}
	output, stored := map[string]bool{}, s.stored()
	for name, steps := range seen.changed() {
		for _, effect := range effectsOf(t, name, steps, stored[name], seen.inputs[name]) {
			output[effect] = true
		}
	}
	for _, effect := range slices.Sorted(maps.Keys(output)) {
		if strings.HasPrefix(effect, "refused:") {
			return effect
		}
	}
	if len(output) > 1 {
		delete(output, runsAgain)
	}
	if len(output) == 0 {
		return "nothing"
	}
	return strings.Join(slices.Sorted(maps.Keys(output)), "; ")
}

const (
	runsAgain    = "runs again and changes nothing"
	refusedFixed = "refused: K3s fixes it when the cluster is made"
)

// effectsOf describes the effects of a resource's steps in words.
func effectsOf(
	t *testing.T, name string, steps []string, before *pkgresource.State, inputs resource.PropertyMap,
) []string {
	t.Helper()
	gone := slices.Contains(steps, string(deploy.OpDelete)) || slices.Contains(steps, string(deploy.OpReplace))
	kind := ""
	if before != nil {
		kind = string(before.Type)
	}
	switch {
	case name == "strata-"+strings.TrimPrefix(name, "strata-") &&
		strings.HasPrefix(kind, "pulumi:"), strings.HasPrefix(kind, "strata:"):
		return nil
	case strings.HasSuffix(name, "-vm"):
		return machineEffects(t, gone, before, inputs)
	case strings.HasSuffix(name, "-hostkey") && gone:
		return []string{"the host's key is pinned anew"}
	case before != nil && changesFixed(before.Inputs, inputs):
		return []string{refusedFixed}
	case strings.HasSuffix(name, "-claim") && slices.Contains(steps, string(deploy.OpDelete)):
		return []string{"a node leaves: it is drained and its host cleaned"}
	case strings.HasSuffix(name, "-install") && before != nil && reconfigures(before.Inputs, inputs):
		if strings.HasPrefix(name, "k3s-server") {
			return []string{"K3s restarts, one server after the other"}
		}
		return []string{"K3s restarts on agents"}
	case strings.HasSuffix(name, "-install") && before != nil && relabels(before.Inputs, inputs):
		return []string{"the Node changes, and nothing restarts"}
	case name == "k3s-upgrade" && upgrades(before, inputs):
		return []string{"nodes are drained and upgraded, one after the other"}
	case strings.HasSuffix(name, "-keepalived") && strings.HasPrefix(name, "k3s-"):
		return []string{"keepalived changes on the servers"}
	case name == "argocd-password-time" && gone:
		return []string{"sessions and API tokens of Argo CD's admin end"}
	case strings.HasSuffix(name, "ca-reissue") && before != nil && len(inputs) > 0 &&
		signer(before.Inputs) != signer(inputs):
		return []string{"the issuer's certificates are issued anew"}
	case strings.HasSuffix(name, "-teardown-guard") && before != nil && protects(before.Inputs) != protects(inputs):
		return []string{"a destroy is refused, or no longer, and so is an up that loses what others keep"}
	case strings.HasSuffix(name, "-teardown-first") && before != nil:
		return lossEffects(t, before.Inputs, inputs)
	case strings.HasPrefix(kind, "kubernetes:") && !gone && before.Inputs.DeepEquals(inputs):
		return []string{runsAgain} // the preview knows no kubeconfig
	case kind == "kubernetes:helm.sh/v3:Release" && !gone:
		return []string{
			"Helm upgrades " + strings.TrimSuffix(name, "-release") +
				", whose Pods are rolled out where their template changed"}
	case kind == "kubernetes:apps/v1:Deployment" && !gone:
		return []string{"Pods are rolled out"}
	case strings.HasPrefix(kind, "kubernetes:") && slices.Contains(steps, string(deploy.OpDelete)):
		return []string{"objects are deleted"}
	case strings.HasPrefix(kind, "kubernetes:") && gone:
		return []string{"objects are made anew"}
	case strings.HasPrefix(kind, "kubernetes:"):
		return []string{"objects change"}
	case before == nil:
		return []string{"what is new is made"}
	}
	return []string{runsAgain}
}

// changesFixed reports whether the gate of a host expects other values of settings that K3s fixed
// when the cluster was created. The gate then refuses the change.
func changesFixed(before, inputs resource.PropertyMap) bool {
	values := func(inputs resource.PropertyMap) map[string]string {
		var gate struct{ Host hostgate.Spec }
		_ = json.Unmarshal([]byte(plain(inputs["stdin"])), &gate) // others fix nothing
		return gate.Host.Fixed
	}
	return len(values(inputs)) > 0 && !maps.Equal(values(before), values(inputs))
}

// addFixed adds to the effects of each key that K3s refuses to change some of its values.
func addFixed(effects map[string]string) {
	fixed := map[string][]string{}
	for name := range config.FixedValues(nil) {
		key, _, _ := strings.Cut(strings.TrimPrefix(config.FixedKey(name), "strata:"), "[")
		if effects[key] != refusedFixed {
			fixed[key] = append(fixed[key], "`"+strings.TrimPrefix(name, "disable: ")+"`")
		}
	}
	for key, names := range fixed {
		slices.Sort(names)
		effects[key] += "; of " + strings.Join(names, ", ") + ": " + refusedFixed
	}
}

// lossEffects returns the effect of a guard's new input: its refusal, which names the objects that
// others may use, or their deletion by consent.
func lossEffects(t *testing.T, before, inputs resource.PropertyMap) []string {
	t.Helper()
	var was, is teardown.Guard
	require.NoError(t, json.Unmarshal([]byte(before["stdin"].StringValue()), &was))
	require.NoError(t, json.Unmarshal([]byte(inputs["stdin"].StringValue()), &is))
	if holders := was.Objects.Holders(is.Objects); holders != "" {
		return []string{"refused without `discard` while others keep something in, or use: " + holders}
	}
	if !reflect.DeepEqual(was.Discard, is.Discard) {
		return []string{"what others keep in it may go"}
	}
	return []string{runsAgain}
}

// reconfigures reports whether an install changes configuration that needs a restart of K3s.
func reconfigures(before, inputs resource.PropertyMap) bool {
	config := hostInput(inputs).Stdin
	return config != "" && restarting(config) != restarting(hostInput(before).Stdin)
}

// relabels reports whether an install changes K3s's configuration. After reconfigures, only labels
// and taints of the Node are left, which need no restart.
func relabels(before, inputs resource.PropertyMap) bool {
	config := hostInput(inputs).Stdin
	return config != "" && config != hostInput(before).Stdin
}

// restarting returns the files on an install's stdin whose change restarts K3s.
func restarting(files string) string {
	var kept []string
	for file := range strings.SplitSeq(files, "# file: ") {
		if !strings.HasPrefix(file, "config.yaml.d/80-strata-node.yaml\n") {
			kept = append(kept, file)
		}
	}
	return strings.Join(kept, "# file: ")
}

// signer returns the signer of certificates that a reissue requests.
func signer(reissue resource.PropertyMap) string {
	_, signer, _ := strings.Cut(reissue["stdin"].StringValue(), `"signer":`)
	signer, _, _ = strings.Cut(signer, ",")
	return signer
}

// protects reports whether a guard's input refuses every destroy.
func protects(guard resource.PropertyMap) bool {
	return strings.Contains(guard["stdin"].StringValue(), `"protected"`)
}

// upgrades reports whether the wanted K3s binary changes.
func upgrades(before *pkgresource.State, inputs resource.PropertyMap) bool {
	sum := func(plan resource.PropertyMap) string {
		var asked struct{ SHA256 string }
		if text := plan["stdin"]; text.IsString() && json.Unmarshal([]byte(text.StringValue()), &asked) == nil {
			return asked.SHA256
		}
		return ""
	}
	return before != nil && sum(inputs) != "" && sum(before.Inputs) != sum(inputs)
}

// machineEffects describes the effects on a machine in words, by the code of `strata vm`.
func machineEffects(t *testing.T, gone bool, before *pkgresource.State, inputs resource.PropertyMap) []string {
	t.Helper()
	if gone {
		return []string{"the node's machine is made anew, without what is on it, and joins again"}
	}
	if !inputs["stdin"].IsString() { // in a preview, the host key of the hypervisor is unknown
		return []string{runsAgain}
	}
	was, err := hypervisor.ReadSpec([]byte(before.Inputs["stdin"].StringValue()))
	require.NoError(t, err)
	is, err := hypervisor.ReadSpec([]byte(inputs["stdin"].StringValue()))
	require.NoError(t, err)
	switch {
	case machineset.Changes(was.Node, was.FixedProperties(), is.FixedProperties()) != nil:
		return []string{"refused: the machine would have to be made anew, which `recreate` consents to"}
	case was.CPUs != is.CPUs || was.MemoryMiB != is.MemoryMiB:
		return []string{"machines restart, one after the other"}
	case was.DiskGiB != is.DiskGiB:
		return []string{"the disk grows; the file system follows at the next boot"}
	}
	return []string{runsAgain}
}
