package claim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health/healthtest"
)

func TestClaimVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "claim", judgeClaim)
}

func TestStorageClassIsFromClaimOrDefault(t *testing.T) {
	class := func(name, provisioner, isDefault string) storageClass {
		return storageClass{ObjectMeta: metav1.ObjectMeta{Name: name,
			Annotations: map[string]string{defaultClass: isDefault}}, Provisioner: provisioner}
	}
	all := []storageClass{class("slow", "p/slow", ""),
		class("local-path", "rancher.io/local-path", "true")}
	var plain, named, unknown claimFacts
	named.Class, unknown.Class = "slow", "fast"
	for _, facts := range []*claimFacts{&plain, &named, &unknown} {
		facts.classes(all)
		assert.Equal(t, []string{"slow", "local-path"}, facts.Classes)
		assert.Equal(t, "local-path", facts.Default)
	}
	assert.Equal(t, "rancher.io/local-path", plain.Provisioner)
	assert.Equal(t, "p/slow", named.Provisioner)
	assert.Empty(t, unknown.Provisioner)
}

func TestClaimSpecErrorsNameFields(t *testing.T) {
	require.NoError(t, healthtest.Valid(Spec{Namespace: "n", Name: "c", ClassKey: "k"}).Validate())
	require.ErrorContains(t, healthtest.Valid(Spec{Name: "c", ClassKey: "k"}).Validate(),
		"claim: namespace, name or classKey is empty")
	require.ErrorContains(t, healthtest.Valid(healthtest.Missing[Spec](t)).Validate(),
		"claim: missing")
}
