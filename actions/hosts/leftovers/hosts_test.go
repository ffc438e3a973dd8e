package leftovers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/hosts/hostrun"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
	"strata/tests/nettest"
)

func TestOnlyTheHostThatDoesNotAnswerIsUnreachable(t *testing.T) {
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
	assert.Contains(t, out.String(), "strata repair -s staging --forget 127.0.0.1\n")
	assert.Equal(t, 1, strings.Count(out.String(), "\n  "), "the other host answers")

	out.Reset()
	require.NoError(t, showUnreachable(&out, "staging", unreachable(t.Context(), uninstalls[:1])))
	assert.Contains(t, out.String(), "every host in the state answers")
}

func TestOnlyUnreachableHostsAreForgotten(t *testing.T) {
	server := sshtest.Start(t)
	command := func(node string, port int) string {
		target := server.Target()
		target.Name, target.Port = node, port
		input, err := json.Marshal(hostrun.Input{Target: target})
		require.NoError(t, err)
		return fmt.Sprintf(`{"urn":"urn::%s-claim","type":"command:local:Command","inputs":{"stdin":%q,
			"delete":"exec strata host-run --delete","environment":{"STRATA_SSH_KEY":%q}}}`,
			node, input, server.PrivateKey())
	}
	state := `{"deployment":{"resources":[` + command("alive", server.Target().Port) + "," +
		command("dead", nettest.Closed(t).Number()) + `]}}`
	for name, test := range map[string]struct {
		nodes   []string
		refused string
	}{
		"a dead host":    {nodes: []string{"dead"}},
		"one answers":    {[]string{"dead", "alive"}, "host alive (" + server.Target().Address},
		"one is unknown": {[]string{"dead", "other"}, "the state has no host of node other"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var deleted []string
			pulumi := func(_ context.Context, _ []byte, args ...string) ([]byte, error) {
				if args[0] == "state" {
					deleted = append(deleted, strings.Join(args, " "))
				}
				return []byte(state), nil
			}
			var log bytes.Buffer
			err := Forget(t.Context(), &log, pulumi, "dev", test.nodes)
			if test.refused != "" {
				require.ErrorContains(t, err, test.refused)
				assert.Empty(t, deleted)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []string{"state delete --yes --stack dev urn::dead-claim"}, deleted)
			assert.Contains(t, log.String(), "repair: removed host dead (")
		})
	}
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
