package remote

import (
	"fmt"
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSilenceBeforeAndAfterTheConnectionAreToldApart(t *testing.T) {
	silence := func(during string) error {
		return plainDialError(fmt.Errorf("ssh: %w", &net.OpError{Op: during, Net: "tcp", Err: os.ErrDeadlineExceeded}))
	}
	assert.EqualError(t, silence("dial"), "no answer: the host is down, or a firewall drops the connection")
	assert.EqualError(t, silence("read"), "connection accepted, then no answer: sshd hangs, or the whole host does")
}
