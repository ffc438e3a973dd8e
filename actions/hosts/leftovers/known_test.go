package leftovers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/hypervisor"
	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/remote"
)

func TestBeforeHasClusterIDAndHypervisorFromState(t *testing.T) {
	vm, err := json.Marshal(hypervisor.Spec{Stack: "dev", Node: "server-1", Driver: "libvirt",
		Libvirt: &hypervisor.Libvirt{}, Timeout: metav1.Duration{Duration: time.Minute},
		Hypervisor: remote.Target{Address: "10.0.0.2", HostKey: "ssh-ed25519 AAAA"}})
	require.NoError(t, err)
	known, err := KnownBefore(parse(t, fmt.Sprintf(`{"deployment":{"resources":[
		{"urn":"urn::k3s-cluster","outputs":{"hex":"cafe"}},
		{"urn":"urn::hosts-server-1-vm","type":"command:local:Command","inputs":{
			"create":"exec .strata/bin/strata vm create","stdin":%q}}]}}`, vm)))
	require.NoError(t, err)
	assert.Equal(t, Before{"cafe", "10.0.0.2", "ssh-ed25519 AAAA"}, known)
	printed, err := json.Marshal(known)
	require.NoError(t, err)
	given, err := ReadBefore(bytes.NewReader(printed))
	require.NoError(t, err)
	assert.Equal(t, known, given, "what is printed is what is read")

	none, err := KnownBefore(parse(t, `{"deployment":{}}`))
	require.NoError(t, err)
	assert.Empty(t, none)
	for text, wants := range map[string]string{"": "", "{}\n": "", "nonsense": "as --before-destroy prints it"} {
		given, err := ReadBefore(strings.NewReader(text))
		assert.Empty(t, given)
		if wants != "" {
			require.ErrorContains(t, err, wants)
		} else {
			require.NoError(t, err)
		}
	}
}

// parse reads an exported state.
func parse(t *testing.T, export string) *stackstate.State {
	t.Helper()
	state, err := stackstate.Parse([]byte(export))
	require.NoError(t, err)
	return state
}
