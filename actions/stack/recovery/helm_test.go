package recovery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	"strata/internal/kube/helmrecord"
	"strata/internal/pulumi/stackstate"
)

// record returns the Secret in which Helm keeps one revision of release metallb.
func record(t *testing.T, number int, status string, age time.Duration) *corev1.Secret {
	t.Helper()
	data, err := helmrecord.Encode(
		map[string]any{"name": "metallb", "version": number,
			"info": map[string]any{"status": status}})
	require.NoError(t, err)
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name:      fmt.Sprintf("sh.helm.release.v1.metallb.v%d", number),
			Namespace: "metallb-system",
			Labels: map[string]string{"owner": "helm", "name": "metallb", "status": status,
				"version": fmt.Sprint(number)},
			CreationTimestamp: metav1.NewTime(time.Now().Add(-age)),
		},
		Type: "helm.sh/release.v1",
		Data: data,
	}
}

// repaired returns the state of each revision, and the log, after the repair of a release with
// these records.
func repaired(
	t *testing.T, found release, started time.Time, have []*corev1.Secret,
) (states map[int]string, output string) {
	t.Helper()
	objects := []runtime.Object{&corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Name: "other", Namespace: "metallb-system",
		Labels: map[string]string{"owner": "helm", "name": "other", "status": "pending-install"},
	}}}
	for _, secret := range have {
		objects = append(objects, secret)
	}
	client := fake.NewClientset(objects...)
	var log bytes.Buffer
	r := Recovery{Log: &log}
	found.namespace, found.name = "metallb-system", "metallb"
	require.NoError(t, r.repair(t.Context(), client, found, started))

	list, err := client.CoreV1().Secrets("metallb-system").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	got := map[int]string{}
	for _, secret := range list.Items {
		if secret.Name == "other" {
			continue
		}
		content, err := helmrecord.Decode(&secret)
		require.NoError(t, err)
		got[helmrecord.Revision(secret)] = secret.Labels["status"]
		assert.Equal(t, secret.Labels["status"], content["info"].(map[string]any)["status"])
	}
	assert.Len(t, list.Items, len(got)+1, "another release is not touched")
	return got, log.String()
}

func TestInterruptedHelmReleasesAreRepaired(t *testing.T) {
	const minute = time.Minute
	interrupted, known := release{interrupted: true}, release{known: true}
	both := release{known: true, interrupted: true}
	run := time.Now().Add(-5 * minute)
	cases := []struct {
		name    string
		release release
		started time.Time
		have    []*corev1.Secret
		want    map[int]string
		log     string
	}{
		{"an upgrade of a release in the state becomes failed", both, run,
			[]*corev1.Secret{record(t, 1, "deployed", 60*minute),
				record(t, 2, "pending-upgrade", minute)},
			map[int]string{1: "deployed", 2: "failed"}, "marked revision 2"},
		{"a rollback of a release in the state becomes failed", both, run,
			[]*corev1.Secret{record(t, 9, "deployed", 60*minute),
				record(t, 10, "pending-rollback", minute)},
			map[int]string{9: "deployed", 10: "failed"}, "marked revision 10"},
		{"an install that the state does not know is forgotten", interrupted, run,
			[]*corev1.Secret{record(t, 1, "pending-install", minute)}, map[int]string{},
			"removed the record"},
		{"a complete install that the state does not know is forgotten", interrupted, run,
			[]*corev1.Secret{record(t, 1, "deployed", minute)}, map[int]string{},
			"removed the record"},
		{"an interrupted install without a lock is forgotten", interrupted, time.Time{},
			[]*corev1.Secret{record(t, 1, "pending-install", minute)}, map[int]string{},
			"removed the record"},
		{"a release from before the run is kept", interrupted, run,
			[]*corev1.Secret{record(t, 1, "deployed", 60*minute)}, map[int]string{1: "deployed"},
			"this run did not install it"},
		{"a young upgrade without any trace may still run", known, time.Time{},
			[]*corev1.Secret{record(t, 2, "pending-upgrade", minute)},
			map[int]string{2: "pending-upgrade"}, "may still run"},
		{"an old upgrade without any trace becomes failed", known, time.Time{},
			[]*corev1.Secret{record(t, 2, "pending-upgrade", 60*minute)},
			map[int]string{2: "failed"},
			"marked revision 2"},
		{"good releases stay", known, run,
			[]*corev1.Secret{record(t, 1, "superseded", minute), record(t, 2, "deployed", minute)},
			map[int]string{1: "superseded", 2: "deployed"}, ""},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			got, log := repaired(t, test.release, test.started, test.have)
			assert.Equal(t, test.want, got)
			assert.Contains(t, log, test.log)
		})
	}
}

func TestReleasesComeFromStateAndPendingOperations(t *testing.T) {
	resource := func(kind tokens.Type, inputs map[string]any) stackstate.Resource {
		return stackstate.Resource{ResourceV3: apitype.ResourceV3{Type: kind, Inputs: inputs}}
	}
	release1 := resource(stackstate.HelmRelease, map[string]any{"name": "a", "namespace": "x"})
	release2 := resource(stackstate.HelmRelease, map[string]any{"name": "b"})
	s := state{&stackstate.State{
		Resources: []stackstate.Resource{release1,
			resource("kubernetes:core/v1:Secret", map[string]any{"name": "c"})},
		Pending: []stackstate.Operation{
			{Resource: release1, Type: apitype.OperationTypeUpdating},
			{Resource: release2, Type: apitype.OperationTypeCreating},
		},
	}}
	assert.Equal(t, []release{
		{namespace: "x", name: "a", known: true, interrupted: true},
		{namespace: "default", name: "b", interrupted: true},
	}, s.releases())
}

// A remote backend shows a running update only by its own lock. Recovery must not disturb the Helm
// of such an update.
func TestHelmReleasesAreNotRepairedWhileRemoteBackendIsLocked(t *testing.T) {
	client := fake.NewClientset(record(t, 2, "pending-upgrade", time.Hour))
	var calls []string
	locked := true
	r := Recovery{Stack: "prod", Log: &bytes.Buffer{},
		Pulumi: func(_ context.Context, stdin []byte, args ...string) ([]byte, error) {
			calls = append(calls, args[1]+" "+string(stdin))
			if args[1] == "import" && locked {
				return nil, errors.New("the stack is currently locked by 1 lock(s)")
			}
			return []byte("the state"), nil
		}}
	r.claim = r.importOnce()
	one := release{namespace: "metallb-system", name: "metallb", known: true}
	status := func() string {
		secret, err := client.CoreV1().Secrets("metallb-system").
			Get(t.Context(), "sh.helm.release.v1.metallb.v2", metav1.GetOptions{})
		require.NoError(t, err)
		return secret.Labels["status"]
	}
	err := r.repair(t.Context(), client, one, time.Time{})
	require.ErrorIs(t, err, ErrOwned)
	assert.ErrorContains(t, err, "currently locked")
	assert.Equal(t, "pending-upgrade", status())

	locked = false
	require.NoError(t, r.repair(t.Context(), client, one, time.Time{}))
	assert.Equal(t, "failed", status())
	assert.Equal(t, []string{"export ", "import the state", "export ", "import the state"}, calls)
}
