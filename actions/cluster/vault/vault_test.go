package vault

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/hashicorp/vault/api"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// server answers requests to initialise and unseal as Vault does: it returns the keys only once.
type server struct {
	initialised, sealed bool
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var answer any
	switch r.Method + " " + r.URL.Path {
	case "GET /v1/sys/init":
		answer = map[string]any{"initialized": s.initialised}
	case "PUT /v1/sys/init":
		s.initialised, s.sealed = true, true
		answer = map[string]any{"keys_base64": []string{"share"}, "root_token": "hvs.root"}
	case "GET /v1/sys/seal-status":
		answer = map[string]any{"sealed": s.sealed}
	case "PUT /v1/sys/unseal":
		var share struct{ Key string }
		_ = json.NewDecoder(r.Body).Decode(&share)
		s.sealed = s.sealed && share.Key != "share"
		answer = map[string]any{"sealed": s.sealed}
	default:
		http.NotFound(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func start(t *testing.T, s *server) *api.Client {
	listener := httptest.NewServer(s)
	t.Cleanup(listener.Close)
	client, err := api.NewClient(&api.Config{Address: listener.URL})
	require.NoError(t, err)
	return client
}

func TestInitKeepsKeysInSecretUntilStateHasThem(t *testing.T) {
	vault, cluster := &server{}, fake.NewClientset()
	client, handover := start(t, vault), InSecret{Client: cluster, Namespace: "vault"}
	keys, err := Init(t.Context(), client, handover, nil)
	require.NoError(t, err)
	assert.Equal(t, Keys{Unseal: []string{"share"}, Threshold: 1, RootToken: "hvs.root"}, keys)

	again, err := Init(t.Context(), client, handover, nil)
	require.NoError(t, err, "the run was cut off before the state had them")
	assert.Equal(t, keys, again)

	require.NoError(t, handover.Clear(t.Context()))
	require.NoError(t, handover.Clear(t.Context()), "a step that runs again")
	again, err = Init(t.Context(), client, handover, &keys)
	require.NoError(t, err, "the state has them")
	assert.Equal(t, keys, again)

	_, err = Init(t.Context(), client, handover, nil)
	assert.ErrorIs(t, err, ErrKeysLost)
}

// unwritable is a Handover that cannot store keys.
type unwritable struct{ InSecret }

func (unwritable) Store(context.Context, Keys) error { return errors.New("quota exceeded") }

func TestInitHidesKeysWhenStoringFails(t *testing.T) {
	_, err := Init(t.Context(), start(t, &server{}), unwritable{}, nil)
	require.ErrorContains(t, err, "quota exceeded")
	assert.NotContains(t, err.Error(), "hvs.root")
}

func TestInitReplacesKeysOfEarlierVault(t *testing.T) {
	handover := InSecret{Client: fake.NewClientset(), Namespace: "vault"}
	require.NoError(t, handover.Store(t.Context(), Keys{Unseal: []string{"old"}, RootToken: "old"}))
	keys, err := Init(t.Context(), start(t, &server{}), handover,
		&Keys{Unseal: []string{"old"}, RootToken: "old"})
	require.NoError(t, err)
	kept, err := handover.Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, keys, *kept)
}

func TestUnsealAcceptsOnlyOwnKeysAndIsIdempotent(t *testing.T) {
	vault := &server{initialised: true, sealed: true}
	client := start(t, vault)
	assert.ErrorContains(t, Unseal(t.Context(), client, Keys{Unseal: []string{"other"}}),
		"another Vault's")
	require.NoError(t, Unseal(t.Context(), client, Keys{Unseal: []string{"share"}}))
	assert.False(t, vault.sealed)
	require.NoError(t, Unseal(t.Context(), client, Keys{Unseal: []string{"share"}}),
		"it is unsealed already")
}

func TestClientIgnoresVaultEnvironmentVariables(t *testing.T) {
	listener := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		assert.Empty(t, r.Header.Get("X-Vault-Token"))
		assert.Empty(t, r.Header.Get("X-Vault-Namespace"))
		(&server{}).ServeHTTP(w, r)
	}))
	defer listener.Close()
	for name, value := range map[string]string{
		"VAULT_ADDR": "https://127.0.0.1:1", "VAULT_TOKEN": "hvs.other", "VAULT_NAMESPACE": "other",
		"VAULT_SKIP_VERIFY": "true",
	} {
		t.Setenv(name, value)
	}
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
		Bytes: listener.Certificate().Raw}))
	client, err := newClient(listener.URL, Server{Name: "example.com", CA: ca})
	require.NoError(t, err)
	_, err = client.Sys().InitStatusWithContext(t.Context())
	require.NoError(t, err)

	client, err = newClient(listener.URL, Server{Name: "other.example.org", CA: ca})
	require.NoError(t, err)
	_, err = client.Sys().InitStatusWithContext(t.Context())
	assert.ErrorContains(t, err, "certificate is valid for",
		"VAULT_SKIP_VERIFY must not switch the check off")
}

func TestParseKeysErrorDoesNotLeakKeys(t *testing.T) {
	_, err := ParseKeys(`{"unseal":["secret"],"rootToken":5}`)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "secret")
}

func TestVaultPodIsStuckAfterCrashesOrConfigError(t *testing.T) {
	pod := func(status corev1.ContainerStatus) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "vault-0", Namespace: "vault"},
			Status: corev1.PodStatus{
				Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{status},
			}}
	}
	waiting := func(reason string, restarts int32) *corev1.Pod {
		return pod(corev1.ContainerStatus{RestartCount: restarts,
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}})
	}
	trouble := func(pods ...*corev1.Pod) error {
		cluster := fake.NewClientset()
		for _, one := range pods {
			require.NoError(t, cluster.Tracker().Add(one))
		}
		return podTrouble(t.Context(), cluster, Server{Namespace: "vault", Pod: "vault-0"})
	}
	assert.NoError(t, trouble(pod(corev1.ContainerStatus{
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}})),
		"not Ready: it is sealed")
	assert.EqualError(t, trouble(), "does not exist yet")
	assert.NotErrorIs(t, trouble(waiting("CrashLoopBackOff", 1)), errStuck)
	assert.ErrorIs(t, trouble(waiting("CrashLoopBackOff", 3)), errStuck)
	assert.ErrorIs(t, trouble(waiting("CreateContainerConfigError", 0)), errStuck)
}
