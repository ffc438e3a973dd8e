package leftovers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/hosts/hostrun"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
	"strata/tests/nettest"
)

func TestStrandedNamesOnlyTheHostThatDoesNotAnswer(t *testing.T) {
	server := sshtest.Start(t)
	closed := nettest.Closed(t).Number()
	key, err := json.Marshal(string(server.PrivateKey()))
	require.NoError(t, err)
	target := server.Target()
	command := func(urn string, port int, more string) string {
		return fmt.Sprintf(`{"urn":%q,"type":"command:remote:Command","inputs":{%s"connection":{"host":%q,"port":%d,"user":%q,"privateKey":%s,"hostKey":%q}}}`,
			urn, more, target.Address, port, target.User, key, target.HostKey)
	}
	state := `{"deployment":{"resources":[` + command("urn::alive-uninstall", target.Port, `"delete":"x",`) + "," +
		command("urn::dead-uninstall", closed, `"delete":"x",`) + "," + command("urn::dead-install", closed, "") + `]}}`
	parsed := parse(t, state)
	uninstalls, err := uninstallsIn(parsed)
	require.NoError(t, err)
	require.Len(t, uninstalls, 2, "an install runs nothing at a destroy")

	var out bytes.Buffer
	require.NoError(t, ShowUnreachable(t.Context(), &out, "staging", parsed))
	assert.Contains(t, out.String(), "pulumi state delete --yes --stack staging 'urn::dead-uninstall'")
	assert.NotContains(t, out.String(), "alive-uninstall")

	out.Reset()
	require.NoError(t, showUnreachable(&out, "staging", unreachable(t.Context(), uninstalls[:1])))
	assert.Contains(t, out.String(), "another cause")
}

// A stack that was made before Strata's own SSH and one that was made since are told apart by the
// type of the command; in between, a state has both.
func TestAnUninstallOverStratasOwnSSHIsFoundWithItsWay(t *testing.T) {
	closed := nettest.Closed(t).Number()
	input, err := json.Marshal(hostrun.Input{
		Target: remote.Target{Name: "server-1", Address: "127.0.0.1", Port: closed, User: "root", HostKey: sshtest.New(t).HostKey(), Jump: []remote.Hop{{Address: "jump"}}},
		Script: "claim", Delete: "uninstall",
	})
	require.NoError(t, err)
	stdin, err := json.Marshal(string(input))
	require.NoError(t, err)
	command := func(urn, more string) string {
		return fmt.Sprintf(`{"urn":%q,"type":"command:local:Command","inputs":{%s"create":"exec .strata/bin/strata host-run","environment":{"STRATA_SSH_KEY":"key"},"stdin":%s}}`, urn, more, stdin)
	}
	parsed := parse(t, `{"deployment":{"resources":[`+command("urn::server-1-claim", `"delete":"exec .strata/bin/strata host-run --delete",`)+","+
		command("urn::server-1-install", "")+`,{"urn":"urn::server-1-uninstall","type":"command:remote:Command","inputs":{"connection":{"host":"127.0.0.1"}}}]}}`)
	found, err := uninstallsIn(parsed)
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.Equal(t, "urn::server-1-claim", found[0].urn)
	assert.Equal(t, "server-1", found[0].target.Name)
	assert.Equal(t, []remote.Hop{{Address: "jump"}}, found[0].target.Jump)
	assert.Equal(t, "key", string(found[0].key))
}
