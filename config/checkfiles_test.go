package config_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"strata/config"
)

func privateKey(t *testing.T, passphrase string) []byte {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(key, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(passphrase))
	}
	require.NoError(t, err)
	return pem.EncodeToMemory(block)
}

// securityKey returns the key file that ssh-keygen writes for a FIDO token, without the private
// part.
func securityKey(cipher string) []byte {
	public := ssh.Marshal(struct{ Type, Key, Application string }{
		"sk-ssh-ed25519@openssh.com", "", "ssh:"})
	body := ssh.Marshal(struct {
		Cipher, KDF, Options string
		Keys                 uint32
		Public, Private      []byte
	}{cipher, "none", "", 1, public, nil})
	return pem.EncodeToMemory(&pem.Block{Type: "OPENSSH PRIVATE KEY",
		Bytes: append([]byte("openssh-key-v1\x00"), body...)})
}

// opensslKey returns a key as `openssl ecparam -name prime256v1 -genkey` writes it.
func opensslKey(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	body, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	const parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
	return append([]byte(parameters),
		pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: body})...)
}

// dsaKey returns the file of an OpenSSH key of type ssh-dss, without the key's numbers.
func dsaKey(t *testing.T) []byte {
	t.Helper()
	private := ssh.Marshal(struct {
		One, Other uint32
		Type       string
	}{1, 1, "ssh-dss"})
	body := ssh.Marshal(struct {
		Cipher, KDF, Options string
		Keys                 uint32
		Public, Private      []byte
	}{"none", "none", "", 1, nil, private})
	return pem.EncodeToMemory(&pem.Block{Type: "OPENSSH PRIVATE KEY",
		Bytes: append([]byte("openssh-key-v1\x00"), body...)})
}

// For example, a mounted Secret with fsGroup belongs to root, and a group can read it. ssh accepts
// such a key, and this user cannot change its mode.
func TestModeOfKeyOfAnotherUserIsNotChecked(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a file away")
	}
	project := t.TempDir()
	key := filepath.Join(project, "key")
	require.NoError(t, os.WriteFile(key, privateKey(t, ""), 0o640))
	login := config.SSH{KeyFile: "key"}
	require.ErrorContains(t, login.CheckKeyFile("key", project, config.StackNames), "mode 0640")
	require.NoError(t, os.Chown(key, 1234, 0))
	require.NoError(t, login.CheckKeyFile("key", project, config.StackNames))
	output, err := exec.CommandContext(t.Context(), "ssh-keygen", "-y", "-f", key).CombinedOutput()
	require.NoError(t, err, string(output))
}

func TestUnusableKeyFileIsReportedWithFix(t *testing.T) {
	cases := []struct {
		name    string
		content []byte
		mode    os.FileMode
		want    string
	}{
		{"a good key", privateKey(t, ""), 0o600, ""},
		{"missing", nil, 0, "strata:hosts.ssh.keyFile: key cannot be read: no such file or directory"},
		{"readable by others", privateKey(t, ""), 0o644,
			"key is readable by others (mode 0644); run: chmod 600 "},
		{"encrypted", privateKey(t, "secret"), 0o600,
			"key is encrypted, and a run cannot ask for its passphrase; set its passphrase: " +
				"pulumi config set --secret --path strata:hosts.ssh.passphrase, or set strata:hosts.ssh.agent to true "},
		{"a key of PuTTY", []byte("PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n"), 0o600,
			"key is a key of PuTTY, which is not read; run: puttygen "},
		{"a key of SSH2", []byte("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n"), 0o600,
			"key is a key of SSH2, which is not read; run: puttygen "},
		{"a key of a security key", securityKey("none"), 0o600,
			"key is a key of a security key (sk-ssh-ed25519@openssh.com), which only ssh and its " +
				"agent can use; run: ssh-add "},
		{"an encrypted key of a security key", securityKey("aes256-ctr"), 0o600,
			"key is a key of a security key (sk-ssh-ed25519@openssh.com)"},
		{"a public key", []byte(hostKey), 0o600,
			"key is not a private key; name the private key, not the .pub file"},
		{"an empty file", []byte("\n"), 0o600, "key has no whole private key; copy"},
		{"a key that is cut off", privateKey(t, "")[:90], 0o600, "key has no whole private key; copy the key's file again"},
		{"a key without line breaks", bytes.ReplaceAll(privateKey(t, ""), []byte("\n"), []byte(`\n`)), 0o600,
			"key has no whole private key; copy the key's file again"},
		{"a key after a byte order mark", append([]byte("\ufeff"), privateKey(t, "")...), 0o600,
			"key has no whole private key; copy the key's file again"},
		{"a key of an old type", dsaKey(t), 0o600, "key is a key that is not read: ssh: "},
		{"a key that openssl wrote", opensslKey(t), 0o600, ""},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			project := t.TempDir()
			if test.content != nil {
				require.NoError(t, os.WriteFile(filepath.Join(project, "key"), test.content,
					test.mode))
			}
			raw := good()
			raw["hosts"] = `{"driver":"existing","subnet":"10.10.0.0/24","ssh":{"keyFile":"key"},"nodes":[` + server1 + `,` + agent1 + `]}`
			cfg, err := config.Load("dev", raw, noEnv)
			require.NoError(t, err, "a preview needs no key")
			err = cfg.CheckFiles(project)
			if test.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestMissingLabKeyErrorSuggestsMakeUp(t *testing.T) {
	raw := good()
	raw["hosts"] = `{"driver":"existing","subnet":"10.10.0.0/24","ssh":{"keyFile":".strata/lab/local/key"},"nodes":[` + server1 + `]}`
	cfg, err := config.Load("local", raw, noEnv)
	require.NoError(t, err)
	assert.ErrorContains(t, cfg.CheckFiles(t.TempDir()),
		"strata:hosts.ssh.keyFile: .strata/lab/local/key cannot be read: no such file or directory; "+
			"its hosts are machines of the lab, and they do not run: make up makes them or starts them")
}

func TestBundleWithoutManifestIsReported(t *testing.T) {
	project := t.TempDir()
	raw := vms("libvirt", "", "")
	raw["artifacts"] = `{"source":"bundle"}`
	cfg, err := config.Load("dev", raw, noEnv)
	require.NoError(t, err)
	assert.ErrorContains(t, cfg.CheckFiles(project),
		"strata:artifacts.source: bundle is no bundle folder: manifest.json: no such file")
	require.NoError(t, os.Mkdir(filepath.Join(project, "bundle"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(project, "bundle", "manifest.json"),
		[]byte("{}"), 0o644))
	assert.NoError(t, cfg.CheckFiles(project))
}
