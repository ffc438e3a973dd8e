package gates_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"strata/health"
	"strata/health/healthtest"
	"strata/health/rollout"
	"strata/internal/kube/helmrecord"
	"strata/tests/gates/fakeapi"
)

const dnsRole = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: dns, labels: {app.kubernetes.io/managed-by: Helm}}
rules: [{apiGroups: [""], resources: [services, pods], verbs: [list, watch]}]
`

const dnsBinding = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: dns, labels: {app.kubernetes.io/managed-by: Helm}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: dns}
subjects: [{kind: ServiceAccount, name: coredns, namespace: kube-system}]
`

// releasedCluster returns a cluster with CoreDNS as Helm's release dns, and the rollout gate of
// that release. review answers access reviews.
func releasedCluster(t *testing.T, review http.HandlerFunc) (*fakeapi.Cluster, health.Spec) {
	t.Helper()
	c := fakeapi.New(t, 1)
	c.PutAll(systemText)
	for kind, resource := range map[string]fakeapi.Resource{
		"Role":               {Plural: "roles", Namespaced: true},
		"RoleBinding":        {Plural: "rolebindings", Namespaced: true},
		"ClusterRole":        {Plural: "clusterroles"},
		"ClusterRoleBinding": {Plural: "clusterrolebindings"},
	} {
		c.Serve("rbac.authorization.k8s.io/v1", kind, resource)
	}
	c.PutAll(dnsRole + "\n---\n" + dnsBinding)
	c.PutObject(releaseRecord(t, "dns", "1", "---\n"+dnsRole+"---\n"+dnsBinding))
	c.Raw("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
	spec := rolloutSpec(c)
	spec.Releases = []string{"kube-system/dns"}
	return c, spec
}

// releaseRecord returns the Secret in which Helm keeps a release.
func releaseRecord(t *testing.T, name, revision, manifest string) *unstructured.Unstructured {
	t.Helper()
	data, err := helmrecord.Encode(map[string]any{"name": name, "manifest": manifest})
	require.NoError(t, err)
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "sh.helm.release.v1." + name + ".v" + revision, Namespace: "kube-system",
			ResourceVersion: revision,
			Labels: map[string]string{"owner": "helm", "name": name, "status": "deployed",
				"version": revision},
		},
		Data: data,
	})
	require.NoError(t, err)
	return &unstructured.Unstructured{Object: object}
}

// reviews answers every access review with allowed, and counts the requests.
func reviews(t *testing.T, allowed bool, asked *atomic.Int32) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var review authorizationv1.SubjectAccessReview
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&review))
		assert.Equal(t, "system:serviceaccount:kube-system:coredns", review.Spec.User)
		review.Status.Allowed = allowed
		w.Header().Set("Content-Type", "application/json")
		assert.NoError(t, json.NewEncoder(w).Encode(review))
	}
}

func TestRolloutGateNamesMissingRBACRulesOfRelease(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	c, spec := releasedCluster(t, reviews(t, false, &asked))
	start(t, c, spec).opens()
	assert.Zero(t, asked.Load(), "nothing differs")

	c.Delete("rbac.authorization.k8s.io/v1", "clusterroles", "", "dns")
	gate := start(t, c, spec)
	gate.says("ServiceAccount kube-system/coredns to have the rights of its roles, found that it may not list services")
	gate.says("ClusterRole dns of the release does not exist")
	c.Put(dnsRole)
	gate.opens()
}

func TestRolloutGateChecksRBACRulesOfNewestRelease(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	c, spec := releasedCluster(t, reviews(t, false, &asked))
	more := strings.Replace(dnsRole, "services, pods", "services, pods, endpoints", 1)
	c.PutObject(releaseRecord(t, "dns", "10", "---\n"+more+"---\n"+dnsBinding))
	gate := start(t, c, spec)
	gate.says("may not list endpoints")
	gate.says("ClusterRole dns of the release lacks rules that the release gave it")
	c.Put(more)
	gate.opens()
}

// The release's binding is deleted, but another role or authorizer may grant the same rights.
func TestRolloutGateOpensIfOtherRoleGrantsRights(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	c, spec := releasedCluster(t, reviews(t, true, &asked))
	c.Delete("rbac.authorization.k8s.io/v1", "clusterrolebindings", "", "dns")
	start(t, c, spec).opens()
	assert.Positive(t, asked.Load())
}

func TestRolloutGateSkipsRBACCheckWhenReviewIsForbidden(t *testing.T) {
	t.Parallel()
	c, spec := releasedCluster(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write(
			[]byte(
				`{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403, "reason": "Forbidden", "message": "forbidden"}`))
	})
	c.Delete("rbac.authorization.k8s.io/v1", "clusterroles", "", "dns")
	result := start(t, c, spec).opens()
	assert.Contains(t, messages(result), "not asked: needs create subjectaccessreviews")
	reader := startWith(t, spec, health.Secrets{Kubeconfig: c.Kubeconfig(), Reader: true}).opens()
	assert.Contains(t, messages(reader), "not asked: needs get secrets")
	c.Delete("v1", "secrets", "kube-system", "sh.helm.release.v1.dns.v1")
	assert.Contains(t, messages(start(t, c, spec).opens()),
		"not asked: needs Helm's record of it, and there is none")
}

func messages(result health.Result) (all []string) {
	for _, check := range result.Checks {
		all = append(all, check.Message)
	}
	return all
}

// dnsPod is a Pod whose log the gate reads.
const dnsPod = `
apiVersion: v1
kind: Pod
metadata: {name: dns-0, namespace: kube-system, labels: {app: dns}}
status: {conditions: [{type: Ready, status: "True"}]}
`

const wrongPassword = `time="2026-11-27T08:00:00Z" level=warning msg="Failed to save cluster info: WRONGPASS invalid username-password pair or user is disabled."` + "\n"

func TestRolloutGateNamesPasswordThatRedisRefuses(t *testing.T) {
	t.Parallel()
	c := fakeapi.New(t, 1)
	c.PutAll(systemText)
	c.Put(dnsPod)
	var log atomic.Value
	log.Store(
		`level=warning msg="Failed to save cluster info: dial tcp 10.43.0.9:6379: connect: connection refused"` + "\n")
	c.Raw("/api/v1/namespaces/kube-system/pods/dns-0/log",
		func(w http.ResponseWriter, r *http.Request) {
			assert.Equal(t, "controller", r.URL.Query().Get("container"))
			assert.Equal(t, "30", r.URL.Query().Get("sinceSeconds"))
			_, _ = w.Write([]byte(log.Load().(string)))
		})
	spec := rolloutSpec(c)
	redis := &rollout.Redis{Namespace: "kube-system", Secret: "redis", Clients: "app=dns",
		Container: "controller"}
	healthtest.Change(&spec, func(s *rollout.Spec) { s.Redis = redis })
	start(t, c, spec).opens() // the log of a new platform has no such line
	log.Store(wrongPassword)
	gate := start(t, c, spec)
	gate.says("refuses the password of Pod dns-0")
	gate.says("Secret kube-system/redis was changed")
	log.Store("")
	gate.opens()

	log.Store(wrongPassword)
	start(t, c, spec).sticks(10*time.Second + lag)

	redis.Clients = "app=other"
	assert.Contains(t, messages(start(t, c, spec).opens()),
		"not read: no Pod has the label app=other")
}
