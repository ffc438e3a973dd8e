package upgrade

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/k3shost"
)

// host is a folder that the scripts use as a host's root.
type host struct {
	t    *testing.T
	root string
}

func newHost(t *testing.T) *host {
	h := &host{t, t.TempDir()}
	for path, content := range map[string]string{
		"etc/systemd/system/k3s-agent.service": "[Service]\n", "usr/local/bin/k3s": "old\n",
		"var/lib/strata/k3s": "new\n", "run/none": "",
		"var/lib/strata/k3s-install.sh":                     "echo written\n",
		"etc/rancher/k3s/config.yaml":                       "token: x\n",
		"etc/rancher/k3s/config.yaml.d/90-strata-join.yaml": "server: x\n",
		"bin/systemctl": "#!/bin/sh\necho \"$*\" >> " + h.root +
			"/systemctl.log\n",
	} {
		h.write(path, content)
	}
	return h
}

func (h *host) write(path, content string) {
	require.NoError(h.t, os.MkdirAll(filepath.Dir(filepath.Join(h.root, path)), 0o755))
	require.NoError(h.t, os.WriteFile(filepath.Join(h.root, path), []byte(content), 0o755))
}

func (h *host) read(path string) string {
	text, err := os.ReadFile(filepath.Join(h.root, path))
	require.NoError(h.t, err)
	return string(text)
}

// run runs a script as SSH does, with the wanted binary.
func (h *host) run(script, wanted string) (stdout, stderr string, err error) {
	return h.runAs(nil, script, wanted)
}

// runAs runs a script like run, with an owner in the plan.
func (h *host) runAs(owner *k3shost.Owner, script, wanted string) (stdout, stderr string,
	err error) {
	sum := sha256.Sum256([]byte(wanted))
	text := k3shost.Script("agent", hex.EncodeToString(sum[:]), owner, script, nil)
	text = strings.NewReplacer("/etc/", h.root+"/etc/", "/var/lib/", h.root+"/var/lib/",
		"/usr/local/bin/", h.root+"/usr/local/bin/", "/run/", h.root+"/run/").Replace(text)
	command := exec.CommandContext(h.t.Context(), "sh", "-c", text)
	command.Env = append(os.Environ(), "PATH="+filepath.Join(h.root, "bin")+":"+os.Getenv("PATH"))
	var out, output strings.Builder
	command.Stdout, command.Stderr = &out, &output
	err = command.Run()
	return strings.TrimSpace(out.String()), output.String(), err
}

func TestObserveReportsWhetherK3sRunsWantedBinary(t *testing.T) {
	h := newHost(t)
	observed := func() Host {
		output, stderr, err := h.run(observeScript, "new\n")
		require.NoError(t, err, stderr)
		state, _, err := parseObservation(output)
		require.NoError(t, err)
		return state
	}
	assert.Equal(t, HostPending, observed())
	output, stderr, err := h.run(restartScript, "new\n")
	require.NoError(t, err, stderr)
	assert.Regexp(t, `^\d+$`, output, "its time and nothing else")
	assert.Equal(t, "new\n", h.read("usr/local/bin/k3s"))
	assert.Equal(t, "enable k3s-agent\nrestart --no-block k3s-agent\n", h.read("systemctl.log"))
	assert.Equal(t, HostCurrent, observed())
	h.write("etc/rancher/k3s/config.yaml", "token: y\n")
	assert.Equal(t, HostPending, observed(), "another configuration was not started yet")
	require.NoError(t, os.Remove(filepath.Join(h.root, "etc/systemd/system/k3s-agent.service")))
	assert.Equal(t, HostWithout, observed())
}

// A configuration that was edited by hand still differs from the record after the upgrade.
func TestRestartUpdatesRecordOnlyForReplacedFiles(t *testing.T) {
	h := newHost(t)
	config := "00 600 0:0 0.0 " + h.root + "/etc/rancher/k3s/config.yaml\n"
	h.write("var/lib/strata/k3s.files", "00 755 0:0 0.0 "+h.root+"/usr/local/bin/k3s\n"+config)
	_, stderr, err := h.run(restartScript, "new\n")
	require.NoError(t, err, stderr)
	record := h.read("var/lib/strata/k3s.files")
	sum := sha256.Sum256([]byte("new\n"))
	assert.Contains(t, record, hex.EncodeToString(sum[:])+" 755 ")
	assert.Contains(t, record, h.root+"/etc/systemd/system/k3s-agent.service\n")
	assert.Contains(t, record, config)
	assert.NotContains(t, record, "00 755")
}

// The run was killed after it placed the binary and before the restart. So the old K3s still runs.
func TestPlacedBinaryIsPendingBeforeRestart(t *testing.T) {
	h := newHost(t)
	h.write("usr/local/bin/k3s", "new\n")
	output, _, err := h.run(observeScript, "new\n")
	require.NoError(t, err)
	assert.Contains(t, output, "pending\n")
}

// On a full disk, the restart must remove the half-written binary and keep the running K3s.
func TestFullDiskKeepsOldBinary(t *testing.T) {
	h := newHost(t)
	h.write("bin/cp",
		"#!/bin/sh\nprintf ne > \"$2\"\necho \"cp: error writing '$2': No space left on device\" >&2\nexit 1\n")
	_, stderr, err := h.run(restartScript, "new\n")
	require.Error(t, err)
	assert.Contains(t, stderr, "No space left on device")
	assert.Regexp(t,
		`k3s: cannot write \S+/usr/local/bin/\.strata-push\.k3s: the disk is full or failing; \S+ free`, stderr)
	assert.Equal(t, "old\n", h.read("usr/local/bin/k3s"))
	assert.NoFileExists(t, filepath.Join(h.root, "usr/local/bin/.strata-push.k3s"))
	assert.NoFileExists(t, filepath.Join(h.root, "systemctl.log"), "nothing was restarted")
}

func TestBinaryWithWrongChecksumIsRefused(t *testing.T) {
	for name, script := range map[string]string{"observe": observeScript, "restart": restartScript} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			_, stderr, err := h.run(script, "another\n")
			require.Error(t, err)
			assert.Contains(t, stderr, "has not the sha256")
			assert.Equal(t, "old\n", h.read("usr/local/bin/k3s"))
			assert.NoFileExists(t, filepath.Join(h.root, "systemctl.log"))
		})
	}
}

func TestHostOfOtherStackIsNeitherObservedNorRestarted(t *testing.T) {
	for name, script := range map[string]string{"observe": observeScript, "restart": restartScript} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t)
			owner := &k3shost.Owner{Cluster: "00ff", Project: "strata", Stack: "dev",
				Node: "agent-1"}
			h.write("var/lib/strata/owner",
				"cluster=ff00\nproject=shop\nstack=prod\nnode=agent-1\n")
			_, stderr, err := h.runAs(owner, script, "new\n")
			require.Error(t, err)
			assert.Contains(t, stderr, "shop prod agent-1 ff00")
			assert.Equal(t, "old\n", h.read("usr/local/bin/k3s"))
			assert.NoFileExists(t, filepath.Join(h.root, "systemctl.log"))
			h.write("var/lib/strata/owner",
				"cluster=00ff\nproject=strata\nstack=dev\nnode=agent-1\n")
			_, stderr, err = h.runAs(owner, script, "new\n")
			require.NoError(t, err, stderr)
		})
	}
}

func TestObserveReportsExpiringCertificates(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	ends := time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: ends}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	h := newHost(t)
	_, stderr, err := h.run(restartScript, "new\n")
	require.NoError(t, err, stderr)
	h.write("var/lib/rancher/k3s/agent/client-kubelet.crt",
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	output, stderr, err := h.run(observeScript, "new\n")
	require.NoError(t, err, stderr)
	clock := regexp.MustCompile(`time=\d+`)
	at := func(before time.Duration) string {
		return clock.ReplaceAllString(output, fmt.Sprintf("time=%d", ends.Add(-before).Unix()))
	}
	for before, want := range map[time.Duration]Host{91 * 24 * time.Hour: HostCurrent,
		89 * 24 * time.Hour: HostEnding, -time.Hour: HostEnding} {
		state, first, err := parseObservation(at(before))
		require.NoError(t, err)
		assert.Equal(t, want, state, before)
		assert.Equal(t, "client-kubelet.crt", first.File)
	}
	state, _, err := parseObservation(strings.Replace(at(0), "current", "pending", 1))
	require.NoError(t, err)
	assert.Equal(t, HostPending, state, "it is restarted anyway, and drained before")
	_, _, err = parseObservation("what")
	require.ErrorContains(t, err, `found "what"`)
	_, _, err = parseObservation(clock.ReplaceAllString(output, ""))
	require.ErrorContains(t, err, "expected the host's time",
		"this machine's clock is not asked")
}
