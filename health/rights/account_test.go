package rights

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLastTokenRefusalInLogIsFound(t *testing.T) {
	const first, last = `E1128 "Failed to watch" err="Unauthorized"`, `{"error":"Unauthorized"}`
	for log, want := range map[string]string{
		"":                          "",
		"all is well\n":             "",
		"unauthorized by a policy":  "",
		first:                       first,
		first + "\n" + last + "\nx": last,
		"a\n" + first + "\n":        first,
		strings.Repeat("U", 400) + "\n" + strings.Repeat("U", 299) + "Unauthorized": strings.Repeat("U", 300),
	} {
		assert.Equal(t, want, lastRefusal(log), log)
	}
}

func TestServiceAccountsAreReadFromManifest(t *testing.T) {
	objects := parsed(t, manifest+`---
apiVersion: v1
kind: ServiceAccount
metadata: {name: a}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: not, annotations: {of: ServiceAccount}}
`)
	assert.Len(t, objects, len(parsed(t, manifest))+1)
	assert.Contains(t, objects, key{accountKind, "ns", "a"})
}
