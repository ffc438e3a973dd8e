package vm

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// brokenOff makes a machine's deletion break off once its mark is written.
func brokenOff(t *testing.T, spec Spec) {
	t.Helper()
	require.NoError(t, on(t.Context(), spec, Secrets{}, func(d driver) error {
		have, err := d.find(t.Context())
		if err != nil {
			return err
		}
		return d.sign(t.Context(), have, spec.mark(stateLeaving))
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
		assert.NotContains(t, mark(), stateLeaving)

		require.NoError(t, Delete(t.Context(), ours, secrets, io.Discard))
		_, err = Update(t.Context(), ours, before, secrets, io.Discard)
		assert.ErrorContains(t, err, "if a destroy broke off, run it again")
	})
}

// What a destroy has said of all machines holds for those that it left, until the next run asks. One that was made since is not among them.
func TestOnlyADestroyThatCameToTheMachinesHasThemMadeAnew(t *testing.T) {
	onEach(t, false, func(t *testing.T, ours, _ Spec, mark func() string) {
		secrets := Secrets{HostKey: newKey(t)}
		all := Departure{Machines: []Spec{ours, ours.of("server-9")}, Timeout: metav1.Duration{Duration: ours.Timeout.Duration}}
		doomed, err := Doom(t.Context(), all, secrets)
		require.NoError(t, err)
		assert.Empty(t, doomed)

		require.NoError(t, Condemn(t.Context(), all, secrets))
		said := &strings.Builder{}
		_, err = Update(t.Context(), ours, Result{}, secrets, said)
		require.NoError(t, err)
		assert.Empty(t, said.String(), "it goes on")
		require.NoError(t, Spare(t.Context(), all, secrets))
		doomed, err = Doom(t.Context(), all, secrets)
		require.NoError(t, err)
		assert.Empty(t, doomed)

		require.NoError(t, Condemn(t.Context(), all, secrets))
		doomed, err = Doom(t.Context(), all, secrets)
		require.NoError(t, err)
		assert.Equal(t, []string{ours.Name()}, doomed)
		_, err = Update(t.Context(), ours, Result{}, secrets, io.Discard)
		require.NoError(t, err)
		doomed, err = Doom(t.Context(), all, secrets)
		require.NoError(t, err)
		assert.Empty(t, doomed)
		assert.Contains(t, mark(), stateMade)
	})
}
