package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

func TestKubeletRefusesCgroupV1SinceVersion135(t *testing.T) {
	for version, want := range map[string]bool{
		"v1.34.2+k3s1": false, "v1.34.99+k3s2": false, "v1.35.0+k3s1": true, "v1.36.3+k3s1": true,
		"v2.0.0+k3s1": true,
	} {
		refuses, err := config.RefusesCgroupV1(version)
		require.NoError(t, err)
		assert.Equal(t, want, refuses, version)
	}
	_, err := config.RefusesCgroupV1("1.35")
	require.ErrorContains(t, err, "expected the form vX.Y.Z+k3sN")
}

func TestKubeletArgAllowsCgroupV1(t *testing.T) {
	k3s := config.K3s{
		ServerArgs: map[string]any{"kubelet-arg": []any{"max-pods=50", "fail-cgroupv1=false"}},
		AgentArgs:  map[string]any{"kubelet-arg": "fail-cgroupv1=true"},
	}
	assert.True(t, k3s.AllowsCgroupV1(config.RoleServer))
	assert.False(t, k3s.AllowsCgroupV1(config.RoleAgent))
}
