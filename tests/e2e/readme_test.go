package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// asTheReadmeSays brings the hosts up with the README's block for own hosts. It runs in a clone and
// a home directory that have only an SSH key and the hosts' keys. The commands are typed literally,
// except for the hosts' addresses and `strata fetch`, because the lab's artifacts replace
// downloads. The story continues with that stack.
func (s *stack) asTheReadmeSays(t *testing.T, hosts *hostSet) {
	home, clone := filepath.Join(s.dir, "person"), filepath.Join(s.dir, "clone")
	s.must(s.run("git", "clone", "--quiet", root, clone))
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".ssh"), 0o700))
	key, err := os.ReadFile(hosts.keyFile)
	require.NoError(t, err)
	writeFile(t, filepath.Join(home, ".ssh/id_ed25519"), string(key))
	var addresses []string
	known := ""
	for _, n := range hosts.nodes {
		address := hosts.net.address(n.host)
		addresses = append(addresses, address)
		known += address + " " + hosts.must(n.name, "cat /etc/ssh/ssh_host_ed25519_key.pub") + "\n"
	}
	writeFile(t, filepath.Join(home, ".ssh/known_hosts"), known)

	block := readmeBlock(t, filepath.Join(clone, "README.md"), "strata init")
	typed := strings.Replace(block, "--host 10.10.0.11,10.10.0.12",
		"--allow-cgroup-v1 --host "+strings.Join(addresses, ","), 1)
	typed = strings.Replace(typed, "\nstrata fetch", "\n: strata fetch", 1)
	require.NotEqual(t, block, typed)
	s.env = s.atHome(home)
	s.must(s.runIn(clone, "sh", "-euc", typed))

	s.program = clone
	s.name = "production"
	s.config = filepath.Join(clone, "Pulumi.production.yaml")
	s.backend = filepath.Join(home, ".strata/state")
	s.env = append(s.env, "PULUMI_BACKEND_URL=file://"+s.backend+"?metadata=skip",
		"PULUMI_CONFIG_PASSPHRASE_FILE="+filepath.Join(home, ".strata/passphrase"))
	kubectl, err := exec.Command(filepath.Join(bundle, "k3s/k3s"), "kubectl", "--kubeconfig",
		filepath.Join(home, ".kube/config"), "--context", s.name, "get", "nodes").CombinedOutput()
	require.NoError(t, err, string(kubectl))
}

// atHome returns the environment of a user who has not chosen a state or a passphrase yet.
func (s *stack) atHome(home string) []string {
	env := slices.DeleteFunc(slices.Clone(s.env), func(variable string) bool {
		return strings.HasPrefix(variable, "PULUMI_BACKEND_URL=") ||
			strings.HasPrefix(variable, "PULUMI_CONFIG_PASSPHRASE")
	})
	caches, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	require.NoError(s.t, err)
	folders := strings.Fields(string(caches))
	return append(env, "HOME="+home, "GOCACHE="+folders[0], "GOMODCACHE="+folders[1],
		"PULUMI_SKIP_CONFIRMATIONS=true")
}

// readmeBlock returns the block of commands on a page that contains a text.
func readmeBlock(t *testing.T, page, text string) string {
	t.Helper()
	content, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(string(content), -1) {
		if strings.Contains(block[1], text) {
			return block[1]
		}
	}
	require.Fail(t, page+" has no block with "+text)
	return ""
}
