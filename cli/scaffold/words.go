package scaffold

import (
	"regexp"
	"strings"

	"strata/actions/hosts/reach"
)

// flagged replaces the keys of a stack file by flags and variables of init, longer texts before
// their prefixes. The original messages are for a user with a stack, which does not exist yet.
var flagged = strings.NewReplacer(
	"set ssh.passphrase, or ssh.agent to true where an agent has it open",
	"set its passphrase in "+reach.PassphraseVariable+
		", or give --agent where an agent has it open",
	"set it: pulumi config set --secret --path strata:hosts.ssh.passphrase; for a command run by hand, in "+
		reach.PassphraseVariable, "set it in "+reach.PassphraseVariable,
	"set strata:hosts.ssh.keyFile to a private key that may log in, or strata:hosts.ssh.agent to true",
	"give --key with a private key that may log in, or --agent",
	"correct strata:hosts.ssh.keyFile, or remove it", "correct --key, or remove it",
	"or set strata:hosts.ssh.agent to true", "or give --agent",
	"or set ssh.agent to true where an agent has it open",
	"or give --agent where an agent has it open",
	"or set strata:hosts.ssh.sudoPassword", "or set "+reach.SudoPasswordVariable,
	"strata:hosts.ssh.sudoPassword", reach.SudoPasswordVariable,
	"into hosts.nodes[].ssh.hostKey (see `strata hostkey`) or the file of ssh.knownHosts",
	"into the known_hosts",
	"into hosts.ssh.jump[].hostKey (see `strata hostkey`) or the file of ssh.knownHosts",
	"into the file of --known-hosts",
	", or set its hostKey", "",
	"set its hostKey to the one that it has now", "replace the line by the key that it has now",
	"set its hostKey; a CA's (@cert-authority) is not read",
	"add its own key there; a CA's (@cert-authority) is not read",
	"as another user: strata:hosts.ssh.user",
	"as another user: --user, or USER@ before the address",
	"in ssh.keyFile", "with --key",
	"strata:hosts.ssh.keyFile: ", "",
	"set strata:k3s.version to a v1.34 release", "give --k3s-version with a v1.34 release",
	"the kubelet-arg fail-cgroupv1=false in strata:k3s.serverArgs and agentArgs",
	"--allow-cgroup-v1",
)

// fileKeys match the keys of files at the beginning of a part of a message, and not in the path of
// a file.
var fileKeys = map[string]*regexp.Regexp{
	"--key":         regexp.MustCompile(`(?m)(^|: )keyFile(:? )`),
	"--known-hosts": regexp.MustCompile(`(?m)(^|: )knownHosts(: )`),
	"--ssh-config":  regexp.MustCompile(`(?m)(^|: )config(: )`),
}

// hostOf matches a host of the configuration, and ownVariable the variable of a host with a name.
var (
	hostOf      = regexp.MustCompile(`strata:hosts\.nodes\[\d+\]\.ssh of `)
	ownVariable = regexp.MustCompile(`, or ` + reach.PassphraseVariable +
		`_\S+ for this host alone`)
)

// inWordsOfFlags rewords a text for a user of the command, who has no stack file.
func inWordsOfFlags(text string) string {
	text = flagged.Replace(hostOf.ReplaceAllString(ownVariable.ReplaceAllString(text, ""),
		"--host "))
	for flag, key := range fileKeys {
		text = key.ReplaceAllString(text, "${1}"+flag+"${2}")
	}
	return text
}

// flagError is an error in the words of flags.
type flagError struct{ cause error }

func (e *flagError) Error() string { return inWordsOfFlags(e.cause.Error()) }
func (e *flagError) Unwrap() error { return e.cause }

// inFlags returns an error in the words of flags; nil stays nil.
func inFlags(err error) error {
	if err == nil {
		return nil
	}
	return &flagError{err}
}
