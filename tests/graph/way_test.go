package graph_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"

	"strata/internal/ssh/remote"
	"strata/tests/pulumitest"
)

// Each command that logs in must have all jump hosts and the keys for them. The sudo password must
// be in no plain value.
func TestSSHRouteIsInEveryCommandThatLogsIn(t *testing.T) {
	t.Setenv(pulumi.EnvConfigSecretKeys, `["strata:hosts"]`)
	p := newProgram(t, "staging")
	const pin = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
	var nodes []any
	for _, node := range p.cfg.Hosts.Nodes {
		nodes = append(nodes, map[string]any{"name": node.Name, "role": node.Role,
			"address": node.Address})
	}
	p.set(t, "hosts",
		map[string]any{"driver": "existing", "subnet": p.cfg.Hosts.Subnet, "nodes": nodes,
			"ssh": map[string]any{
				"user": "ops", "sudoPassword": "hunter2", "dynamicForward": 1080,
				"jump": []any{map[string]any{"host": "192.0.2.1", "hostKey": pin}},
			}})
	g := p.graph(t)
	for _, rule := range rules {
		assert.Empty(t, rule.check(p, g), rule.name)
	}
	sudo := strings.TrimSpace(string(remote.SudoPassword("hunter2", "")))
	looked := 0
	for _, name := range g.names() {
		r := g[name]
		for _, text := range []string{"hunter2", strings.Split(sudo, "\n")[1]} {
			assert.Empty(t, pulumitest.FindPlain(name, resource.NewProperty(r.Inputs), text), name)
		}
		environment, _ := r.Input("environment")
		if !environment.IsObject() || !environment.ObjectValue().HasValue("STRATA_SSH_KEY") {
			continue
		}
		looked++
		if strings.HasPrefix(name, "k3s-teardown-") {
			continue // it uses only the tunnel
		}
		assert.Contains(t, r.Text("stdin"),
			`"jump":[{"address":"192.0.2.1","port":22,"user":"ops","hostKey":"`+pin+`"}]`, name)
		if !strings.Contains(r.Text("create"), "hostkey") {
			assert.Contains(t, r.Text("stdin"), `"dynamicForward":1080`, name)
		}
		assert.Contains(t, environment.ObjectValue()["STRATA_SSH_KEY"].StringValue(), sudo, name)
	}
	assert.Greater(t, looked, 30)
	assert.Contains(t, g["k3s-teardown-guard"].Text("stdin"),
		`"tunnel":{"port":1080,"via":[{"address":"192.0.2.1","port":22,"user":"ops"`,
		"a destroy begins without a program")
	assert.NotContains(t, g["hosts-server-1-gate"].Text("stdin"), `"agent":`)
}
