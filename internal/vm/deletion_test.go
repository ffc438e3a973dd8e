package vm

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/remote/sshtest"
)

// brokenOff makes a machine's deletion break off once its mark is written.
func brokenOff(t *testing.T, spec Spec) {
	t.Helper()
	require.NoError(t, on(t.Context(), spec, Secrets{}, func(d driver) error {
		have, err := d.find(t.Context())
		if err != nil {
			return err
		}
		return d.sign(t.Context(), have, spec.mark(stateDeleting))
	}))
}

func TestAMachineWhoseDeletionBrokeOffIsMadeAnew(t *testing.T) {
	onEach(t, false, func(t *testing.T, ours, theirs Spec, mark func() string) {
		secrets := Secrets{HostKey: newKey(t)}
		before, err := Update(t.Context(), ours, Result{}, secrets, io.Discard)
		require.NoError(t, err)
		brokenOff(t, ours)
		_, err = Update(t.Context(), theirs, Result{}, secrets, io.Discard)
		require.Error(t, err, "another cluster's")
		said := &strings.Builder{}
		_, err = Update(t.Context(), ours, before, secrets, said)
		require.NoError(t, err)
		assert.Contains(t, said.String(), "left of it (leaving)")
		assert.Contains(t, mark(), stateMade)
		assert.NotContains(t, mark(), stateDeleting)

		require.NoError(t, Delete(t.Context(), ours, secrets, io.Discard))
		_, err = Update(t.Context(), ours, before, secrets, io.Discard)
		assert.ErrorContains(t, err, "if a destroy broke off, run it again")
	})
}

// What a destroy has said of all machines holds for those that it left, until the next run asks. One that was made since is not among them.
func TestOnlyADestroyThatCameToTheMachinesHasThemMadeAnew(t *testing.T) {
	onEach(t, false, func(t *testing.T, ours, _ Spec, mark func() string) {
		secrets := Secrets{HostKey: newKey(t)}
		all := Deletion{Machines: []Spec{ours, ours.of("server-9")}, Timeout: metav1.Duration{Duration: ours.Timeout.Duration}}
		replaced, err := MarkForReplacement(t.Context(), all, secrets)
		require.NoError(t, err)
		assert.Empty(t, replaced)

		require.NoError(t, MarkForDeletion(t.Context(), all, secrets))
		said := &strings.Builder{}
		_, err = Update(t.Context(), ours, Result{}, secrets, said)
		require.NoError(t, err)
		assert.Empty(t, said.String(), "it goes on")
		require.NoError(t, Keep(t.Context(), all, secrets))
		replaced, err = MarkForReplacement(t.Context(), all, secrets)
		require.NoError(t, err)
		assert.Empty(t, replaced)

		require.NoError(t, MarkForDeletion(t.Context(), all, secrets))
		replaced, err = MarkForReplacement(t.Context(), all, secrets)
		require.NoError(t, err)
		assert.Equal(t, []string{ours.Name()}, replaced)
		_, err = Update(t.Context(), ours, Result{}, secrets, io.Discard)
		require.NoError(t, err)
		replaced, err = MarkForReplacement(t.Context(), all, secrets)
		require.NoError(t, err)
		assert.Empty(t, replaced)
		assert.Contains(t, mark(), stateMade)
	})
}

func TestTheMachinesOfAHypervisorAreMarkedOverOneConnection(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = func(sshtest.Call) int { return 0 } // it has no machine
	one := hypervisors["libvirt"].spec()
	one.Hypervisor = server.Target()
	all := Deletion{Machines: []Spec{one, one.of("server-2"), one.of("server-3")}}
	require.NoError(t, MarkForDeletion(t.Context(), all, Secrets{HypervisorKey: server.PrivateKey()}))
	assert.Equal(t, 1, server.Connections())
	assert.GreaterOrEqual(t, len(server.Commands()), 3)
	require.NoError(t, Keep(t.Context(), Deletion{}, Secrets{}), "a stack without machines asks nobody")
}
