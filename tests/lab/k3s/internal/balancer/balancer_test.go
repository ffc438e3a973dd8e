package balancer

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answering starts a server that sends its name to each client, and returns its address.
func answering(t *testing.T, name string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, listener.Close()) })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if _, err := io.WriteString(conn, name); err == nil {
				err = conn.Close()
			}
			if err != nil {
				return
			}
		}
	}()
	return listener.Addr().String()
}

// dead returns an address at which nothing listens.
func dead(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}

// through returns the data that a server sends through the balancer.
func through(t *testing.T, b *Balancer) string {
	t.Helper()
	client, far := net.Pipe()
	go b.proxy(far)
	data, err := io.ReadAll(client)
	require.NoError(t, err)
	return string(data)
}

func TestConnectionGoesToAServerThatAnswers(t *testing.T) {
	gone, up := dead(t), answering(t, "second")
	b := &Balancer{servers: []string{gone, up}, conns: map[string]map[net.Conn]bool{}}
	assert.Equal(t, "second", through(t, b))
	assert.Equal(t, []string{up, gone}, b.servers, "the one that failed is tried last from now on")
}

func TestStoredServersAreUsedAfterRestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "agent", "etc", "state.json")
	first := &Balancer{file: file, conns: map[string]map[net.Conn]bool{}}
	first.Set("https://join:6443", []string{"10.0.0.1:6443", "10.0.0.2:6443"})
	second := &Balancer{file: file, servers: []string{"join:6443"}}
	second.load("https://join:6443")
	assert.Equal(t, []string{"join:6443", "10.0.0.1:6443", "10.0.0.2:6443"}, second.servers)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestServersStoredForAnotherServerURLAreIgnored(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	first := &Balancer{file: file, conns: map[string]map[net.Conn]bool{}}
	first.Set("https://old:6443", []string{"10.0.0.1:6443"})
	second := &Balancer{file: file, servers: []string{"new:6443"}}
	second.load("https://new:6443")
	assert.Equal(t, []string{"new:6443"}, second.servers)
}
