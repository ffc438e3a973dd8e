package configdocs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/configdocs"
)

func TestReferenceContainsNoGoNames(t *testing.T) {
	fields, err := configdocs.Fields(configDir)
	require.NoError(t, err)
	docs := map[string]string{}
	for _, field := range fields {
		docs[field.Key] = field.Doc
	}
	for key, want := range map[string]string{
		"strata:metallb.enabled":       "Installs MetalLB. Default true.",                                // a name and a verb
		"strata:hosts.vm.cpus":         "The number of virtual processors. Default 2.",                   // that it is something
		"strata:k3s.agentArgs":         "Further keys of the agents' config.yaml of K3s, as serverArgs.", // of another field
		"strata:hosts.hypervisor.port": "Sshd's TCP port. Default 22.",
		"strata:argocd.root.password": "Password, or a token, goes with username. Set it with " +
			"pulumi config set --secret --path strata:argocd.root.password.",
	} {
		assert.Equal(t, want, docs[key], key)
	}
}
