package components

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// Traefik must ask a client to close a busy connection before the Pod stops. Otherwise the
// connection's next request is lost.
func TestTraefikClosesKeepAliveConnectionsBeforeStop(t *testing.T) {
	values := traefikValues(config.Traefik{}, false)
	sleep := values["deployment"].(object)["lifecycle"].(object)["preStop"].(object)["sleep"].(object)["seconds"]
	for name, port := range values["ports"].(object) {
		age, err := time.ParseDuration(string(
			port.(object)["transport"].(object)["keepAliveMaxTime"].(string)))
		require.NoError(t, err, name)
		assert.Positive(t, age, "%s: without a limit a connection lives as long as its Pod", name)
		assert.Less(t, age, time.Duration(sleep.(int))*time.Second, name)
	}
}

// An ACME server requests the challenge's answer on port 80. A redirect to https may fail, because
// Traefik has no valid certificate yet. All other requests are redirected to https.
func TestTraefikDoesNotRedirectACMEChallenges(t *testing.T) {
	web := func(challenges bool) object {
		return traefikValues(config.Traefik{}, challenges)["ports"].(object)["web"].(object)
	}
	assert.NotContains(t, web(false), "allowACMEByPass")
	assert.Equal(t, true, web(true)["allowACMEByPass"])
	assert.Equal(t, web(false)["http"], web(true)["http"])
}
