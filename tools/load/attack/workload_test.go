package attack

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWorkloadOptionsComeFromStackOutputs(t *testing.T) {
	outputs := map[string]any{"urls": map[string]any{"shop": "https://shop.a.test/",
		"traefik": "https://traefik.a.test/"}, "caCertificate": "pem",
		"addresses":      map[string]any{"shop": "10.10.0.206", "traefik": "10.10.0.205"},
		"ingressAddress": "10.10.0.205", "apisixAddress": "10.10.0.206"}
	var options Options
	require.NoError(t, options.OfWorkload(outputs, "a", "shop"))
	assert.Equal(t, "https://shop.a.test/", options.URL)
	assert.Equal(t, "10.10.0.206:443", options.ConnectTo, "its own ingress controller's, of two")
	assert.Equal(t, "pem", string(options.CA))
	options = Options{ConnectTo: "127.0.0.1:8443"}
	require.NoError(t, options.OfWorkload(outputs, "a", "shop"))
	assert.Equal(t, "127.0.0.1:8443", options.ConnectTo, "the address that was named")
	require.EqualError(t, options.OfWorkload(outputs, "a", "cart"),
		"stack a has no workload cart with a route; its URLs are of shop, traefik")
}
