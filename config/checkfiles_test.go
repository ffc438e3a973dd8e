package config_test

import (
	"crypto/ed25519"
	"encoding/pem"
	"os"
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

// securityKey returns the file that ssh-keygen writes for a FIDO token, up to the public key.
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

func TestKeyFilesAreCheckedBeforeUse(t *testing.T) {
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

func TestMissingLabKeyErrorNamesMakeUp(t *testing.T) {
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
