package credential

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/ssh/remote"
)

func TestStackGetsItsOwnCertificate(t *testing.T) {
	w := newWorld(t, "server-1", "server-2", "server-3")
	issued := w.mustIssue(nil)
	config, err := read([]byte(issued.Kubeconfig))
	require.NoError(t, err)
	assert.Equal(t, LocalServer, config.Host)
	assert.Equal(t, w.ca, string(config.CAData))
	assert.NotContains(t, issued.Kubeconfig, "admin")
	assert.Equal(t, "strata:dev", UserOf([]byte(issued.Kubeconfig)))
	assert.Equal(t, today.Add(365*24*time.Hour), issued.Ends)
	binding, err := w.client.RbacV1().ClusterRoleBindings().Get(t.Context(), "strata:dev",
		metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, "cluster-admin", binding.RoleRef.Name)
	requests, err := w.client.CertificatesV1().CertificateSigningRequests().List(t.Context(),
		metav1.ListOptions{})
	require.NoError(t, err)
	assert.Empty(t, requests.Items, "what has done its work is gone")
	assert.NotContains(t, w.log.String(), "KEY")
	assert.Empty(t, w.restarted)
	assert.Equal(t, []string{"server-1"}, w.asked, "the others may still boot")
}

func TestWorkingCredentialIsKeptAndItsBindingRecreated(t *testing.T) {
	w := newWorld(t, "server-1")
	first := w.mustIssue(nil)
	require.NoError(t, w.client.RbacV1().ClusterRoleBindings().Delete(t.Context(), "strata:dev",
		metav1.DeleteOptions{}), "an older snapshot has none")
	assert.Equal(t, first, w.mustIssue(first))
	_, err := w.client.RbacV1().ClusterRoleBindings().Get(t.Context(), "strata:dev",
		metav1.GetOptions{})
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
	assert.NotEqual(t, first.Kubeconfig, w.mustIssue(&ended).Kubeconfig,
		"ended, whatever the calendar says")
}

// Once the next generation works, a leaked kubeconfig of a former generation has no rights left.
func TestHigherGenerationRevokesFormerKubeconfigs(t *testing.T) {
	w := newWorld(t, "server-1")
	bound := func() (names []string) {
		all, err := w.client.RbacV1().ClusterRoleBindings().List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		for _, one := range all.Items {
			names = append(names, one.Name)
		}
		return names
	}
	others := []string{"cluster-admin", "strata:dev:view", "strata:dev2", "strata:dev2:1",
		"strata:devel"}
	for _, name := range others {
		require.NoError(t, w.client.Tracker().Add(Binding(name, "view")))
	}
	first := w.mustIssue(nil)
	to := func(generation int) func(*Request) {
		return func(r *Request) { r.User = User("dev", generation) }
	}
	w.users = []string{"strata:dev:2", "strata:dev:reader:2"}
	second := w.mustIssue(first, to(2))
	assert.Equal(t, "strata:dev:2", UserOf([]byte(second.Kubeconfig)))
	assert.ElementsMatch(t, append(others, "strata:dev:2", "strata:dev:reader:2"), bound())
	_, err := w.issue(second, to(1))
	require.ErrorContains(t, err, "strata:k3s.kubeconfigGeneration: expected at least that of "+
		"user strata:dev:2, which the stack has, found strata:dev:1")
	_, err = w.issue(second)
	require.ErrorContains(t, err, "a kubeconfig that was revoked would have its rights again")
	require.NoError(t, w.client.Tracker().Add(Binding("strata:dev", role)),
		"killed before it was deleted")
	assert.Equal(t, second, w.mustIssue(second, to(2)))
	assert.ElementsMatch(t, append(others, "strata:dev:2", "strata:dev:reader:2"), bound())
}

// While the new user does not work, the old user keeps its rights.
func TestFailedGenerationRevokesNothing(t *testing.T) {
	w := newWorld(t, "server-1")
	first := w.mustIssue(nil)
	w.users, w.forbidden = []string{"strata:dev:1"}, true
	w.limit = 3 * time.Second
	_, err := w.issue(first, func(r *Request) { r.User = User("dev", 1) })
	require.Error(t, err)
	_, err = w.client.RbacV1().ClusterRoleBindings().Get(t.Context(), "strata:dev",
		metav1.GetOptions{})
	require.NoError(t, err)
}

func TestCredentialIsIssuedWithoutUnreachableServer(t *testing.T) {
	w := newWorld(t, "server-2")
	w.mustIssue(nil)
	assert.Contains(t, w.log.String(), "goes on without")
	_, err := newWorld(t).issue(nil)
	require.ErrorContains(t, err, "no route to host")
}

func TestRestartRenewsExpiredK3sCertificates(t *testing.T) {
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

// A wrong clock of the workstation, or of one server, must not make Strata restart K3s.
func TestWrongClockRestartsNoServer(t *testing.T) {
	const years = 2 * 365 * 24 * time.Hour
	for name, ahead := range map[string]time.Duration{"ahead": years, "behind": -years} {
		w := newWorld(t, "server-1", "server-2", "server-3")
		w.ahead = ahead
		_, err := w.issue(nil)
		require.ErrorContains(t, err, "its clock says 2027-03-01T12:00:00Z, and this "+
			"machine's says "+today.Add(ahead).Format(time.RFC3339), name)
		require.ErrorContains(t, err, "server-3", "all are named")
		assert.Empty(t, w.restarted, name)
	}
	w := newWorld(t, "server-1", "server-2", "server-3")
	w.skew = map[string]time.Duration{"server-1": years}
	w.mustIssue(nil)
	assert.Empty(t, w.restarted)
	assert.Contains(t, w.log.String(), "goes on without: k3s.yaml of server-1")
	w = newWorld(t, "server-1")
	w.ahead = clockLimit
	w.mustIssue(nil)
}

// A certificate that expires a minute later by the server's clock is still valid on that server,
// whatever this machine's clock says.
func TestCertificateExpiryIsJudgedByServerClock(t *testing.T) {
	for skew, restarted := range map[time.Duration]int{-time.Minute: 0, time.Minute: 1} {
		w := newWorld(t, "server-1")
		w.ends["server-1"] = today
		w.skew = map[string]time.Duration{"server-1": skew}
		w.mustIssue(nil)
		assert.Len(t, w.restarted, restarted, "%s", skew)
	}
}

func TestSilentServerIsRetriedWithLongerTimeout(t *testing.T) {
	w := newWorld(t, "server-1")
	w.slow = 2
	w.mustIssue(nil)
	var own []time.Duration // server-2 and server-3 do not exist
	for n, name := range w.asked {
		if name == "server-1" {
			own = append(own, w.limits[n])
		}
	}
	assert.Equal(t, []time.Duration{readLimit, 2 * readLimit, 4 * readLimit}, own)
	assert.Contains(t, w.log.String(), "they are asked again: k3s.yaml of server-1:22: script on "+
		"server-1:22: context deadline exceeded")
}

func TestUnusableCertificateIsNotReturned(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*world)
		want   string
	}{
		"valid for less than the requested lifetime": {func(w *world) { w.longest = time.Hour },
			"strata:k3s.clientCertificateLifetime"},
		"refused by the signer": {func(w *world) { w.refuses = true },
			"SignerValidationFailure"},
		"without rights": {func(w *world) {
			w.forbidden = true
			w.limit = 3 * time.Second
		}, "its rights do not hold yet"},
		"a binding of another role": {func(w *world) {
			binding := Binding("strata:dev", role)
			binding.RoleRef.Name, w.limit = "view", 3*time.Second
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

func TestGenerationAdvancesEveryThirdOfLifetime(t *testing.T) {
	life := 90 * 24 * time.Hour
	start := time.Unix(0, 0).Add(100 * life)
	assert.Equal(t, Generation(start, life),
		Generation(start.Add(30*24*time.Hour-time.Second), life))
	assert.Equal(t, Generation(start, life)+1, Generation(start.Add(30*24*time.Hour), life))
	assert.Equal(t, Generation(start, life)+3, Generation(start.Add(life), life))
}

func TestExpiredKubeconfigIsReportedAsUnusable(t *testing.T) {
	w := newWorld(t, "server-1")
	_, text, err := w.Admin(t.Context(), remote.Target{Name: "server-1"}, readLimit)
	require.NoError(t, err)
	require.NoError(t, Usable(text, today))
	assert.Empty(t, UserOf(text), "K3s's own needs no binding")
	require.ErrorContains(t, Usable(text, today.Add(201*24*time.Hour)), "its certificate ended at")
	require.Error(t, Usable(nil, today))
}
