package apiserver_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"strata/internal/apiserver"
)

// server is an API server that answers its version with a name.
func server(t *testing.T, name string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, err := w.Write([]byte(`{"gitVersion":"` + name + `"}`))
		assert.NoError(t, err)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestAClientGoesOnWithTheNextServerWhenOneIsGone(t *testing.T) {
	first, second := server(t, "first"), server(t, "second")
	config := &rest.Config{Host: first.URL}
	client, err := kubernetes.NewForConfig(apiserver.Failover(config, []string{first.Listener.Addr().String(), second.Listener.Addr().String()}))
	require.NoError(t, err)
	answer := func() string {
		version, err := client.Discovery().ServerVersion()
		require.NoError(t, err)
		return version.GitVersion
	}
	assert.Equal(t, "first", answer())
	first.CloseClientConnections()
	first.Close()
	assert.Equal(t, "second", answer())
	assert.Nil(t, config.Dial, "the caller's configuration is its own")
}

func TestAClientOfOneServerFailsWhenThatIsGone(t *testing.T) {
	first, second := server(t, "first"), server(t, "second")
	client, err := kubernetes.NewForConfig(apiserver.Only(&rest.Config{Host: second.URL}, first.Listener.Addr().String()))
	require.NoError(t, err)
	version, err := client.Discovery().ServerVersion()
	require.NoError(t, err)
	assert.Equal(t, "first", version.GitVersion)
	first.Close()
	_, err = client.Discovery().ServerVersion()
	require.ErrorContains(t, err, "connection refused")
}
