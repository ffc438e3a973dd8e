package scaffold

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"strata/cli/scaffold/scaffoldtest"
)

// If sshd has answered, the host is on, and its address and port are right.
func TestTimeoutFixSuggestsAddressCheckOnlyForSilentHost(t *testing.T) {
	silent, shell, booting := scaffoldtest.New(t, 17), scaffoldtest.New(t, 18), scaffoldtest.New(t, 19)
	silent.Dropped = 1000
	shell.Shell = []string{"/bin/sh", "-c", "exec cat >/dev/null"}
	booting.Configure = func(c *ssh.ServerConfig) {
		c.BannerCallback = func(ssh.ConnMetadata) string {
			booting.Cut()
			return "System is booting up."
		}
	}
	for host, fix := range map[*scaffoldtest.Host]string{
		silent: "check that the host is on, and its address and port; --timeout waits longer",
		shell:  "--timeout waits longer", booting: "--timeout waits longer",
	} {
		r := request(t, host)
		require.NoError(t, r.Check())
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		_, problems := r.readAll(ctx)
		cancel()
		require.Len(t, problems, 1)
		assert.Equal(t, fix, problems[0].Fix, problems[0].What)
	}
}
