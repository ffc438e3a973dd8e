package scaffold

import (
	"bytes"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"

	"strata/actions/hosts/reach"
	"strata/cli/scaffold/scaffoldtest"
	"strata/config"
	"strata/internal/ssh/remote/sshtest"
)

const (
	passphrase = "open sesame that must not leak"
	sudoSecret = "hunter2 that must not leak"
)

// seal encrypts a key file with a passphrase.
func seal(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	key, err := ssh.ParseRawPrivateKey(text)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(passphrase))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
}

// startAgent starts an ssh-agent with the key of a host, and sets SSH_AUTH_SOCK.
func startAgent(t *testing.T, host *scaffoldtest.Host) {
	t.Helper()
	key, err := ssh.ParseRawPrivateKey(host.PrivateKey())
	require.NoError(t, err)
	ring := agent.NewKeyring()
	require.NoError(t, ring.Add(agent.AddedKey{PrivateKey: key}))
	socket := filepath.Join(t.TempDir(), "agent")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _ = agent.ServeAgent(ring, conn) }()
		}
	}()
	t.Setenv("SSH_AUTH_SOCK", socket)
}

// written runs the request, and returns the stack file, its configuration and the report.
func written(t *testing.T, r *Request) (string, *config.Config, string) {
	t.Helper()
	require.NoError(t, r.Check())
	result, err := r.Run(t.Context())
	require.NoError(t, err)
	text, err := os.ReadFile(result.File)
	require.NoError(t, err)
	cfg, err := config.FromFile(result.File)
	require.NoError(t, err)
	var report bytes.Buffer
	require.NoError(t, errors.Join(result.Write(&report), result.WriteNext(&report, "")))
	for _, said := range []string{string(text), report.String()} {
		assert.NotContains(t, said, "leak")
		assert.NotContains(t, said, "PRIVATE KEY")
	}
	return string(text), cfg, report.String()
}

func TestInitLogsInWithPassphraseAndSudoPassword(t *testing.T) {
	host := scaffoldtest.New(t, 11)
	host.User = "ada"
	r := request(t, host)
	host.Sudo = sshtest.AskingSudo(sudoSecret)
	seal(t, r.SSH.KeyFile)
	err := r.Check()
	require.ErrorContains(t, err,
		"--key: "+r.SSH.KeyFile+" is encrypted, and a run cannot ask for its passphrase; set its passphrase in "+
			"STRATA_SSH_PASSPHRASE, or give --agent")
	assert.NotContains(t, err.Error(), "ssh.")
	t.Setenv(reach.PassphraseVariable, "another")
	err = r.Check()
	require.ErrorContains(t, err,
		"--host 127.0.0.11: "+r.SSH.KeyFile+": private key is encrypted, and not with this "+
			"passphrase; set its passphrase in STRATA_SSH_PASSPHRASE")
	requireRefusal(t, err)
	assert.NotContains(t, err.Error(), "for this host alone", "init reads one passphrase")

	t.Setenv(reach.PassphraseVariable, passphrase)
	require.NoError(t, r.Check())
	_, err = r.Run(t.Context())
	requireRefusal(t, err, "sudo without a password does not work for user ada",
		"or set the sudo password; that is read from STRATA_SUDO_PASSWORD, or log in as root")
	t.Setenv(reach.SudoPasswordVariable, "wrong")
	require.NoError(t, r.Check())
	_, err = r.Run(t.Context())
	requireRefusal(t, err, "correct the sudo password, it was tried once; that is read from "+
		"STRATA_SUDO_PASSWORD")

	t.Setenv(reach.SudoPasswordVariable, sudoSecret)
	text, cfg, report := written(t, r)
	assert.Empty(t, cfg.Hosts.SSH.Passphrase+cfg.Hosts.SSH.SudoPassword, "a person sets them")
	for _, key := range []string{"passphrase", "sudoPassword"} {
		assert.Contains(t, text,
			"Set it, encrypted: pulumi config set --secret --path -s dev strata:hosts.ssh."+
				key+"\n")
		assert.Contains(t, report, "  pulumi config set --secret --path -s dev strata:hosts.ssh."+
			key+"\n")
	}
}

// An ssh_config may name several keys, of which the host accepts only the encrypted one.
func TestPassphraseOpensSecondKeyOfSSHConfig(t *testing.T) {
	r, _ := sshConfig(t, "web 127.0.0.11")
	blocks, err := os.ReadFile(r.SSH.Config)
	require.NoError(t, err)
	other := filepath.Join(r.Project, "other")
	private, _ := sshtest.NewKey(t)
	require.NoError(t, os.WriteFile(other, private, 0o600))
	sealed := regexp.MustCompile(`IdentityFile (\S+)`).FindSubmatch(blocks)[1]
	seal(t, string(sealed))
	require.NoError(t, os.WriteFile(r.SSH.Config, fmt.Appendf(blocks, "  IdentityFile %s\n", other), 0o600))
	require.NoError(t, r.Check())
	assert.Contains(t, strings.Join(r.Warnings(), "\n"), "private key is encrypted")

	t.Setenv(reach.PassphraseVariable, passphrase)
	text, _, _ := written(t, r)
	assert.Contains(t, text, "strata:hosts.ssh.passphrase")
	assert.Empty(t, r.Warnings())
}

// The configuration refuses a password that no login needs.
func TestStackFileRequestsNoPasswordThatNoLoginNeeds(t *testing.T) {
	t.Setenv(reach.PassphraseVariable, passphrase)
	t.Setenv(reach.SudoPasswordVariable, sudoSecret)
	text, _, report := written(t, request(t, scaffoldtest.New(t, 11)))
	assert.NotContains(t, text+report, "config set")
}

func TestInitLogsInWithAgentKeyOnly(t *testing.T) {
	host := scaffoldtest.New(t, 11)
	r := request(t, host)
	r.SSH = config.SSH{Agent: true}
	startAgent(t, host)
	_, cfg, _ := written(t, r)
	assert.True(t, cfg.Hosts.SSH.Agent)
	assert.Empty(t, cfg.Hosts.SSH.KeyFile)
}

// behind returns a request for a host, the host itself, its jump host, and the jump host as an
// argument of --jump.
func behind(t *testing.T) (*Request, *scaffoldtest.Host, *sshtest.Server, string) {
	t.Helper()
	host, jump := scaffoldtest.New(t, 11), sshtest.Start(t)
	jump.Forwards, jump.User = true, "hop"
	jump.AcceptKeyOf(host.Server)
	r := request(t, host)
	at := jump.Target()
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(jump.HostKey()))
	require.NoError(t, err)
	r.SSH.KnownHosts = filepath.Join(r.Project, "known_hosts")
	line := knownhosts.Line([]string{knownhosts.Normalize(fmt.Sprintf("%s:%d", at.Address,
		at.Port))}, key)
	require.NoError(t, os.WriteFile(r.SSH.KnownHosts, []byte(line+"\n"), 0o600))
	return r, host, jump, fmt.Sprintf("hop@%s:%d", at.Address, at.Port)
}

func TestInitReachesHostsThroughJumpHost(t *testing.T) {
	r, host, jump, named := behind(t)
	hop, err := ParseJump(named)
	require.NoError(t, err)
	r.SSH.Jump = []config.JumpHost{hop}
	_, cfg, _ := written(t, r)
	hop.HostKey = jump.HostKey()
	assert.Equal(t, []config.JumpHost{hop}, cfg.Hosts.SSH.Jump,
		"with its pin: the file means the same where another known_hosts is")
	assert.Empty(t, cfg.Hosts.SSH.KnownHosts)
	assert.Len(t, jump.Onward(), host.Connections(),
		"the first contact and every login go through it")
}

func TestChangedHostKeyErrorNamesKnownHosts(t *testing.T) {
	r, host, jump, named := behind(t)
	hop, err := ParseJump(named)
	require.NoError(t, err)
	r.Known = known(t, host, ecdsaKey(t))
	require.NoError(t, r.Check())
	_, err = r.Run(t.Context())
	requireRefusal(t, err, "pin its new key (see `strata hostkey`), otherwise another machine",
		"the pin is from known_hosts; once you have compared the new key: ssh-keygen -R 127.0.0.11")

	r.SSH.Jump = []config.JumpHost{hop}
	r.SSH.KnownHosts = filepath.Join(r.Project, "known_hosts")
	require.NoError(t,
		os.WriteFile(r.SSH.KnownHosts,
			fmt.Appendf(nil, "[127.0.0.1]:%d %s\n", jump.Target().Port, host.HostKey()), 0o600))
	require.NoError(t, r.Check())
	_, err = r.Run(t.Context())
	requireRefusal(t, err, "pin its new key (see `strata hostkey`), otherwise another machine", "the pin is from the file "+
		"of --known-hosts; once you have compared the new key: ssh-keygen -R 127.0.0.1")
}

func TestUnknownJumpHostIsNotContacted(t *testing.T) {
	r, _, jump, named := behind(t)
	hop, err := ParseJump(named)
	require.NoError(t, err)
	r.SSH.Jump = []config.JumpHost{hop}
	require.NoError(t, os.WriteFile(r.SSH.KnownHosts, nil, 0o600))
	err = r.Check()
	requireRefusal(t, err, "--host 127.0.0.11: known_hosts: "+r.SSH.KnownHosts+
		" has no key of 127.0.0.1:")
	assert.Zero(t, jump.Connections())
}

// sshConfig returns a request that names a host by its block in an ssh_config. line is the block's
// line Host.
func sshConfig(t *testing.T, line string) (*Request, *scaffoldtest.Host) {
	t.Helper()
	r, host, _, named := behind(t)
	r.SSH.Config = filepath.Join(r.Project, "ssh_config")
	text := fmt.Sprintf("Host %s\n  HostName %s\n  Port %d\n  User root\n  IdentityFile %s\n  ProxyJump %s\n", line,
		host.Address, host.Port, r.SSH.KeyFile, named)
	require.NoError(t, os.WriteFile(r.SSH.Config, []byte(text), 0o600))
	r.SSH.KeyFile, r.Hosts = "", []Asked{{Address: "web"}}
	return r, host
}

func TestInitUsesSSHConfigForHost(t *testing.T) {
	r, host := sshConfig(t, "web "+"127.0.0.11")
	_, cfg, _ := written(t, r)
	assert.Equal(t, host.Address, cfg.Hosts.Nodes[0].Address.String())
	assert.Equal(t, host.Port, cfg.Hosts.Nodes[0].SSH.Port)
	assert.Equal(t, r.SSH.Config, cfg.Hosts.SSH.Config)
	assert.Equal(t, r.SSH.KnownHosts, cfg.Hosts.SSH.KnownHosts,
		"only the ssh_config names the jump host")
	assert.Empty(t, cfg.Hosts.SSH.Jump)
}

// The block names neither the node's name nor its address, so an update would not use the block.
func TestSSHConfigWithoutNodeNameOrAddressIsReported(t *testing.T) {
	r, _ := sshConfig(t, "web")
	require.NoError(t, r.Check())
	_, err := r.Run(t.Context())
	require.ErrorContains(t, err,
		"leads to it by the name web, and in another way by its node's name host-11 and address 127.0.0.11")
	require.ErrorContains(t, err, "add 127.0.0.11 to the line Host of its block there")
	assert.NoFileExists(t, r.file())
}

// UserKnownHostsFile of an ssh_config replaces ~/.ssh/known_hosts, also for a jump host.
func TestInitUsesKnownHostsOfSSHConfig(t *testing.T) {
	for name, test := range map[string]struct {
		keywords string
		named    bool
	}{
		"a file":                  {"UserKnownHostsFile gone %s\n", false},
		"an alias in that file":   {"HostKeyAlias k3s-prod\n  UserKnownHostsFile %s\n", false},
		"an alias in a named one": {"HostKeyAlias k3s-prod\n  # %s\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			r, host := sshConfig(t, "web 127.0.0.11")
			file := filepath.Join(r.Project, "file")
			jump, err := os.ReadFile(r.SSH.KnownHosts)
			require.NoError(t, err)
			at := fmt.Sprintf("[%s]:%d", host.Address, host.Port)
			if strings.Contains(test.keywords, "Alias") {
				at = "k3s-prod"
			}
			require.NoError(t, os.WriteFile(file,
				fmt.Appendf(jump, "<<<<<<<\n%s %s\n", at, host.HostKey()), 0o600))
			blocks, err := os.ReadFile(r.SSH.Config)
			require.NoError(t, err)
			blocks = fmt.Appendf(blocks, "  "+test.keywords+"Host *\n  UserKnownHostsFile %s\n", file,
				file)
			require.NoError(t, os.WriteFile(r.SSH.Config, blocks, 0o600))
			r.AcceptNew, r.SSH.KnownHosts = false, os.DevNull
			r.Known, err = ReadKnownHosts("", filepath.Join(r.Project, "gone"))
			if test.named {
				r.SSH.KnownHosts = file
				r.Known, err = ReadKnownHosts(file)
			}
			require.NoError(t, err)
			_, cfg, _ := written(t, r)
			assert.Equal(t, host.HostKey(), cfg.Hosts.Nodes[0].SSH.HostKey)
			assert.Equal(t, test.named, cfg.Hosts.SSH.KnownHosts != "")
			require.Len(t, r.Warnings(), 1, "of both readings of the broken line")
		})
	}
}

func TestParseJumpAcceptsSSHSyntax(t *testing.T) {
	for text, want := range map[string]config.JumpHost{
		"bastion":                   {Host: "bastion"},
		"ops@192.0.2.1:2222":        {Host: "192.0.2.1", User: "ops", Port: 2222},
		"anna@corp.example@bastion": {Host: "bastion", User: "anna@corp.example"},
		"[2001:db8::1]:22":          {Host: "2001:db8::1", Port: 22}, "2001:db8::1": {Host: "2001:db8::1"},
	} {
		jump, err := ParseJump(text)
		require.NoError(t, err)
		assert.Equal(t, want, jump)
	}
	for text, want := range map[string]string{"": "has no host", "ops@": "has no host",
		"-o@bastion": "is not a user name", "bastion:0": "is not a TCP port",
		"bastion:ssh": "is not a TCP port"} {
		_, err := ParseJump(text)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "--jump "+text+": ")
	}
}

// No stack file exists yet, so errors must name flags of init.
func TestInitSSHConfigErrorsNameFlags(t *testing.T) {
	for name, text := range map[string]string{
		"a bad line":    "Host web\n  HostNames x\n",
		"a token":       "Host web\n  IdentityFile %d/gone/key\n",
		"no such key":   "Host web\n  IdentityFile gone\n",
		"a public key":  "Host web\n  IdentityFile public\n",
		"a match":       "Match exec\n  User x\n",
		"an unfit user": "Host web\n  User \"a da\"\n  IdentityFile key\n",
	} {
		t.Run(name, func(t *testing.T) {
			r, host := sshConfig(t, "web")
			require.NoError(t, os.WriteFile(r.SSH.Config, []byte(text), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(r.Project, "public"),
				[]byte(host.HostKey()), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(r.Project, "key"),
				host.PrivateKey(), 0o600))
			err := r.Check()
			requireRefusal(t, err)
			assert.Regexp(t, "^--(host web|ssh-config): ", err.Error())
		})
	}
}
