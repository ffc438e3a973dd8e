package k3shost_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"strata/internal/k3shost"
	"strata/internal/ssh/remote/sshtest"
)

// While K3s imports images, the host's disk is busy. Such a host may be silent for seconds, and its
// command still runs.
func TestRunToleratesSilentHostForTenSeconds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes longer than a host that is observed may be silent")
	}
	t.Parallel()
	server := sshtest.Start(t)
	began := make(chan struct{})
	server.Handler = func(sshtest.Call) int {
		server.Silence()
		close(began)
		<-t.Context().Done()
		return 0
	}
	ended := make(chan error, 1)
	go func() {
		_, err := k3shost.Run(t.Context(), server.Target(), server.PrivateKey(), "true")
		ended <- err
	}()
	<-began
	select {
	case err := <-ended:
		require.Fail(t, "it was given up", "%v", err)
	case <-time.After(10 * time.Second):
	}
}
