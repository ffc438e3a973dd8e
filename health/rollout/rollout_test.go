package rollout

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
	"strata/health/healthtest"
)

func TestRolloutVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "rollout", judgeRollout)
}

func TestRolloutSpecRequiresWorkloads(t *testing.T) {
	require.NoError(t, healthtest.Valid(
		Spec{Workloads: []string{"traefik/Deployment/traefik"}}).Validate())
	require.ErrorContains(t, healthtest.Valid(Spec{}).Validate(), "rollout.workloads: empty")
	require.ErrorContains(t, healthtest.Valid(healthtest.Missing[Spec](t)).Validate(),
		"rollout: missing")
}

func TestRolloutRedisSpecRequiresAllFields(t *testing.T) {
	check := func(change func(*Redis)) error {
		redis := Redis{Namespace: "n", Secret: "s", Clients: "a=b", Container: "c"}
		change(&redis)
		return healthtest.Valid(Spec{Workloads: []string{"a/Deployment/b"},
			Redis: &redis}).Validate()
	}
	require.NoError(t, check(func(*Redis) {}))
	for _, change := range []func(*Redis){
		func(r *Redis) { r.Namespace = "" }, func(r *Redis) { r.Secret = "" },
		func(r *Redis) { r.Clients = "" }, func(r *Redis) { r.Container = "" },
	} {
		require.ErrorContains(t, check(change),
			"rollout.redis: namespace, secret, clients or container is empty")
	}
}

func TestRolloutKindJudgesWorkloads(t *testing.T) {
	assert.Equal(t, health.Traits{Kind: Kind, Workloads: true}, Spec{}.Traits())
}
