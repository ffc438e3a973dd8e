package backup

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/k3s/members"
	"strata/health"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
	"strata/tests/nettest"
)

// One old server runs, and the others do not answer. The waits for the others must not use up the
// time for the running server's answer.
func TestRestoreOnNewHostsIsRefusedWhileServerRuns(t *testing.T) {
	server := sshtest.Start(t)
	state := "active"
	server.Handler = func(call sshtest.Call) int {
		_, err := fmt.Fprintln(call.Stdout, state)
		assert.NoError(t, err)
		return 0
	}
	silent := remote.Target{Name: "server-1", Address: "127.0.0.1",
		Port:    nettest.Closed(t).Number(),
		HostKey: server.Target().HostKey}
	runs := server.Target()
	runs.Name = "server-2"
	n := &NewHosts{
		past:    members.Past{Servers: []remote.Target{silent, runs}},
		cluster: Cluster{secrets: health.Secrets{SSHKey: server.PrivateKey()}},
	}
	require.ErrorContains(t, n.stillRuns(t.Context(), 8*time.Second),
		"K3s still runs on server-2 "+runs.Address)
	state, n.past.Servers = "inactive", []remote.Target{runs}
	require.NoError(t, n.stillRuns(t.Context(), time.Minute))
}
