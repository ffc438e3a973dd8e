package components

import (
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

// Traefik must ask a client to close a busy connection before the Pod stops. Otherwise the
// connection's next request is lost.
func TestTraefikClosesKeepAliveConnectionsBeforeStop(t *testing.T) {
	values := traefikValues(config.Traefik{}, false)
	sleep := values["deployment"].(pulumi.Map)["lifecycle"].(pulumi.Map)["preStop"].(pulumi.Map)["sleep"].(pulumi.Map)["seconds"]
	for name, port := range values["ports"].(pulumi.Map) {
		age, err := time.ParseDuration(string(
			port.(pulumi.Map)["transport"].(pulumi.Map)["keepAliveMaxTime"].(pulumi.String)))
		require.NoError(t, err, name)
		assert.Positive(t, age, "%s: without a limit a connection lives as long as its Pod", name)
		assert.Less(t, age, time.Duration(sleep.(pulumi.Int))*time.Second, name)
	}
}

// An ACME server requests the challenge's answer on port 80. Before there is a certificate, it need
// not accept an answer by https. All other requests are redirected to https.
func TestTraefikDoesNotRedirectACMEChallenges(t *testing.T) {
	web := func(challenges bool) pulumi.Map {
		return traefikValues(config.Traefik{}, challenges)["ports"].(pulumi.Map)["web"].(pulumi.Map)
	}
	assert.NotContains(t, web(false), "allowACMEByPass")
	assert.Equal(t, pulumi.Bool(true), web(true)["allowACMEByPass"])
	assert.Equal(t, web(false)["http"], web(true)["http"])
}
