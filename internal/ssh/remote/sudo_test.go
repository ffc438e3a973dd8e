package remote_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

// asksFor imitates a sudo that requests a password: it reads a line of stdin for each of three
// tries. It records the lines.
const asksFor = `[ "$1 $2 $3 $4 $5 $6 $7" = "-k -S -p  -u root --" ] || { echo "sudo: not called as expected: $*" >&2; exit 9; }
shift 7
for try in 1 2 3; do
	IFS= read -r given || { echo "sudo: no password was provided" >&2; exit 1; }
	echo "$given" >> "$TRIES"
	if [ "$given" = "it's right" ]; then AS_ROOT=yes exec "$@"; fi
	echo "Sorry, try again." >&2
done
echo "sudo: 3 incorrect password attempts" >&2
exit 1`

// sudoer returns a host with a user who has a sudo password, and the passwords that were tried.
func sudoer(t *testing.T, sudo string) (server *sshtest.Server, tries func() []string) {
	t.Helper()
	server = sshtest.Start(t)
	server.User = "admin"
	file := filepath.Join(t.TempDir(), "tries")
	server.Sudo, server.Env = sudo, []string{"TRIES=" + file}
	return server, func() []string {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
}

func TestSudoPasswordIsSentOnStdin(t *testing.T) {
	server, tries := sudoer(t, asksFor)
	client, err := remote.Dial(soon(t), server.Target(),
		append(server.PrivateKey(), remote.SudoPassword("it's right", "")...))
	require.NoError(t, err)
	script := "for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <\"$f\" 2>/dev/null; echo; done; echo \"$AS_ROOT\"; cat"
	result, err := client.Run(soon(t), script, []byte("input"))
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(string(result.Stdout), "yes\ninput"))
	assert.NotContains(t, string(result.Stdout), "it's right")
	assert.NotContains(t, strings.Join(server.Commands(), "\n"), "it's right")
	assert.Equal(t, []string{"it's right", "it's right"}, tries(), "once to ask, once to run")
	require.NoError(t, client.Close())
}

func TestSudoThatReadsAheadDoesNotConsumeScript(t *testing.T) {
	server := sshtest.Start(t)
	server.User, server.Sudo = "admin", sshtest.AskingSudo("it's right")
	client, err := remote.Dial(soon(t), server.Target(),
		append(server.PrivateKey(), remote.SudoPassword("it's right", "")...))
	require.NoError(t, err)
	result, err := client.Run(soon(t), "echo out; cat", []byte("input"))
	require.NoError(t, err)
	assert.Equal(t, "out\ninput", string(result.Stdout))
	require.NoError(t, client.Close())
}

func TestWrongSudoPasswordIsTriedOnceAndReported(t *testing.T) {
	server, tries := sudoer(t, asksFor)
	_, err := remote.Dial(soon(t), server.Target(),
		append(server.PrivateKey(), remote.SudoPassword("wr0ng", "")...))
	require.ErrorIs(t, err, remote.ErrSudoPassword)
	assert.Contains(t, err.Error(), "user admin on host-1")
	assert.Contains(t, err.Error(), "correct the sudo password, it was tried once")
	assert.NotContains(t, err.Error(), "wr0ng")
	assert.Equal(t, []string{"wr0ng"}, tries(), "a second one may lock the user out")
}

func TestUnusedSudoPasswordIsNotPassedToScript(t *testing.T) {
	server, _ := sudoer(t, `shift 7; AS_ROOT=yes exec "$@"`)
	client, err := remote.Dial(soon(t), server.Target(),
		append(server.PrivateKey(), remote.SudoPassword("it's right", "")...))
	require.NoError(t, err)
	result, err := client.Run(soon(t), `echo "$AS_ROOT"; cat`, []byte("input"))
	require.NoError(t, err)
	assert.Equal(t, "yes\ninput", string(result.Stdout))
	assert.Empty(t, string(result.Stderr))
	require.NoError(t, client.Close())
}

func TestHostSudoPasswordOverridesSharedOne(t *testing.T) {
	server, tries := sudoer(t, asksFor)
	keys := append(server.PrivateKey(), remote.SudoPassword("another's", "")...)
	keys = append(keys, remote.SudoPassword("it's right", "host-1")...)
	client, err := remote.Dial(soon(t), server.Target(), keys)
	require.NoError(t, err)
	require.NoError(t, client.Close())
	assert.Equal(t, []string{"it's right"}, tries())
}

func TestRootNeedsNoSudoPassword(t *testing.T) {
	server := sshtest.Start(t)
	client, err := remote.Dial(soon(t), server.Target(),
		append(server.PrivateKey(), remote.SudoPassword("it's right", "")...))
	require.NoError(t, err)
	require.NoError(t, client.Close())
	assert.Empty(t, server.Commands())
}
