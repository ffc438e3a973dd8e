package push

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/ssh/remote/sshtest"
)

func TestFilesArePushedToHostOneAtATime(t *testing.T) {
	t.Chdir(t.TempDir())
	server := sshtest.Start(t)
	push := Input{Target: server.Target(), File: filepath.Join(t.TempDir(), "k3s"),
		Dest: filepath.Join(t.TempDir(), "k3s")}
	push.Timeout = metav1.Duration{Duration: time.Minute}
	require.NoError(t, os.WriteFile(push.File, []byte("k3s"), 0o600))
	push.SHA256 = fmt.Sprintf("%x", sha256.Sum256([]byte("k3s")))

	done, err := push.turn(nil)(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var said []string
	_, err = push.send(ctx, 0o600, server.PrivateKey(),
		func(word string) { said = append(said, word); cancel() })
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, []string{"k3s waits for another file on its way to " + push.Target.Name}, said)
	assert.NoFileExists(t, push.Dest)

	done()
	sent, err := push.send(t.Context(), 0o600, server.PrivateKey(), nil)
	require.NoError(t, err)
	assert.True(t, sent)

	_, err = push.turn(nil)(t.Context())
	require.NoError(t, err)
	sent, err = push.send(t.Context(), 0o600, server.PrivateKey(), nil)
	require.NoError(t, err, "what the host has needs no turn")
	assert.False(t, sent)
}
