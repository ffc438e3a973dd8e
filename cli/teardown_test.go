package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Every later program must accept the inputs of old states. No API server listens at the port.
func TestTeardownAcceptsInputsOfOldStates(t *testing.T) {
	const asked = `"servers":["https://127.0.0.1:1"],"namespaces":["traefik"],"timeout":"700ms"}`
	for _, kubeconfig := range []string{"", `{"apiVersion":"v1","kind":"Config","clusters":[{"name":"c","cluster":{"server":"https://127.0.0.1:1"}}],` +
		`"contexts":[{"name":"c","context":{"cluster":"c","user":"c"}}],"users":[{"name":"c","user":{"token":"x"}}],"current-context":"c"}`} {
		t.Setenv("STRATA_KUBECONFIG", kubeconfig)
		code, _, stderr := invoke(t, "{"+asked, "teardown")
		assert.Equal(t, 0, code, stderr)
		assert.Contains(t, stderr, "teardown: no API server answered within 700ms with what will be lost: ")

		code, _, stderr = invoke(t, `{"protected":["strata:k3s.protect"],`+asked, "teardown")
		assert.Equal(t, 1, code)
		assert.Contains(t, stderr, "teardown: refused, nothing was deleted: the last up had true "+
			"for strata:k3s.protect; set false, run pulumi up, and destroy again")
	}
}
