package host

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A closed or refused connection counts as an answer to full packets. A port that accepts but
// neither reads nor closes the connection counts as answering only small packets.
func TestAnswerProbeReportsFullSmallEchoOrNoAnswer(t *testing.T) {
	closing, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = closing.Close() })
	port := closing.Addr().(*net.TCPAddr).Port
	go func() {
		for {
			conn, err := closing.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	silent, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.2", strconv.Itoa(port)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	dir := t.TempDir() // for a ping that fails, because loopback addresses answer the real one
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ping"),
		[]byte("#!/bin/sh\nexit 1\n"), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	// The broadcast address never answers, even on a network whose gateway answers for any address.
	quick := strings.NewReplacer("timeout 2", "timeout 0.5", "sleep 1 ",
		"sleep 0.1 ").Replace(answerScript)
	blocks := running(t, quick, map[string]string{
		"addresses": "127.0.0.1 127.0.0.2 127.0.0.3 255.255.255.255", "port": strconv.Itoa(port)})
	answers := map[string]Answer{}
	for len(answers) < 4 {
		address, came := answerOf(<-blocks)
		answers[address] = came
	}
	assert.Equal(t, map[string]Answer{"127.0.0.1": AnswerFull, "127.0.0.2": AnswerSmall,
		"127.0.0.3": AnswerFull, "255.255.255.255": AnswerNone}, answers)
	becomes := func(wanted string, answer Answer) {
		assert.Eventually(t, func() bool {
			address, came := answerOf(<-blocks)
			return address == wanted && came == answer
		}, time.Minute, time.Millisecond)
	}
	require.NoError(t, silent.Close())
	becomes("127.0.0.2", AnswerFull)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ping"),
		[]byte("#!/bin/sh\nexit 0\n"), 0o700))
	becomes("255.255.255.255", AnswerEcho)
}
