package lifecycle

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/drivers"
	"strata/internal/hypervisor/vmtest"
	"strata/internal/k3shost"
)

// hypervisors holds, for each driver, the constructor of a test hypervisor, and the file with the
// machine's mark.
var hypervisors = map[string]struct {
	spec func() hypervisor.Spec
	new  func(t *testing.T) (mark func(made hypervisor.Result) string)
}{
	"libvirt": {vmtest.OnLibvirt, func(t *testing.T) func(hypervisor.Result) string {
		dir := newVirsh(t)
		return func(hypervisor.Result) string {
			return filepath.Join(dir,
				"domains/strata-dev-server-1")
		}
	}},
	"proxmox": {vmtest.OnPVE, func(t *testing.T) func(hypervisor.Result) string {
		p := newPVE(t)
		return func(made hypervisor.Result) string {
			return filepath.Join(p.dir, "guests",
				made.ID+".json")
		}
	}},
}

// onEach runs a test on both hypervisors, for two states from one stack file: ours and theirs. ours
// has created the machine, without an owner if released is true. mark returns the text with the
// machine's mark.
func onEach(t *testing.T, released bool,
	test func(t *testing.T, ours, theirs hypervisor.Spec, mark func() string)) {
	for name, on := range hypervisors {
		t.Run(name, func(t *testing.T) {
			file, ours, theirs := on.new(t), on.spec(), on.spec()
			theirs.Cluster = "feed"
			theirs.Guest.AuthorizedKeys = []string{"ssh-ed25519 BBBB theirs"}
			first := ours
			if released {
				first.Cluster, first.Project = "", ""
			}
			made, err := createMachine(t.Context(), first,
				hypervisor.Secrets{HostKey: vmtest.NewKey(t)}, io.Discard)
			require.NoError(t, err)
			test(t, ours, theirs, func() string {
				text, err := os.ReadFile(file(made))
				if os.IsNotExist(err) {
					return ""
				}
				require.NoError(t, err)
				return string(text)
			})
		})
	}
}

// Two users with the same stack file have the same name for two machines. Neither user's update
// takes over or removes the other's machine.
func TestMachineOfOtherStateIsNotChanged(t *testing.T) {
	onEach(t, false, func(t *testing.T, ours, theirs hypervisor.Spec, mark func() string) {
		before := mark()
		unknown := theirs
		unknown.Cluster, unknown.Project = "", ""
		errs := map[string]error{}
		_, errs["create"] = createMachine(t.Context(), theirs,
			hypervisor.Secrets{HostKey: vmtest.NewKey(t)}, io.Discard)
		_, errs["update"] = updateMachine(t.Context(), theirs, hypervisor.Result{},
			hypervisor.Secrets{HostKey: vmtest.NewKey(t)}, io.Discard)
		errs["delete"] = deleteMachine(t.Context(), theirs, hypervisor.Secrets{}, io.Discard)
		errs["without identity"] = deleteMachine(t.Context(), unknown, hypervisor.Secrets{},
			io.Discard)
		for verb, err := range errs {
			var foreign *hypervisor.ForeignError
			require.ErrorAs(t, err, &foreign, verb)
			for _, says := range []string{"node server-1 of stack dev of project strata (cluster cafe)",
				"left alone", "strata owner -s dev server-1 --take", "docs/host-ownership.md"} {
				assert.ErrorContains(t, err, says, verb)
			}
		}
		assert.Equal(t, before, mark())

		owned, err := drivers.New(here(t), theirs).ListOwned(t.Context())
		require.NoError(t, err)
		assert.Empty(t, owned, "what is left of their stack")
		machine := Survey(t.Context(), here(t), hypervisor.Specs{theirs}).Machines[0]
		assert.ErrorContains(t, machine.Fault, "(cluster cafe)", "preflight")
		gate := theirs
		gate.Cluster, gate.Guest.AuthorizedKeys = "", nil // the Spec of a gate lacks these
		facts, err := drivers.New(here(t), gate.AnyOwner()).Observe(t.Context())
		require.NoError(t, err)
		assert.True(t, facts.Exists)

		owned, err = drivers.New(here(t), ours).ListOwned(t.Context())
		require.NoError(t, err)
		assert.Len(t, owned, 1)
		require.NoError(t, deleteMachine(t.Context(), ours, hypervisor.Secrets{}, io.Discard))
		assert.Empty(t, mark())
	})
}

// A machine whose mark was cleared gets its cluster's identity at the next update, if the state
// contains the machine. Otherwise the update finds the machine only by its name, and fails.
func TestMachineWithClearedMarkGetsClusterIdentity(t *testing.T) {
	onEach(t, true, func(t *testing.T, ours, theirs hypervisor.Spec, mark func() string) {
		assert.NotContains(t, mark(), "cluster=")
		before := mark()
		_, err := createMachine(t.Context(), theirs, hypervisor.Secrets{HostKey: vmtest.NewKey(t)},
			io.Discard)
		require.ErrorContains(t, err, "strata owner -s dev server-1 --take")
		assert.Equal(t, before, mark())

		_, err = updateMachine(t.Context(), ours, hypervisor.Result{},
			hypervisor.Secrets{HostKey: vmtest.NewKey(t)}, io.Discard)
		require.NoError(t, err)
		assert.Regexp(t, `cluster=\\?"?cafe`, mark())
		require.Error(t, deleteMachine(t.Context(), theirs, hypervisor.Secrets{}, io.Discard))
	})
}

func TestChangeOwnerRewritesMachineMark(t *testing.T) {
	onEach(t, false, func(t *testing.T, ours, theirs hypervisor.Spec, mark func() string) {
		before := mark()
		was, err := ChangeOwner(t.Context(), theirs, hypervisor.Secrets{}, k3shost.Show)
		require.NoError(t, err)
		assert.Equal(t, ours.Mark(hypervisor.StateMade), was)
		assert.Equal(t, before, mark(), "it is only shown")

		_, err = ChangeOwner(t.Context(), theirs, hypervisor.Secrets{}, k3shost.Take)
		require.NoError(t, err)
		require.Error(t, deleteMachine(t.Context(), ours, hypervisor.Secrets{}, io.Discard))
		_, err = createMachine(t.Context(), theirs, hypervisor.Secrets{HostKey: vmtest.NewKey(t)},
			io.Discard)
		require.NoError(t, err)

		_, err = ChangeOwner(t.Context(), theirs, hypervisor.Secrets{}, k3shost.Clear)
		require.NoError(t, err)
		_, err = updateMachine(t.Context(), ours, hypervisor.Result{},
			hypervisor.Secrets{HostKey: vmtest.NewKey(t)}, io.Discard)
		require.NoError(t, err, "whose state has it gets it")
		assert.Equal(t, before, mark())

		theirs.Node = "server-9"
		_, err = ChangeOwner(t.Context(), theirs, hypervisor.Secrets{}, k3shost.Take)
		require.ErrorContains(t, err, "there is no machine strata-dev-server-9")
	})
}

// Users write notes on a VM, and Proxmox VE returns them with a newline at the end.
func TestUpdateKeepsNotesInVMDescription(t *testing.T) {
	p, spec := newPVE(t), vmtest.OnPVE()
	made, err := createMachine(t.Context(), spec, hypervisor.Secrets{HostKey: vmtest.NewKey(t)},
		io.Discard)
	require.NoError(t, err)
	id, _ := strconv.Atoi(made.ID)
	config := p.read(id)
	config["description"] = "Ask Ada first.\nstrata stack=dev node=server-1 state=made\nBackup: no\n"
	p.guest(id, config)
	_, err = updateMachine(t.Context(), spec, hypervisor.Result{},
		hypervisor.Secrets{HostKey: vmtest.NewKey(t)}, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, "Ask Ada first.\n"+spec.Mark(hypervisor.StateMade).Line()+"\nBackup: no",
		p.read(id)["description"])
	assert.Equal(t, spec.Mark(hypervisor.StateMade).Line()+"\nAda's",
		spec.Mark(hypervisor.StateMade).Apply("Ada's\n"))
	assert.Equal(t, spec.Mark(hypervisor.StateMade).Line(), spec.Mark(hypervisor.StateMade).Apply(""))
}
