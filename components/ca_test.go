package components

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/config"
)

func TestRootCAHasNameConstraintsWhenConfigured(t *testing.T) {
	assert.NotContains(t, rootCertificate(config.CertManager{}), "nameConstraints",
		"a root that is there stays as it is")
	spec := rootCertificate(config.CertManager{NameConstraints: []string{"example.org"}})
	assert.Equal(t, object{
		"critical": true,
		"permitted": object{"dnsDomains": []string{"example.org",
			"vault.vault.svc", "vault-internal"}},
		"excluded": object{"ipRanges": []string{"0.0.0.0/0", "::/0"}},
	}, spec["nameConstraints"])
}
