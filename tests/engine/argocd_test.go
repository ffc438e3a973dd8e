package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Argo CD refuses sessions that are older than the time of the admin password. So this time may
// only change together with the password.
func TestArgoCDPasswordTimeChangesOnlyWithPasswordHash(t *testing.T) {
	s := newStack(t, "staging")
	s.mustUp()
	for _, hash := range []string{"a", "b", "a"} {
		s.set("argocd", "adminPasswordHash", "$2a$10$"+strings.Repeat(hash, 53))
		did := s.mustUp()
		assert.NotNil(t, did.actions.find("create", "argocd-password-time"),
			"the time is read anew")
		assert.Contains(t, did.named(), "argocd-release")
		assert.Empty(t, s.mustUp().changed())
	}
	s.set("argocd", "values", section{"server": section{"replicas": 2}})
	did := s.mustUp()
	assert.Contains(t, did.named(), "argocd-release")
	assert.NotContains(t, did.named(), "argocd-password-time")
}
