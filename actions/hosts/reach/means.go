package reach

import (
	"errors"
	"os"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"strata/config"
	"strata/internal/ssh/remote"
)

// usesAgent reports whether the ssh_config sets an IdentityAgent.
func (s settings) usesAgent() bool { return s.agent != "" && s.agent != remote.NoAgent }

// meansFor returns the settings for a login, except the private keys. It also collects the
// certificates, including those in -cert.pub files beside the keys.
func (k *keyring) meansFor(said settings) remote.Means {
	means := remote.Means{ProxyCommand: said.command, AgentSocket: said.agent}
	if name, ok := strings.CutPrefix(said.agent, "$"); name == "SSH_AUTH_SOCK" {
		means.AgentSocket = "" // No state may have the path, which differs in each session.
	} else if ok {
		means.AgentSocket = os.Getenv(name)
	}
	for _, path := range said.identities {
		beside := strings.TrimSuffix(path, ".pub") + "-cert.pub"
		if _, err := k.read.open("certificate", beside); err == nil {
			said.certificates = append(said.certificates, beside)
		}
	}
	for _, path := range said.certificates {
		if path = k.resolvePath(path); !slices.Contains(k.certificates, path) {
			k.certificates = append(k.certificates, path)
		}
	}
	if !k.ssh.Agent || k.ssh.Config == "" {
		return means
	}
	means.IdentitiesOnly = said.identitiesOnly
	for _, path := range said.identities {
		if public := k.public(path); public != nil {
			means.Identities = append(means.Identities, remote.Fingerprint(public))
		}
	}
	return means
}

// resolvePath returns an absolute path, so that it is valid in every working directory. A path that
// begins with ~/ is returned as it is.
func (k *keyring) resolvePath(path string) string {
	file, err := config.ResolvePath(k.read.project, path)
	if err != nil || strings.HasPrefix(path, "~/") { // home directories differ between machines
		return path
	}
	return file
}

// public returns the public key of a key file, from the file itself or its .pub file; nil if
// neither has one.
func (k *keyring) public(path string) ssh.PublicKey {
	_, text, _ := config.ReadKeyFile(k.read.project, path)
	if key, _, _, _, err := ssh.ParseAuthorizedKey(text); err == nil {
		return key
	}
	signer, err := ssh.ParsePrivateKey(text)
	var sealed *ssh.PassphraseMissingError
	switch {
	case err == nil:
		return signer.PublicKey()
	case errors.As(err, &sealed) && sealed.PublicKey != nil:
		return sealed.PublicKey
	}
	text, _ = k.read.open("private key", path+".pub")
	key, _, _, _, _ := ssh.ParseAuthorizedKey(text) // Without a key, the agent's own order applies.
	return key
}

// certify adds all certificates to every hop of a target, because every key is offered on every
// hop.
func (k *keyring) certify(target *remote.Target) {
	target.Certificates = k.certificates
	for i := range target.Jump {
		target.Jump[i].Certificates = k.certificates
	}
}
