package graph_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"

	"strata/config"
	"strata/tests/pulumitest"
)

// A changed login must reach each node before gates of layers run, because the layers' Pods pull
// images there. Otherwise layers must not wait for agents. No plain value may have a password.
func TestRegistriesReachEveryNodeBeforeImagePulls(t *testing.T) {
	without := newProgram(t, "staging").graph(t)
	p := newProgram(t, "staging")
	t.Setenv(pulumi.EnvConfigSecretKeys, `["strata:k3s"]`)
	p.set(t, "k3s",
		map[string]any{"registries": []config.Registry{{Name: "docker.io", Username: "robot",
			Password: "hunter2"}},
			"proxy": map[string]any{"https": "http://robot:hunter3@proxy.example.org:3128"}})
	g := p.graph(t)
	for _, rule := range rules {
		assert.Empty(t, rule.check(p, g), rule.name)
	}
	for _, agent := range p.nodes(config.RoleAgent) {
		assert.True(t, g.reaches("metallb-release", "k3s-"+agent+"-gate"), agent)
		assert.False(t, without.reaches("metallb-release", "k3s-"+agent+"-gate"), agent)
		for _, password := range []string{"hunter2", "hunter3"} {
			assert.True(t, pulumitest.Contains(
				resource.NewProperty(g["k3s-"+agent+"-install"].Inputs), password), agent)
		}
	}
	for name, one := range g {
		for _, password := range []string{"hunter2", "hunter3"} {
			assert.Empty(t, pulumitest.FindPlain(name, resource.NewProperty(one.Inputs), password))
		}
	}
}
