package leftovers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/nettest"
	"strata/internal/remote/sshtest"
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
