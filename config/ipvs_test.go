package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/config"
)

func TestIPVSIsDetectedFromKubeProxyArg(t *testing.T) {
	mode := []any{"v=2", "proxy-mode=ipvs"}
	for _, k3s := range []config.K3s{
		{ServerArgs: map[string]any{"kube-proxy-arg": mode}},
		{ServerArgs: map[string]any{"kube-proxy-arg+": mode}},
		{AgentArgs: map[string]any{"kube-proxy-arg": "v=2", "kube-proxy-arg+": "proxy-mode=ipvs"}},
	} {
		assert.True(t, k3s.UsesIPVS(), k3s)
	}
	assert.False(t, config.K3s{ServerArgs: map[string]any{
		"kube-proxy-arg+": "v=2", "kubelet-arg": mode}}.UsesIPVS())
}
