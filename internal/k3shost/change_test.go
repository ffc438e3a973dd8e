package k3shost_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/k3shost"
)

// tokenSum is the sum of the token "secret".
const tokenSum = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"

const (
	mark      = "var/lib/strata/owner"
	config    = "etc/rancher/k3s/config.yaml"
	own       = "cluster=00ff\nproject=strata\nstack=dev\nnode=agent-1\n"
	otherMark = "cluster=ff00\nproject=shop\nstack=prod\nnode=agent-1\n"
)

func TestOwnerScriptShowsClearsAndTakesMark(t *testing.T) {
	for name, test := range map[string]struct {
		files           map[string]string
		to              k3shost.Change
		output          string
		fails, leftMark string
	}{
		"a mark is shown": {map[string]string{mark: otherMark}, k3shost.Show,
			"other shop prod agent-1 ff00", "", otherMark},
		"a mark is cleared": {map[string]string{mark: otherMark,
			config: "token: x\n"}, k3shost.Clear, "other shop prod agent-1 ff00", "", ""},
		"no mark to clear": {nil, k3shost.Clear, "free", "", ""},
		"a host without K3s": {map[string]string{mark: otherMark}, k3shost.Take,
			"other shop prod agent-1 ff00", "", own},
		"a K3s of this cluster": {map[string]string{mark: otherMark,
			config: "node-name: agent-1\ntoken: secret\n"}, k3shost.Take,
			"other shop prod agent-1 ff00", "", own},
		"a token with the CA's hash": {map[string]string{mark: otherMark,
			config: "node-name: agent-1\ntoken: K10" + tokenSum + "::node:secret\n"}, k3shost.Take,
			"other shop prod agent-1 ff00", "", own},
		"another token with the CA's hash": {map[string]string{mark: otherMark,
			config: "node-name: agent-1\ntoken: K10" + tokenSum + "::node:other\n"}, k3shost.Take,
			"other shop prod agent-1 ff00", "its token is another", otherMark},
		"a K3s of another cluster": {map[string]string{mark: otherMark,
			config: "node-name: agent-1\ntoken: other\n"}, k3shost.Take,
			"other shop prod agent-1 ff00", "its token is another", otherMark},
		"another node of this cluster": {map[string]string{mark: otherMark,
			config: "node-name: agent-2\ntoken: secret\n"}, k3shost.Take,
			"other shop prod agent-1 ff00", "two steps", otherMark},
		"an unmarked K3s of another cluster": {
			map[string]string{config: "node-name: agent-1\ntoken: other\n"}, k3shost.Take,
			"unmarked", "its token is another", ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for path, text := range test.files {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(root, path), []byte(text), 0o600))
			}
			owner := k3shost.Owner{Cluster: "00ff", TokenSHA256: "00ff " + tokenSum,
				Project: "strata", Stack: "dev", Node: "agent-1"}
			text := strings.NewReplacer("/etc/", root+"/etc/", "/var/lib/",
				root+"/var/lib/").Replace(k3shost.ChangeScript(test.to, owner))
			command := exec.CommandContext(t.Context(), "sh", "-c", text)
			var output, failed strings.Builder
			command.Stdout, command.Stderr = &output, &failed
			err := command.Run()
			assert.Equal(t, test.output+"\n", output.String())
			if test.fails == "" {
				require.NoError(t, err, failed.String())
			} else {
				require.Error(t, err)
				assert.Contains(t, failed.String(), test.fails)
			}
			left, _ := os.ReadFile(filepath.Join(root, mark))
			assert.Equal(t, test.leftMark, string(left))
			assert.NoFileExists(t, filepath.Join(root, mark+".before"))
			after, _ := os.ReadFile(filepath.Join(root, config))
			assert.Equal(t, test.files[config], string(after), "K3s goes on as it was")
		})
	}
}
