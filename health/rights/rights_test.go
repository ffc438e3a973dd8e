package rights

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/health"
	"strata/health/healthtest"
)

func TestRightsVerdictsMatchFixtures(t *testing.T) {
	healthtest.RunFixtures(t, "rights", func(_ struct{}, f []Facts) []health.Verdict { return Judge(f) })
}

// manifest is a release's manifest, in the form of Helm's record.
const manifest = `---
# Source: a/templates/crd.yaml
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: a.example.org}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: a, labels: {rbac.example.org/a: "true"}}
rules:
- {apiGroups: ["", "apps"], resources: [pods, pods/log], verbs: [get, list]}
- {apiGroups: [""], resources: [secrets], resourceNames: [own], verbs: [get]}
- {nonResourceURLs: [/metrics], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: a}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: a}
subjects: [{kind: ServiceAccount, name: a, namespace: ns}, {kind: Group, name: g}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: lease}
rules: [{apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: lease}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: lease}
subjects: [{kind: ServiceAccount, name: a, namespace: ns}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: foreign}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:auth-delegator}
subjects: [{kind: ServiceAccount, name: a, namespace: ns}]
`

func parsed(t *testing.T, text string) map[key]object {
	t.Helper()
	objects, err := parseManifest(text, "ns")
	require.NoError(t, err)
	return objects
}

func TestMissingRightNamesChangedRoleOrBinding(t *testing.T) {
	wanted := &release{objects: parsed(t, manifest)}
	role, binding, lease := key{"ClusterRole", "", "a"}, key{"ClusterRoleBinding", "", "a"}, key{"Role", "ns", "lease"}
	for _, test := range []struct {
		name   string
		change func(map[key]object)
		want   []string
	}{
		{"nothing differs", func(map[key]object) {}, nil},
		{"the role is deleted", func(all map[key]object) { delete(all, role) }, []string{
			"ns/a ClusterRole a does not exist: get pods, list pods, get pods/log, list pods/log, get pods.apps, list pods.apps, get pods/log.apps, " +
				"list pods/log.apps, get secrets named own, get /metrics",
		}},
		{"the role is emptied", func(all map[key]object) { all[lease] = object{} }, []string{
			"ns/a Role ns/lease lacks rules that the release gave it: create leases.coordination.k8s.io in namespace ns",
		}},
		{"the binding is deleted", func(all map[key]object) { delete(all, key{"RoleBinding", "ns", "lease"}) }, []string{
			"ns/a RoleBinding ns/lease does not exist: create leases.coordination.k8s.io in namespace ns",
		}},
		{"the binding names another account", func(all map[key]object) {
			one := all[key{"RoleBinding", "ns", "lease"}]
			one.Subjects = []rbacv1.Subject{{Kind: "ServiceAccount", Name: "a", Namespace: "other"}}
			all[one.key()] = one
		}, []string{"ns/a RoleBinding ns/lease does not name the ServiceAccount: create leases.coordination.k8s.io in namespace ns"}},
		{"the binding is for another role", func(all map[key]object) {
			one := all[key{"RoleBinding", "ns", "lease"}]
			one.RoleRef.Kind, one.RoleRef.Name = "ClusterRole", "view"
			all[one.key()] = one
		}, []string{"ns/a RoleBinding ns/lease is for another role, ClusterRole view: create leases.coordination.k8s.io in namespace ns"}},
		{"one verb is taken out", func(all map[key]object) {
			one := all[role]
			one.Rules = append([]rbacv1.PolicyRule{{APIGroups: []string{"", "apps"}, Resources: []string{"pods", "pods/log"}, Verbs: []string{"get"}}}, one.Rules[1:]...)
			all[role] = one
		}, []string{"ns/a ClusterRole a lacks rules that the release gave it: list pods, list pods/log, list pods.apps, list pods/log.apps"}},
		{"the role permits more, in another form", func(all map[key]object) {
			one := all[role]
			one.Rules = []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}, {NonResourceURLs: []string{"*"}, Verbs: []string{"*"}}}
			all[role] = one
		}, nil},
		{"a binding to a role of others is deleted, and so is the role", func(all map[key]object) { delete(all, key{"ClusterRoleBinding", "", "foreign"}) }, nil},
		{"a binding to a role of others is deleted", func(all map[key]object) {
			delete(all, key{"ClusterRoleBinding", "", "foreign"})
			others := key{"ClusterRole", "", "system:auth-delegator"}
			all[others] = object{TypeMeta: metav1.TypeMeta{Kind: others.kind}, ObjectMeta: metav1.ObjectMeta{Name: others.name}, Rules: []rbacv1.PolicyRule{
				{APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"tokenreviews"}, Verbs: []string{"create"}}}}
		}, []string{"ns/a ClusterRoleBinding foreign does not exist: create tokenreviews.authentication.k8s.io"}},
		{"a subject that is no ServiceAccount is taken out", func(all map[key]object) {
			one := all[binding]
			one.Subjects = one.Subjects[:1]
			all[binding] = one
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			present := parsed(t, manifest)
			test.change(present)
			if one, has := present[lease]; has && one.Name == "" {
				present[lease] = object{TypeMeta: wanted.objects[lease].TypeMeta, ObjectMeta: wanted.objects[lease].ObjectMeta}
			}
			assert.Equal(t, test.want, told(wanted.compare(present)))
		})
	}
}

// told returns the differences as text.
func told(differences []difference) (texts []string) {
	for _, one := range differences {
		var rights []string
		for _, right := range one.rights {
			rights = append(rights, describe(right, one.namespace))
		}
		texts = append(texts, one.account+" "+one.object.String()+" "+one.change+": "+strings.Join(rights, ", "))
	}
	return texts
}

// Kubernetes overwrites the rules of an aggregated role, so the rules in the manifest do not count.
func TestAggregatedRoleHasRulesOfSelectedRoles(t *testing.T) {
	text := manifest + `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: all}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {rbac.example.org/a: "true"}}]}
rules: []
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: all}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: all}
subjects: [{kind: ServiceAccount, name: b, namespace: ns}]
`
	wanted, present := &release{objects: parsed(t, text)}, parsed(t, text)
	all := key{"ClusterRole", "", "all"}
	require.Len(t, wanted.compare(present), 1, "the controller has not written them")
	one := present[all]
	one.Rules = present[key{"ClusterRole", "", "a"}].Rules
	present[all] = one
	assert.Empty(t, wanted.compare(present))
}

func TestAccessReviewUsesServiceAccountUserAndGroups(t *testing.T) {
	d := difference{account: "n/a", namespace: "m"}
	spec := d.spec(rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"pods/log"}, Verbs: []string{"get"}, ResourceNames: []string{"x"}})
	assert.Equal(t, "system:serviceaccount:n:a", spec.User)
	assert.Equal(t, []string{"system:serviceaccounts", "system:serviceaccounts:n", "system:authenticated"}, spec.Groups)
	at := *spec.ResourceAttributes
	assert.Equal(t, []string{"m", "get", "apps", "pods", "log", "x"}, []string{at.Namespace, at.Verb, at.Group, at.Resource, at.Subresource, at.Name})
	spec = d.spec(rbacv1.PolicyRule{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}})
	assert.Equal(t, "/metrics", spec.NonResourceAttributes.Path)
	assert.Equal(t, "do everything", describe(rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}, ""))
	assert.Nil(t, spec.ResourceAttributes)
}
