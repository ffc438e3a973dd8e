package inventory

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/pulumi/stackstate"
	"strata/internal/ssh/remote"
)

func TestPinnedHostKeyOfStateIsUsedOnlyForSameAddress(t *testing.T) {
	const pin = "ssh-ed25519 AAAA"
	state, err := stackstate.Parse(fmt.Appendf(nil, `{"version":3,"deployment":{"resources":[{"urn":"urn:pulumi:dev::strata::command:local:Command::hosts-server-1-hostkey",
		"type":"command:local:Command","inputs":{"triggers":["10.10.0.11"]},"outputs":{"stdout":"%s\n"}}]}}`, pin))
	require.NoError(t, err)
	for name, test := range map[string]struct {
		target remote.Target
		want   string
	}{
		"the same address": {remote.Target{Name: "server-1", Address: "10.10.0.11"}, pin},
		"another address":  {remote.Target{Name: "server-1", Address: "10.10.0.12"}, ""},
		"another node":     {remote.Target{Name: "server-2", Address: "10.10.0.11"}, ""},
		"a configured host key": {remote.Target{Name: "server-1", Address: "10.10.0.11",
			HostKey: "own"}, "own"},
		"another dialed name": {remote.Target{Name: "server-1", Address: "10.10.0.11",
			HostName: "nat.example.org"}, ""},
		"the same dialed name": {remote.Target{Name: "server-1", Address: "10.10.0.9",
			HostName: "10.10.0.11"}, pin},
	} {
		t.Run(name, func(t *testing.T) {
			pinFrom(state, &test.target)
			assert.Equal(t, test.want, test.target.HostKey)
		})
	}
}
