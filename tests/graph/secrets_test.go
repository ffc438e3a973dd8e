package graph_test

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/pulumitest"
)

// secretTexts returns texts that must never be in plain text. They are parts of secrets without
// line breaks, so that they are also found in escaped texts.
func (p *program) secretTexts() map[string]string {
	return map[string]string{
		"the join token":              pulumitest.Token,
		"the kubeconfig":              pulumitest.ClientKey,
		"the existing hosts' SSH key": secondLine(p.project.SSHKey),
		"the machines' SSH key":       secondLine(p.answers.MachineKey),
	}
}

// secondLine returns the first line of data in a PEM block.
func secondLine(pem string) string { return strings.Split(pem, "\n")[1] }

func TestSecretsAreInSecretInputsOnly(t *testing.T) {
	for _, stack := range stacks(t) {
		t.Run(stack, func(t *testing.T) {
			p := newProgram(t, stack)
			g := p.graph(t)
			seen := map[string]int{}
			for _, name := range g.names() {
				for key, value := range g[name].Inputs {
					for secret, text := range p.secretTexts() {
						assert.Empty(t, pulumitest.FindPlain(string(key), value, text),
							"%s shows %s", name, secret)
						if pulumitest.Contains(value, text) {
							seen[secret]++
						}
					}
				}
			}
			assert.Positive(t, seen["the join token"], "the test looked at no secret")
			assert.Positive(t, seen["the kubeconfig"], "the test looked at no secret")
			if p.cfg.OnExistingCluster() {
				return // this stack needs no login
			}
			assert.Positive(t, seen["the existing hosts' SSH key"]+seen["the machines' SSH key"],
				"the test looked at no secret")
		})
	}
}

// The text of a command is visible in the arguments of processes, on this machine and on hosts, and
// in error messages. So it must not contain a secret, even in a secret input.
func TestCommandTextsContainNoSecret(t *testing.T) {
	for _, stack := range stacks(t) {
		t.Run(stack, func(t *testing.T) {
			p := newProgram(t, stack)
			g := p.graph(t)
			for _, name := range g.names() {
				for _, step := range []string{"create", "update", "delete"} {
					value, marked := g[name].Input(step)
					assert.False(t, marked, "%s: the text of %s is made from a secret", name, step)
					for secret, text := range p.secretTexts() {
						assert.False(t, pulumitest.Contains(value, text), "%s: %s has %s in it",
							name, step, secret)
					}
				}
			}
		})
	}
}

func TestCommandsThatPrintSecretsHideTheirOutput(t *testing.T) {
	for _, stack := range stacks(t) {
		t.Run(stack, func(t *testing.T) {
			p := newProgram(t, stack)
			g := p.graph(t)
			for _, name := range g.where(func(r pulumitest.Resource) bool {
				return strings.HasPrefix(r.Type, "command:")
			}) {
				printed := p.answers.Outputs(g[name])["stdout"]
				for secret, text := range p.secretTexts() {
					if !pulumitest.Contains(printed, text) {
						continue
					}
					assert.Contains(t, g[name].SecretOutputs, "stdout", "%s prints %s",
						name, secret)
					// Progress is printed on stderr. By default, Pulumi would also log stdout.
					assert.Contains(t, []string{"none", "stderr"}, g[name].Text("logging"),
						"%s prints %s", name, secret)
				}
			}
		})
	}
}

// docs/security.md must have a row for each password that Strata generates.
func TestSecurityPageNamesEveryGeneratedPassword(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/security.md"))
	require.NoError(t, err)
	g := everything(t, newProgram(t, "staging")).graph(t)
	passwords := g.where(func(r pulumitest.Resource) bool {
		return strings.HasSuffix(r.Type, ":RandomPassword")
	})
	require.NotEmpty(t, passwords)
	called := map[string]string{"k3s-token": "the servers' token",
		"k3s-agent-token": "the agents' token", "argocd-admin-password": "Argo CD's admin password",
		"apisix-viewer-key": "`-viewer-key`"}
	for _, name := range passwords {
		switch {
		case strings.HasPrefix(name, "demo-"):
			assert.Contains(t, string(page), "the demo's")
		case strings.HasPrefix(name, "workload-"): // opens nothing: it keys a digest
		default:
			assert.Contains(t, string(page), cmp.Or(called[name], "`"+name+"`"))
		}
	}
}
