package reach

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"strata/config"
	"strata/internal/ssh/remote"
)

// keyring collects the private keys and passwords for a host and its jump hosts.
type keyring struct {
	read  *reader
	ssh   config.SSH
	node  string
	tried []string
	text  []byte
	// certificates lists the paths of certificates. Each may belong to any of the keys.
	certificates []string
	problems     []error
}

// addOwn adds the host's private keys: the configured one, else the ssh_config's, else the default
// key unless an agent has its own. It sets said.identities.
func (k *keyring) addOwn(said *settings) {
	if k.ssh.KeyFile != "" {
		said.identities = []string{k.ssh.KeyFile}
		k.add(k.ssh.KeyFile)
		return
	}
	if len(said.identities) == 0 && (!k.ssh.Agent || said.identitiesOnly) {
		said.identities = []string{config.DefaultKeyFile}
	}
	k.addFound(said.identities)
}

// addFound adds the keys of an ssh_config whose files exist, as ssh does, and warns about unusable
// keys. If no usable key is left and no agent is used, they are problems instead of warnings.
func (k *keyring) addFound(paths []string) {
	there := slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		_, err := k.read.open("private key", path)
		return errors.Is(err, fs.ErrNotExist) || path == "none"
	})
	if len(there) == 0 && !k.ssh.Agent {
		there = paths[:min(1, len(paths))]
	}
	before := len(k.problems)
	for _, path := range there {
		k.add(path)
	}
	if unusable := k.problems[before:]; len(unusable) < len(there) || k.ssh.Agent {
		for _, err := range unusable {
			k.read.warnings = append(k.read.warnings, fmt.Sprintf("IdentityFile %v", err))
		}
		k.problems = k.problems[:before]
	}
}

// add adds the private key in a file, decrypted. If an agent is used, it skips keys that only the
// agent can use: encrypted ones without a configured passphrase, and files with only the public
// key.
func (k *keyring) add(path string) {
	if slices.Contains(k.tried, path) { // jump hosts often use the same key
		return
	}
	k.tried = append(k.tried, path)
	open, err := k.openKey(path)
	switch {
	case err != nil:
		k.problems = append(k.problems, err)
	case open != nil:
		k.append(open)
	}
}

// openKey returns the decrypted private key in a file; nil if only the agent can use it.
func (k *keyring) openKey(path string) ([]byte, error) {
	file, text, err := config.ReadKeyFile(k.read.project, path)
	if err != nil {
		fix := "name a private key that may log in, or " + k.read.names.Agent
		if k.ssh.Agent {
			fix = "correct its path, or remove it: the agent's keys are offered without it"
		}
		return nil, fmt.Errorf("private key: %w; %s", err, config.MissingKeyFix(path, fix))
	}
	_, _, _, _, notPublic := ssh.ParseAuthorizedKey(text)
	unread, fix := config.CheckUnread(text, file, k.read.names)
	switch {
	case (notPublic == nil || unread != "") && k.ssh.Agent:
		return nil, nil
	case unread != "":
		return nil, fmt.Errorf("%s: %s; %s", path, unread, fix)
	case notPublic == nil:
		return nil, fmt.Errorf("%s: is a public key: name its private key, or %s if an agent has that",
			path, k.read.names.Agent)
	}
	return k.decrypt(path, text)
}

// decrypt returns the decrypted private key in a text; nil if only the agent can use it.
func (k *keyring) decrypt(path string, text []byte) ([]byte, error) {
	passphrase := k.resolvePassword(k.ssh.Passphrase, PassphraseVariable)
	open, err := remote.DecryptKey(text, passphrase)
	switch {
	case errors.Is(err, remote.ErrPassphrase) && k.ssh.Agent && passphrase == "":
		return nil, nil
	case errors.Is(err, remote.ErrPassphrase):
		fix := k.read.names.Passphrase
		if k.ssh.Passphrase == config.Sealed {
			fix = fmt.Sprintf("set its passphrase in %s, or in %s for this host alone: only Pulumi "+
				"can read that of the stack file", PassphraseVariable, k.hostVariable(PassphraseVariable))
		}
		return nil, fmt.Errorf("%s: %w; %s", path, err, fix)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	// /dev/null is a login without a key file, as in platform/gates.go.
	if rule, fix := config.CheckKeyText(open); rule != "" && path != os.DevNull {
		return nil, fmt.Errorf("%s: %s; %s", path, rule, fix)
	}
	return open, nil
}

// append appends a PEM block that is not in the text yet.
func (k *keyring) append(block []byte) {
	if bytes.Contains(k.text, bytes.TrimSpace(block)) && len(k.text) > 0 {
		return
	}
	if len(k.text) > 0 && !bytes.HasSuffix(k.text, []byte("\n")) {
		k.text = append(k.text, '\n')
	}
	k.text = append(k.text, block...)
}

// addSudo adds the host's sudo password. The password gets the host's name if it differs from
// ofAll, the password of all hosts. For user root, addSudo adds no password.
func (k *keyring) addSudo(user, ofAll string) {
	if k.ssh.SudoPassword == "" || user == config.DefaultUser {
		return
	}
	password := k.resolvePassword(k.ssh.SudoPassword, SudoPasswordVariable)
	if password == "" {
		k.problems = append(k.problems,
			fmt.Errorf("the sudo password is encrypted, and only Pulumi can read that; for a "+
				"command run by hand, set it in %s, or in %s for this host alone",
				SudoPasswordVariable, k.hostVariable(SudoPasswordVariable)))
		return
	}
	name := k.node
	if k.ssh.SudoPassword == ofAll && (ofAll != config.Sealed ||
		os.Getenv(k.hostVariable(SudoPasswordVariable)) == "") {
		name = ""
	}
	k.append(remote.SudoPassword(password, name))
}

// resolvePassword returns value. If only Pulumi can decrypt that, it returns the environment
// variable for this host, or else the one for all hosts; "" if neither is set.
func (k *keyring) resolvePassword(value, variable string) string {
	if value == config.Sealed {
		return cmp.Or(os.Getenv(k.hostVariable(variable)), os.Getenv(variable))
	}
	return value
}

// hostVariable returns the name of the environment variable with one host's own password.
func (k *keyring) hostVariable(variable string) string {
	return variable + "_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(k.node))
}
