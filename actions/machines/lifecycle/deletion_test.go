package lifecycle

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/actions/verb"
	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
	"strata/internal/hypervisor/vmtest"
	"strata/internal/pulumi/self"
	"strata/internal/ssh/remote/sshtest"
)

// brokenOff imitates an interrupted deletion of a machine: it only writes the deletion's mark.
func brokenOff(t *testing.T, spec hypervisor.Spec) {
	t.Helper()
	require.NoError(t, withDriver(t.Context(), spec, hypervisor.Secrets{}, func(d driver.Driver) error {
		have, err := d.Find(t.Context())
		if err != nil {
			return err
		}
		return d.Sign(t.Context(), have, spec.Mark(hypervisor.StateDeleting))
	}))
}

func TestMachineIsRecreatedAfterInterruptedDeletion(t *testing.T) {
	onEach(t, false, func(t *testing.T, ours, theirs hypervisor.Spec, mark func() string) {
		secrets := hypervisor.Secrets{HostKey: vmtest.NewKey(t)}
		before, err := updateMachine(t.Context(), ours, hypervisor.Result{}, secrets, io.Discard)
		require.NoError(t, err)
		brokenOff(t, ours)
		_, err = updateMachine(t.Context(), theirs, hypervisor.Result{}, secrets, io.Discard)
		require.Error(t, err, "another cluster's")
		output := &strings.Builder{}
		_, err = updateMachine(t.Context(), ours, before, secrets, output)
		require.NoError(t, err)
		assert.Contains(t, output.String(), "left of it (leaving)")
		assert.Contains(t, mark(), hypervisor.StateMade)
		assert.NotContains(t, mark(), hypervisor.StateDeleting)

		require.NoError(t, deleteMachine(t.Context(), ours, secrets, io.Discard))
		_, err = updateMachine(t.Context(), ours, before, secrets, io.Discard)
		assert.ErrorContains(t, err, "if a destroy broke off, run it again")
	})
}

// The marks of an interrupted destroy stay on the remaining machines until the next run reads them.
// A machine that was created later has no such mark.
func TestMachinesAreReplacedOnlyAfterInterruptedDestroy(t *testing.T) {
	onEach(t, false, func(t *testing.T, ours, _ hypervisor.Spec, mark func() string) {
		secrets := hypervisor.Secrets{HostKey: vmtest.NewKey(t)}
		all := hypervisor.Deletion{Machines: []hypervisor.Spec{ours, ours.WithNode("server-9")},
			Timeout: metav1.Duration{Duration: ours.Timeout.Duration}}
		replaced, deleted, err := markForReplacement(t.Context(), all, secrets)
		require.NoError(t, err)
		assert.Empty(t, replaced)
		assert.Equal(t, []string{"server-9"}, deleted)

		require.NoError(t, markForDeletion(t.Context(), all, secrets))
		output := &strings.Builder{}
		_, err = updateMachine(t.Context(), ours, hypervisor.Result{}, secrets, output)
		require.NoError(t, err)
		assert.Empty(t, output.String(), "it goes on")
		require.NoError(t, keep(t.Context(), all, secrets))
		replaced, _, err = markForReplacement(t.Context(), all, secrets)
		require.NoError(t, err)
		assert.Empty(t, replaced)

		require.NoError(t, markForDeletion(t.Context(), all, secrets))
		replaced, _, err = markForReplacement(t.Context(), all, secrets)
		require.NoError(t, err)
		assert.Equal(t, []string{ours.Node}, replaced)
		_, err = updateMachine(t.Context(), ours, hypervisor.Result{}, secrets, io.Discard)
		require.NoError(t, err)
		replaced, _, err = markForReplacement(t.Context(), all, secrets)
		require.NoError(t, err)
		assert.Empty(t, replaced)
		assert.Contains(t, mark(), hypervisor.StateMade)
	})
}

// A destroy was killed after it deleted a machine, and before Pulumi recorded the deletion. No mark
// is left, and the state still contains the machine.
func TestMachineIsRecreatedAfterUnrecordedDeletion(t *testing.T) {
	onEach(t, false, func(t *testing.T, ours, _ hypervisor.Spec, mark func() string) {
		t.Setenv(self.HostKey, string(vmtest.NewKey(t)))
		run := func(runs func(context.Context, verb.Call) error, input any) string {
			text, err := json.Marshal(input)
			require.NoError(t, err)
			output := &strings.Builder{}
			require.NoError(t, runs(t.Context(), verb.Call{Stdin: bytes.NewReader(text),
				Stdout: output, Stderr: io.Discard}))
			return output.String()
		}
		all := hypervisor.Deletion{Machines: []hypervisor.Spec{ours}, Timeout: ours.Timeout}
		run(MarkForDeletion.Run, all)
		run(Delete.Run, ours)

		deleted := run(MarkForReplacement.Run, all)
		assert.JSONEq(t, `["`+ours.Node+`"]`, deleted)
		t.Setenv(self.DeletedMachines, deleted)
		run(Update.Run, ours)
		assert.Contains(t, mark(), hypervisor.StateMade)
		assert.Empty(t, run(MarkForReplacement.Run, all), "it exists again")
	})
}

func TestMachinesAreMarkedOverOneConnection(t *testing.T) {
	server := sshtest.Start(t)
	server.Handler = func(sshtest.Call) int { return 0 } // the hypervisor has no machine
	one := hypervisors["libvirt"].spec()
	one.Hypervisor = server.Target()
	all := hypervisor.Deletion{Machines: []hypervisor.Spec{one, one.WithNode("server-2"),
		one.WithNode("server-3")}}
	require.NoError(t, markForDeletion(t.Context(), all,
		hypervisor.Secrets{HypervisorKey: server.PrivateKey()}))
	assert.Equal(t, 1, server.Connections())
	assert.GreaterOrEqual(t, len(server.Commands()), 3)
	require.NoError(t, keep(t.Context(), hypervisor.Deletion{}, hypervisor.Secrets{}),
		"a stack without machines sends no request")
}
