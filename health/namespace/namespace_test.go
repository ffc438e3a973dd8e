package namespace

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/health/healthtest"
)

func TestNamespaceVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "namespace", judgeNamespace)
}

func TestRemainingResourcesAreReadFromCondition(t *testing.T) {
	assert.Equal(t, []schema.GroupResource{
		{Group: "argoproj.io", Resource: "applications"}, {Resource: "pods"},
		{Group: "networking.k8s.io", Resource: "ingresses"},
	}, resourcesIn("Some resources are remaining: applications.argoproj.io has 1 resource instances, "+
		"pods. has 12 resource instances, ingresses.networking.k8s.io has 2 resource instances"))
	assert.Empty(t, resourcesIn("All content successfully removed"))
}

func TestNamespaceGateRequiresName(t *testing.T) {
	require.NoError(t, healthtest.Valid(Spec{Name: "team-a"}).Validate())
	require.ErrorContains(t, healthtest.Valid(Spec{}).Validate(), "namespace.name: empty")
	require.ErrorContains(t, healthtest.Valid(healthtest.Missing[Spec](t)).Validate(),
		"namespace: missing")
}
