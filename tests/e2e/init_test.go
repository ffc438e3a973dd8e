package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// The story runs from new hosts to a cluster, with the answers that `strata init` proposes. This is
// the second way of docs/getting-started.md.
func TestInitProposalComesUp(t *testing.T) {
	t.Parallel()
	net := network{"sti0", "10.35.0"}
	all := []node{{"server-1", "server", 11}, {"agent-1", "agent", 12}}
	hosts := existingHosts(t, "e2ei", net, all...)
	s := newStack(t, "e2e-init", map[string]any{})
	project := t.TempDir()
	file := filepath.Join(project, "Pulumi."+s.name+".yaml")
	initArgs := []string{"init", s.name, "--project", project, "--user", "strata", "--key",
		hosts.keyFile, "--known-hosts", os.DevNull, "--allow-cgroup-v1"}

	s.step("init names all unreachable hosts, and writes no file", func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join(root, "Pulumi.yaml"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(project, "Pulumi.yaml"), text, 0o600))
		r := s.run(strata, append(initArgs, "--accept-new", "--timeout", "1m", "--host",
			net.address(11), "--host", net.address(99), "--host",
			"no-such-user@"+net.address(12))...)
		s.refused(t, r, "nothing was written", net.address(99)+":22", "private key not accepted")
		assert.NoFileExists(t, file)
	})
	s.step("init names the key of an unknown host, and does not log in", func(t *testing.T) {
		r := s.run(strata, append(initArgs, "--timeout", patient, "--host",
			net.address(11)+","+net.address(12))...)
		for _, n := range all {
			s.refused(t, r, strings.Fields(hosts.must(n.name,
				"ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub"))[1], "--accept-new")
		}
		assert.NoFileExists(t, file)
		initArgs = append(initArgs, "--accept-new")
	})
	s.step("with --accept-new, init pins the hosts' keys and writes the stack file only once",
		func(t *testing.T) {
			r := s.must(s.run(strata, append(initArgs, "--timeout", patient, "--host",
				net.address(11)+","+net.address(12))...))
			for _, n := range all {
				own := strings.Fields(hosts.must(n.name,
					"ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub"))[1]
				assert.Contains(t, r.output, own, "the key of %s", n.name)
			}
			s.refused(t, s.run(strata, append(initArgs, "--host", net.address(11))...),
				"is there already, and is not overwritten")
		})
	var sections map[string]any
	s.step("the README's commands deploy the proposed stack",
		func(t *testing.T) {
			s.asTheReadmeSays(t, hosts)
			sections = proposedSections(t, s.config)
			assert.Equal(t, net.subnet(), sections["hosts"].(map[string]any)["subnet"])
			assert.ElementsMatch(t, names(all), nodeNames(t, s.client()))
			s.must(s.up("--expect-no-changes"))
		})
	s.step("nodes pull through a mirror that requires a login",
		func(t *testing.T) { s.pullsThroughALogin(t, hosts, sections) })
	s.step("destroy succeeds only after k3s.protect is false", func(t *testing.T) {
		s.refused(t, s.destroy(), "protect")
		sections["k3s"].(map[string]any)["protect"] = false
		s.configure(sections)
		s.must(s.up())
		s.must(s.destroy())
	})
}

// proposedSections returns the sections of a stack file, without the prefix strata:.
func proposedSections(t *testing.T, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var stack struct {
		Salt   string         `json:"encryptionsalt"` // of `pulumi stack init`
		Config map[string]any `json:"config"`
	}
	require.NoError(t, yaml.UnmarshalStrict(text, &stack))
	sections := map[string]any{}
	for key, value := range stack.Config {
		sections[strings.TrimPrefix(key, "strata:")] = value
	}
	return sections
}
