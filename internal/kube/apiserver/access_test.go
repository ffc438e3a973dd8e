package apiserver_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/kube/apiserver"
	"strata/internal/ssh/tunnel"
	"strata/tests/gates/fakeapi"
)

func TestListedServersOverrideKubeconfigServer(t *testing.T) {
	own, other := server(t, "own"), server(t, "other")
	for want, access := range map[string]apiserver.Access{
		"own": {Kubeconfig: fakeapi.KubeconfigWith(t, own.URL, nil, "t")},
		"other": {Kubeconfig: fakeapi.KubeconfigWith(t, own.URL, nil, "t"),
			Servers: []string{"https://127.0.0.1:1", other.URL}},
	} {
		client, err := access.Client()
		require.NoError(t, err, want)
		version, err := client.Discovery().ServerVersion()
		require.NoError(t, err, want)
		assert.Equal(t, want, version.GitVersion)
	}
}

func TestClientConfigHasTunnelAndTimeoutOfAccess(t *testing.T) {
	access := apiserver.Access{
		Kubeconfig: fakeapi.KubeconfigWith(t, "https://10.10.0.11:6443", nil, "t"),
		Tunnel:     tunnel.Spec{Port: 7654}, Timeout: time.Second,
	}
	config, err := access.Config()
	require.NoError(t, err)
	proxy, err := config.Proxy(nil)
	require.NoError(t, err)
	assert.Equal(t, access.Tunnel.URL(), proxy.String())
	assert.Equal(t, time.Second, config.Timeout)
}

func TestInvalidKubeconfigIsNotQuotedInError(t *testing.T) {
	for _, open := range []func(apiserver.Access) error{
		func(a apiserver.Access) error { _, err := a.Config(); return err },
		func(a apiserver.Access) error { _, err := a.Client(); return err },
		func(a apiserver.Access) error { _, err := a.Objects(); return err },
	} {
		for _, text := range []string{"token: hunter2",
			"{apiVersion: v1, kind: Config, users: [{name: u, user: {token: hunter2}}, {name: u}]}",
		} {
			err := open(apiserver.Access{Kubeconfig: []byte(text)})
			require.ErrorContains(t, err, "kubeconfig: ")
			assert.NotContains(t, err.Error(), "hunter2")
		}
	}
}
