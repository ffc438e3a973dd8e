package e2e

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/hosts/hostrun"
	"strata/internal/files/digest"
	"strata/internal/ssh/remote"
)

// loginsScript creates a user for each kind of login, with $KEY in authorized_keys. sudo asks only
// two of them for a password. The host's name does not resolve, so sudo prints a warning.
const loginsScript = `set -eu
user() { # NAME SHELL [OPTIONS OF THE KEY]
	useradd -m -s "$2" "$1"
	mkdir -p "/home/$1/.ssh"
	echo "${3:+$3 }$KEY" > "/home/$1/.ssh/authorized_keys"
	chown -R "$1:" "/home/$1/.ssh"
	echo "$1 ALL=(ALL) NOPASSWD:ALL" > "/etc/sudoers.d/login-$1"
}
for shell in bash fish tcsh zsh rbash; do user "u-$shell" "/bin/$shell"; done
user u-nologin /usr/sbin/nologin
user u-forced /bin/bash
printf 'Match User u-forced\n\tForceCommand /bin/echo maintenance\n' >> /etc/ssh/sshd_config
user u-echoed /bin/bash 'command="echo You asked: $SSH_ORIGINAL_COMMAND; timeout 1 cat"'
user u-cloud /bin/bash 'command="echo '\''Please login as the user \"debian\" rather than the user \"root\".'\'';echo;sleep 1;exit 142"'
user u-noisy /bin/bash
printf 'echo Welcome; echo "strata-ended 0 0"; echo careful >&2\n' > /home/u-noisy/.bashrc
user u-tty /bin/bash
echo 'Defaults:u-tty requiretty' >> /etc/sudoers.d/login-u-tty
user u-expired /bin/bash
echo u-expired:secret | chpasswd
chage -d 0 u-expired
user u-asks /bin/bash
echo 'u-asks:it is right' | chpasswd
echo 'u-asks ALL=(ALL) ALL' > /etc/sudoers.d/login-u-asks
user u-nosudo /bin/bash
rm /etc/sudoers.d/login-u-nosudo
hostname nowhere.invalid
`

// runsScripts are users whose logins run scripts.
var runsScripts = []string{"root", "u-bash", "u-fish", "u-tcsh", "u-zsh", "u-rbash", "u-noisy",
	"u-asks"}

// refusals are users whose logins run no scripts, with the error and the text that the host prints.
var refusals = []struct {
	user  string
	err   error
	words []string
}{
	{"u-nologin", remote.ErrNotRun, []string{"This account is currently not available.",
		"exit code 1"}},
	{"u-forced", remote.ErrNotRun, []string{"maintenance", "exit code 0"}},
	{"u-echoed", remote.ErrNotRun, []string{"You asked: sh -c"}},
	{"u-cloud", remote.ErrNotRun, []string{
		`Please login as the user "debian" rather than the user "root".`, "exit code 142"}},
	{"u-expired", remote.ErrNotRun, []string{"Your password has expired"}},
	{"u-tty", remote.ErrSudo, []string{"you must have a tty to run sudo",
		"Defaults:u-tty !requiretty"}},
	{"u-nosudo", remote.ErrSudo, []string{"a password is required", "NOPASSWD"}},
}

// The test covers every login shell, and every answer that sshd may give instead of running a
// script. It uses Debian's sshd, PAM and sudo.
func TestScriptResultIsProvedOnEveryLogin(t *testing.T) {
	t.Parallel()
	net := network{"stu0", "10.51.0"}
	hosts := existingHosts(t, "e2elogins", net, node{"server-1", "server", 11})
	key, err := os.ReadFile(hosts.keyFile)
	require.NoError(t, err)
	public := strings.TrimSpace(hosts.must("server-1", "cat ~strata/.ssh/authorized_keys"))
	hosts.must("server-1", "KEY="+remote.Quote(public)+"\n"+loginsScript+
		"mkdir -p /root/.ssh; cp ~strata/.ssh/authorized_keys /root/.ssh; systemctl restart ssh")
	target := remote.Target{
		Name: "server-1", Address: net.address(11), Port: 22,
		HostKey: strings.TrimSpace(hosts.must("server-1",
			"cut -d' ' -f1,2 /etc/ssh/ssh_host_ed25519_key.pub")),
	}
	proveLogins(t, target, key)
}

func proveLogins(t *testing.T, target remote.Target, key []byte) {
	keys := append(key, remote.SudoPassword("it is right", "")...)
	for _, user := range runsScripts {
		t.Run("as "+user, func(t *testing.T) {
			client, err := remote.Dial(t.Context(), as(target, user), keys)
			require.NoError(t, err)
			t.Cleanup(func() { _ = client.Close() })
			ranIsProved(t, client)
			whatIsPushedIsThere(t, client)
		})
	}
	for _, test := range refusals {
		t.Run("refused as "+test.user, func(t *testing.T) {
			client, err := remote.Dial(t.Context(), as(target, test.user), key)
			require.NoError(t, err)
			t.Cleanup(func() { _ = client.Close() })
			result, err := client.Run(t.Context(), "exit 3", []byte("secret-input"))
			require.ErrorIs(t, err, test.err)
			assert.Equal(t, -1, result.Code)
			assert.Empty(t, string(result.Stdout))
			for _, words := range test.words {
				assert.ErrorContains(t, err, words)
			}
			assert.NotContains(t, err.Error(), "secret-input")
			_, err = client.Push(t.Context(), uploadOf(t, "/root/never"))
			require.ErrorIs(t, err, test.err)
			input := hostrun.Input{Target: as(target, test.user), Delete: "true"}
			require.ErrorIs(t, input.Run(t.Context(), true, key, t.Output()), test.err)
		})
	}
}

// as returns a target with another user.
func as(target remote.Target, user string) remote.Target {
	target.User = user
	return target
}

func ranIsProved(t *testing.T, client *remote.Client) {
	result, err := client.Run(t.Context(), "id -u; printf 'no newline'; echo careless >&2; cat",
		[]byte(" and input"))
	require.NoError(t, err)
	assert.Equal(t, "0\nno newline and input", string(result.Stdout))
	assert.Equal(t, "careless\n", string(result.Stderr))
	_, err = client.Run(t.Context(), "exit 28", nil)
	var exit *remote.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 28, exit.Code)
	assert.Empty(t, exit.Stderr, "sudo's warnings are not the script's")
	_, err = client.Run(t.Context(), "kill -KILL $(exec sh -c 'echo $PPID')", nil)
	require.ErrorAs(t, err, &exit)
	assert.ErrorContains(t, err, "SIGKILL")
	_, err = client.Run(t.Context(), "kill -KILL 0", nil)
	require.Error(t, err)
	assert.NotErrorAs(t, err, &exit, "all of it was killed, with who would have told the code")
}

// uploadOf returns an upload of 3 MiB, more than Push sends without an acknowledgement.
func uploadOf(t *testing.T, dest string) remote.Upload {
	content := make([]byte, 3<<20)
	_, _ = rand.Read(content)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, content, 0o600))
	return remote.Upload{File: file, Dest: dest, Mode: 0o600, SHA256: digest.Sum(content)}
}

func whatIsPushedIsThere(t *testing.T, client *remote.Client) {
	upload := uploadOf(t, "/root/"+hex.EncodeToString([]byte(t.Name())))
	for _, expected := range []bool{true, false} {
		sent, err := client.Push(t.Context(), upload)
		require.NoError(t, err)
		assert.Equal(t, expected, sent)
	}
	var back strings.Builder
	require.NoError(t, client.Read(t.Context(), upload.Dest, &back, remote.DefaultSilence))
	assert.Equal(t, upload.SHA256, digest.Sum([]byte(back.String())))
}
