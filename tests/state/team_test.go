package state

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// Two people work on one stack, whose state moves from local files to a store. The test runs the
// commands of docs/team.md one by one.
func TestTeamSharesStackOnS3CompatibleStore(t *testing.T) {
	s, key := newStore(t), newKey(t)
	ada := newPerson(t, "ada", stackFile, key)
	at := []string{"-s", "production", "--non-interactive"}
	up := append([]string{"up", "--yes", "--skip-preview"}, at...)
	files := "file://" + t.TempDir()

	ada.must("pulumi", "login", files)
	ada.must("pulumi", "stack", "init", "production")
	ada.must("pulumi", "config", "set", "--secret", "team:note", secret, "-s", "production")
	ada.must("pulumi", "stack", "export", "-s", "production", "--file", "state.json")
	ada.must("pulumi", "login", s.login())
	ada.must("pulumi", "stack", "init", "production")
	ada.must("pulumi", "stack", "import", "-s", "production", "--file", "state.json")
	assert.Contains(t, ada.must("pulumi", "config", "get", "team:note", "-s", "production"), secret,
		"the salt is that of the stack file")

	committed, err := os.ReadFile(filepath.Join(ada.checkout, "Pulumi.production.yaml"))
	require.NoError(t, err)
	assert.NotContains(t, string(committed), secret)
	bob := newPerson(t, "bob", string(committed), key)
	bob.must("pulumi", "login", s.login())
	previews := append([]string{"preview", "--diff"}, at...)
	changes := regexp.MustCompile(`\+ \d+ to create`)
	asAda := changes.FindString(ada.must("pulumi", previews...))
	asBob := changes.FindString(bob.must("pulumi", previews...))
	assert.NotEmpty(t, asAda)
	assert.Equal(t, asAda, asBob)
	bob.hasPassphrase = "another one"
	output, err := bob.run("pulumi", previews...)
	require.Error(t, err)
	assert.Contains(t, output, "incorrect passphrase")
	bob.hasPassphrase = passphrase

	// While the update waits for the host, the stack is locked. A kill leaves the lock.
	ada.killed("hosts-server-1-hostkey creating", "pulumi", up...)
	require.Len(t, s.locks(), 1)
	output, err = bob.run("pulumi", up...)
	require.Error(t, err)
	assert.Contains(t, output, "the stack is currently locked by 1 lock(s)")
	assert.Contains(t, bob.must("pulumi", previews...), "to create", "a preview waits for no lock")
	// repair fails while an update is pending, because the update may still run.
	output, _ = bob.run("strata", "repair", "-s", "production")
	assert.Contains(t, output, "`pulumi cancel` removes a dead one")
	assert.Len(t, s.locks(), 1)

	ada.must("pulumi", "cancel", "-s", "production", "--yes")
	assert.Empty(t, s.locks())
	ada.must("strata", "repair", "-s", "production")
	output, err = bob.run("pulumi", up...)
	require.Error(t, err)
	assert.Contains(t, output, "connection refused: sshd is not listening", "it came to the host, which is off")
	assert.Empty(t, s.locks(), "an up that fails leaves no lock")

	shown := bob.must("pulumi", "stack", "export", "-s", "production", "--show-secrets")
	for what, hidden := range map[string]string{"passphrase": passphrase,
		"key": strings.Split(key, "\n")[2], "secret of the configuration": secret, "token": token(t, shown)} {
		for object, text := range s.objects() {
			assert.NotContains(t, text, hidden, "the %s is in %s", what, object)
		}
	}
	bob.must("pulumi", "destroy", "-s", "production", "--yes", "--skip-preview", "--non-interactive")
	assert.Empty(t, s.locks())
}

// token returns the cluster's token in a state with decrypted secrets.
func token(t *testing.T, export string) string {
	t.Helper()
	var state struct {
		Deployment struct {
			Resources []struct {
				URN     string
				Outputs struct{ Result struct{ Plaintext string } }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(export), &state))
	for _, one := range state.Deployment.Resources {
		if strings.HasSuffix(one.URN, "::k3s-token") {
			var text string
			require.NoError(t, json.Unmarshal([]byte(one.Outputs.Result.Plaintext), &text))
			require.Greater(t, len(text), 20)
			return text
		}
	}
	require.Fail(t, "the state has no token")
	return ""
}

// newKey returns a private key in PEM.
func newKey(t *testing.T) string {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	return string(pem.EncodeToMemory(block))
}
