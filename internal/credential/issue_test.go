package credential

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/remote"
)

func TestAStackGetsACertificateOfItsOwn(t *testing.T) {
	w := newWorld(t, "server-1", "server-2", "server-3")
	issued := w.mustIssue(nil)
	config, err := read([]byte(issued.Kubeconfig))
	require.NoError(t, err)
	assert.Equal(t, LocalServer, config.Host)
	assert.Equal(t, w.ca, string(config.CAData))
	assert.NotContains(t, issued.Kubeconfig, "admin")
	assert.Equal(t, "strata:dev", UserOf([]byte(issued.Kubeconfig)))
	assert.Equal(t, today.Add(365*24*time.Hour), issued.Ends)
	binding, err := w.client.RbacV1().ClusterRoleBindings().Get(t.Context(), "strata:dev", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, "cluster-admin", binding.RoleRef.Name)
	requests, err := w.client.CertificatesV1().CertificateSigningRequests().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Empty(t, requests.Items, "what has done its work is gone")
	assert.NotContains(t, w.log.String(), "KEY")
	assert.Empty(t, w.restarted)
	assert.Equal(t, []string{"server-1"}, w.asked, "the others may still boot")
}

func TestWhatStillAnswersIsKeptAndItsBindingHealed(t *testing.T) {
	w := newWorld(t, "server-1")
	first := w.mustIssue(nil)
	require.NoError(t, w.client.RbacV1().ClusterRoleBindings().Delete(t.Context(), "strata:dev", metav1.DeleteOptions{}), "an older snapshot has none")
	assert.Equal(t, first, w.mustIssue(first))
	_, err := w.client.RbacV1().ClusterRoleBindings().Get(t.Context(), "strata:dev", metav1.GetOptions{})
	require.NoError(t, err)
	for name, change := range map[string]func(*Request){
		"a generation": func(r *Request) { r.Generation++ },
		"a lifetime":   func(r *Request) { r.Lifetime.Duration /= 2 },
	} {
		assert.NotEqual(t, first.Kubeconfig, w.mustIssue(first, change).Kubeconfig, name)
	}
	w.ca = "another cluster's"
	assert.NotEqual(t, first.Kubeconfig, w.mustIssue(first).Kubeconfig, "made anew")
	ended := *first
	ended.Ends = today
	assert.NotEqual(t, first.Kubeconfig, w.mustIssue(&ended).Kubeconfig, "ended, whatever the calendar says")
}

func TestAServerThatIsGoneIsNotNeeded(t *testing.T) {
	w := newWorld(t, "server-2")
	w.mustIssue(nil)
	assert.Contains(t, w.log.String(), "goes on without")
	_, err := newWorld(t).issue(nil)
	require.ErrorContains(t, err, "no route to host")
}

func TestCertificatesOfK3sThatEndedAreRenewedByARestart(t *testing.T) {
	w := newWorld(t, "server-1", "server-2", "server-3")
	w.ends["server-1"], w.ends["server-3"] = today.Add(-time.Hour), today.Add(-time.Hour)
	w.mustIssue(nil)
	slices.Sort(w.restarted)
	assert.Equal(t, []string{"server-1", "server-3"}, w.restarted)
	assert.Contains(t, w.log.String(), "ended at 2027-03-01T11:00:00Z")

	w = newWorld(t, "server-1")
	w.ends["server-1"], w.stubborn = today.Add(-time.Hour), "server-1"
	_, err := w.issue(nil)
	require.ErrorContains(t, err, "also after a restart of K3s")
}

func TestACertificateThatCannotBeUsedIsNotHandedOut(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*world)
		want   string
	}{
		"shorter than the calendar believes": {func(w *world) { w.longest = time.Hour }, "strata:k3s.clientCertificateLifetime"},
		"refused by the signer":              {func(w *world) { w.refuses = true }, "SignerValidationFailure"},
		"without rights":                     {func(w *world) { w.forbidden = true }, "it may not do everything yet"},
		"a binding of another role": {func(w *world) {
			binding := Binding("strata:dev")
			binding.RoleRef.Name = "view"
			require.NoError(t, w.client.Tracker().Add(binding))
		}, "expected ClusterRole cluster-admin, found ClusterRole view"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "server-1")
			test.change(w)
			_, err := w.issue(nil)
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "PRIVATE KEY")
		})
	}
}

func TestTheCalendarRenewsAtAThirdOfALife(t *testing.T) {
	life := 90 * 24 * time.Hour
	start := time.Unix(0, 0).Add(100 * life)
	assert.Equal(t, Generation(start, life), Generation(start.Add(30*24*time.Hour-time.Second), life))
	assert.Equal(t, Generation(start, life)+1, Generation(start.Add(30*24*time.Hour), life))
	assert.Equal(t, Generation(start, life)+3, Generation(start.Add(life), life))
}

func TestAKubeconfigThatEndedIsSaidToHave(t *testing.T) {
	w := newWorld(t, "server-1")
	text, err := w.Admin(t.Context(), remote.Target{Name: "server-1"})
	require.NoError(t, err)
	require.NoError(t, Usable(text, today))
	assert.Empty(t, UserOf(text), "K3s's own needs no binding")
	require.ErrorContains(t, Usable(text, today.Add(201*24*time.Hour)), "its certificate ended at")
	require.Error(t, Usable(nil, today))
}
