package components

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"

	"strata/config"
)

func TestRootCAHasNameConstraintsWhenConfigured(t *testing.T) {
	assert.NotContains(t, rootCertificate(config.CertManager{}), "nameConstraints",
		"a root that is there stays as it is")
	spec := rootCertificate(config.CertManager{NameConstraints: []string{"example.org"}})
	assert.Equal(t, pulumi.Map{
		"critical": pulumi.Bool(true),
		"permitted": pulumi.Map{"dnsDomains": pulumi.ToStringArray([]string{"example.org",
			"vault.vault.svc", "vault-internal"})},
		"excluded": pulumi.Map{"ipRanges": pulumi.ToStringArray([]string{"0.0.0.0/0", "::/0"})},
	}, spec["nameConstraints"])
}
