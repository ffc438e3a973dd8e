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

// command returns a state's resource that runs a script on a host; more has further inputs.
func command(t *testing.T, urn, more, key string, input hostrun.Input) string {
	t.Helper()
	stdin, err := json.Marshal(input)
	require.NoError(t, err)
	return fmt.Sprintf(`{"urn":%q,"type":"command:local:Command","inputs":{%s"create":"exec .strata/bin/strata host-run",`+
		`"environment":{"STRATA_SSH_KEY":%q},"stdin":%q}}`, urn, more, key, stdin)
}

const uninstalls = `"delete":"exec .strata/bin/strata host-run --delete",`

func TestHostWithoutAnswerIsListedAsUnreachable(t *testing.T) {
	server := sshtest.Start(t)
	key := string(server.PrivateKey())
	alive, dead := hostrun.Input{Target: server.Target()}, hostrun.Input{Target: server.Target()}
	dead.Target.Port = nettest.Closed(t).Number()
	parsed := parse(t, `{"deployment":{"resources":[`+
		command(t, "urn::alive-claim", uninstalls, key, alive)+","+
		command(t, "urn::dead-claim", uninstalls, key, dead)+","+
		command(t, "urn::dead-install", "", key, dead)+`]}}`)
	found, err := uninstallsIn(parsed)
	require.NoError(t, err)
	require.Len(t, found, 2, "an install runs nothing at a destroy")

	var out bytes.Buffer
	require.NoError(t, ShowUnreachable(t.Context(), &out, "staging", parsed))
	assert.Contains(t, out.String(), "strata repair -s staging --forget "+dead.Target.Name+"\n")
	assert.Equal(t, 1, strings.Count(out.String(), "\n  "), "the other host answers")

	out.Reset()
	require.NoError(t, showUnreachable(&out, "staging", unreachable(t.Context(), found[:1])))
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
		"a dead host":         {nodes: []string{"dead"}},
		"one host answers":    {[]string{"dead", "alive"}, "host alive (" + server.Target().Address},
		"one host is unknown": {[]string{"dead", "other"}, "the state has no host of node other"},
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

func TestUninstallCommandIsReadWithJumpHosts(t *testing.T) {
	target := remote.Target{
		Name: "server-1", Address: "127.0.0.1", Port: 22, User: "root",
		HostKey: sshtest.New(t).HostKey(),
		Jump:    []remote.Hop{{Address: "jump"}},
	}
	input := hostrun.Input{Target: target, Script: "claim", Delete: "uninstall"}
	found, err := uninstallsIn(parse(t, `{"deployment":{"resources":[`+
		command(t, "urn::server-1-claim", uninstalls, "key", input)+`]}}`))
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.Equal(t, "urn::server-1-claim", found[0].urn)
	assert.Equal(t, target, found[0].target)
	assert.Equal(t, "key", string(found[0].key))
}
