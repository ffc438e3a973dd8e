package scaffold

import (
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/actions/hosts/reach"
	"strata/cli/preflight"
	"strata/cli/scaffold/scaffoldtest"
	"strata/config"
	"strata/health"
	"strata/health/host"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

// requireRefusal requires that err contains texts, and that it names no key of a stack file,
// because init has not written one yet.
func requireRefusal(t *testing.T, err error, texts ...string) {
	t.Helper()
	require.Error(t, err)
	for _, text := range texts {
		require.ErrorContains(t, err, text)
	}
	assert.NotRegexp(t, `strata:|config set|\b(hosts|ssh|k3s|metallb)\.\w|\[\]|`+
		`keyFile|knownHosts|hostKey|sudoPassword|serverArgs|agent to true`, err.Error())
}

func TestErrorsOfUnusableSSHKeysNameInitFlags(t *testing.T) {
	const passphraseFix = "set its passphrase in STRATA_SSH_PASSPHRASE"
	for name, test := range map[string]struct {
		spoil func(t *testing.T, key string)
		// given is the expected error for a key from --key, and found the one for a key from an
		// ssh_config.
		given, found string
	}{
		"missing": {func(t *testing.T, key string) { require.NoError(t, os.Remove(key)) },
			"cannot be read: no such file or directory; create it with ssh-keygen",
			"no such file or directory; name a private key that may log in, or give --agent"},
		"public": {func(t *testing.T, key string) {
			require.NoError(t, os.WriteFile(key, []byte(ecdsaKey(t)), 0o600))
		}, "is not a private key; name the private key",
			"is a public key: name its private key, or give --agent if an agent has that"},
		"encrypted": {seal,
			"a run cannot ask for its passphrase; " + passphraseFix +
				", or give --agent where an agent has it open, or use a key without one",
			"private key is encrypted; " + passphraseFix},
		"of another cipher": {func(t *testing.T, key string) {
			require.NoError(t, os.WriteFile(key,
				pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY"}), 0o600))
		}, "(with the same passphrase), or give --agent where an agent has it open",
			"(with the same passphrase), or give --agent where an agent has it"},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(t, scaffoldtest.New(t, 11))
			test.spoil(t, r.SSH.KeyFile)
			requireRefusal(t, r.Check(), "--key: "+r.SSH.KeyFile+" ", test.given)

			r, host := sshConfig(t, "web 127.0.0.11")
			key := filepath.Join(r.Project, "found")
			require.NoError(t, os.WriteFile(key, host.PrivateKey(), 0o600))
			test.spoil(t, key)
			require.NoError(t, os.WriteFile(r.SSH.Config,
				[]byte("Host web\n  HostName 127.0.0.11\n  IdentityFile "+key+"\n"), 0o600))
			requireRefusal(t, r.Check(), "--host web: ", key, test.found)
		})
	}
}

func TestJumpHostWithoutKnownKeyIsRefusedBeforeContact(t *testing.T) {
	const names = "127.0.0.1,[127.0.0.1]:* "
	for name, test := range map[string]struct{ lines, want string }{
		"unknown": {"", "log in there once with ssh"},
		"a CA's":  {"@cert-authority " + names + "KEY\n", "add its own key there; a CA's (@cert-authority) is not read"},
		"revoked": {names + "KEY\n@revoked * KEY\n",
			"is revoked: replace the line by the key that it has now"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _, jump, named := behind(t)
			hop, err := ParseJump(named)
			require.NoError(t, err)
			r.SSH.Jump = []config.JumpHost{hop}
			require.NoError(t, os.WriteFile(r.SSH.KnownHosts,
				[]byte(strings.ReplaceAll(test.lines, "KEY", jump.HostKey())), 0o600))
			requireRefusal(t, r.Check(), "--host 127.0.0.11: known_hosts: "+r.SSH.KnownHosts,
				test.want)
			assert.Zero(t, jump.Connections())
		})
	}
}

func TestErrorsOfRefusedLoginsNameInitFlags(t *testing.T) {
	locked, asks, wrong := scaffoldtest.New(t, 12), scaffoldtest.New(t, 13), scaffoldtest.New(t, 14)
	cloud, ofAnother := scaffoldtest.New(t, 15), scaffoldtest.New(t, 16)
	asks.User, asks.Sudo = "ada", "echo sudo: a password is required >&2; exit 1"
	cloud.Shell = []string{"/bin/sh", "-c", "echo Please login as the user debian; exit 142"}
	r := request(t, locked, asks, cloud, ofAnother)
	locked.AcceptKeyOf(sshtest.New(t))
	r.Known = known(t, ofAnother, ecdsaKey(t))
	require.NoError(t, r.Check())
	_, err := r.Run(t.Context())
	requireRefusal(t, err,
		"private key not accepted", "or key (--key, --agent)",
		"ada ALL=(ALL) NOPASSWD:ALL, or set the sudo password; that is read from STRATA_SUDO_PASSWORD, or log in as root",
		"or log in as another user; --user, or USER@ before the address, names one",
		"pin its new key (see `strata hostkey`), otherwise another machine",
		"the pin is from known_hosts; once you have compared the new key: ssh-keygen -R 127.0.0.16")

	wrong.User, wrong.Sudo = "ada", sshtest.AskingSudo(sudoSecret)
	t.Setenv(reach.SudoPasswordVariable, "wrong")
	r = request(t, wrong)
	require.NoError(t, r.Check())
	_, err = r.Run(t.Context())
	requireRefusal(t, err, "correct the sudo password, it was tried once; "+
		"that is read from STRATA_SUDO_PASSWORD, or log in as root")
}

// init writes no stack file if a finding cannot pass by itself, such as a refused login.
func TestFixesOfStuckFindingsNameInitFlags(t *testing.T) {
	of := health.Host{Target: remote.Target{Name: "host-11", Address: "127.0.0.11"}}
	report := func(v health.Verdict) error {
		assert.Equal(t, health.Stuck, v.State)
		return problemOf(preflight.Finding{Subject: "host-11", Verdict: v})
	}
	for _, err := range []error{
		&remote.HostKeyError{Target: of.Target}, &remote.ProxyError{Missing: true},
		remote.ErrKeyRejected, remote.ErrSudo, remote.ErrSudoPassword, remote.ErrAgent,
		remote.ErrForwarding, remote.ErrNotRun,
	} {
		verdict := host.JudgeHost(of, host.Spec{}, host.Facts{Fault: err})[0]
		requireRefusal(t, report(verdict), "host-11: ssh: ", "run this again")
	}
	facts := host.Facts{Seen: true, Probe: host.Block{"cgroup": {"v1"}}}
	verdicts := host.JudgeHost(of, host.Spec{K3s: config.K3sVersion}, facts)
	i := slices.IndexFunc(verdicts, func(v health.Verdict) bool { return v.Check == "cgroups" })
	requireRefusal(t, report(verdicts[i]),
		fmt.Sprintf("cgroups: expected v2 for %s, found v1; ", config.K3sVersion),
		"ends on a host with cgroup v1", "systemd.unified_cgroup_hierarchy=1",
		"--k3s-version with a v1.34 release", "--allow-cgroup-v1")
	requireRefusal(t, report(health.Verdict{Check: "pool addresses", State: health.Stuck,
		Hint: "choose another range in strata:metallb.addresses"}), "run this again")
}

// init writes the stack file if findings may pass by themselves.
func TestFixesOfWaitingFindingsNameStackFileKeys(t *testing.T) {
	problem := problemOf(preflight.Finding{Subject: "host-11", Verdict: health.Verdict{
		Check: "ssh", State: health.Waiting, Cause: "off", Hint: "correct strata:hosts.nodes"}})
	assert.Equal(t, "off; correct strata:hosts.nodes", problem.Fix)
}
