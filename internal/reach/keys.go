package reach

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"strata/config"
	"strata/internal/remote"
)

// keyring collects what lets in to a host and to its jump hosts.
type keyring struct {
	read     *reader
	ssh      config.SSH
	text     []byte
	problems []error
}

// add adds the private key of a file, without its passphrase; an empty name is none. One that is encrypted is left to the agent, where that is
// used and no passphrase is set.
func (k *keyring) add(path string) {
	if path == "" {
		return
	}
	_, text, err := k.read.open("keyFile", path)
	if err != nil {
		k.problems = append(k.problems, fmt.Errorf("%w; set strata:hosts.ssh.keyFile to a private key that may log in, or strata:hosts.ssh.agent to true", err))
		return
	}
	passphrase := given(k.ssh.Passphrase, PassphraseVariable)
	open, err := remote.DecryptKey(text, passphrase)
	switch {
	case errors.Is(err, remote.ErrPassphrase) && k.ssh.Agent && passphrase == "":
		return
	case errors.Is(err, remote.ErrPassphrase):
		err = fmt.Errorf("keyFile %s: %w; set it: pulumi config set --secret --path strata:hosts.ssh.passphrase; for a command run by hand, in %s",
			path, err, PassphraseVariable)
	case err != nil:
		err = fmt.Errorf("keyFile %s: %w", path, err)
	}
	if err != nil {
		k.problems = append(k.problems, err)
		return
	}
	k.append(open)
}

// append puts a block of PEM behind the others, unless it is there.
func (k *keyring) append(block []byte) {
	if bytes.Contains(k.text, bytes.TrimSpace(block)) && len(k.text) > 0 {
		return
	}
	if len(k.text) > 0 && !bytes.HasSuffix(k.text, []byte("\n")) {
		k.text = append(k.text, '\n')
	}
	k.text = append(k.text, block...)
}

// addSudo adds the sudo password of a host, by its name where it is another than that of all.
func (k *keyring) addSudo(user, name, ofAll string) {
	if k.ssh.SudoPassword == "" || user == config.DefaultUser {
		return
	}
	password := given(k.ssh.SudoPassword, SudoPasswordVariable)
	if password == "" {
		k.problems = append(k.problems, fmt.Errorf("sudoPassword is encrypted, and only Pulumi can read that; for a command run by hand, set it in %s", SudoPasswordVariable))
		return
	}
	if k.ssh.SudoPassword == ofAll {
		name = ""
	}
	k.append(remote.SudoPassword(password, name))
}

// given is a password, from its variable where only Pulumi can read it.
func given(value, variable string) string {
	if value == config.Sealed {
		return os.Getenv(variable)
	}
	return value
}
