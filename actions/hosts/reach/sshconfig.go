package reach

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/user"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"strata/config"
	"strata/internal/ssh/remote"
)

// settings holds the ssh_config keywords of a host, resolved by OpenSSH's client. A keyword that
// the file does not set is empty.
type settings struct {
	hostName, user, alias, command, agent string
	// identities and certificates are paths, in the order in which ssh offers them.
	identities, certificates, knownHosts []string
	identitiesOnly                       bool
	port                                 int
	jump                                 []config.JumpHost
}

// login holds the configured user and port, which override those of an ssh_config. defaultUser is
// the user if neither sets one.
type login struct {
	user        string
	port        int
	defaultUser string
}

// hash is the keyword that `ssh -G` prints with the hash of the connection (%C).
const hash = "controlpath"

// stranger is a host name that matches no block but those for all hosts, such as `Host *`.
const stranger = "strata-no-block"

// settingsOf returns the ssh_config settings of a host, for the first of its names that has a Host
// block of its own; `Host *` does not count. The last name is the address that is dialed if the
// file sets no HostName. Without a file, it returns only the configuration's user and port.
func (r *reader) settingsOf(path string, as login, names ...string) (settings, error) {
	if path == "" {
		return settings{user: as.user, port: as.port}, nil
	}
	name, values, err := r.answer(path, as, names)
	if err != nil {
		return settings{}, err
	}
	found, err := values.settings(name)
	if err != nil {
		return settings{}, fmt.Errorf("%s: %s: %w", path, name, err)
	}
	return found, nil
}

// answer returns the first name that has a Host block of its own, and its keywords.
func (r *reader) answer(path string, as login, names []string) (string, keywords, error) {
	for _, name := range names {
		its, err := r.ask(path, as, name)
		if err != nil {
			return "", nil, err
		}
		everyones, err := r.ask(path, as, stranger)
		if err != nil || !alike(its, everyones, name) {
			return name, its, err
		}
	}
	name := names[0]
	its, err := r.ask(path, as, name)
	if err == nil && strings.EqualFold(its.first("hostname"), name) { // %h is the dialed name
		name = names[len(names)-1]
		its, err = r.ask(path, as, name)
	}
	return name, its, err
}

// alike reports whether a host's keywords equal those of an unknown host, apart from the host's
// name and the hash with it. If they do, the ssh_config has no block for this host.
func alike(its, everyones keywords, name string) bool {
	mine := keywords{}
	same := strings.NewReplacer(its.first(hash), everyones.first(hash), strings.ToLower(name), stranger)
	for keyword, values := range its {
		for i, value := range values {
			if i >= len(everyones[keyword]) || value != everyones[keyword][i] {
				value = same.Replace(value)
			}
			mine[keyword] = append(mine[keyword], value)
		}
	}
	mine["host"] = everyones["host"]
	return reflect.DeepEqual(mine, everyones)
}

// settings converts the keywords of a name, with tokens and variables expanded. As in ssh,
// ProxyCommand and ProxyJump have tokens only. The shell expands a command's variables, so no state
// contains their values.
func (k keywords) settings(name string) (settings, error) {
	found := settings{
		user: k.first("user"), alias: k.first("hostkeyalias"),
		identitiesOnly: k.first("identitiesonly") == "yes",
	}
	if host := k.first("hostname"); !strings.EqualFold(host, name) {
		found.hostName = host
	}
	if k.first("revokedhostkeys") != "" {
		return settings{}, errors.New("RevokedHostKeys is not read, so its keys would be accepted; " +
			"write them as @revoked lines into a file of UserKnownHostsFile, and set RevokedHostKeys none")
	}
	var err error
	if found.port, err = parsePort(k.first("port")); err != nil {
		return settings{}, err
	}
	tokens, jump, err := k.tokens(name)
	if err != nil {
		return settings{}, err
	}
	expand := func(text string) string { return tokens.Replace(expandVariables(text)) }
	for _, path := range k["identityfile"] {
		if path != unsaid {
			found.identities = append(found.identities, expand(path))
		}
	}
	for _, path := range k["certificatefile"] {
		found.certificates = append(found.certificates, expand(path))
	}
	if files := k.first("userknownhostsfile"); files != "" && files != unsaid {
		found.knownHosts = strings.Fields(expand(files))
	}
	found.agent = expand(k.first("identityagent"))
	name, named := strings.CutPrefix(found.agent, "$")
	unset := named && name != "SSH_AUTH_SOCK" && os.Getenv(name) == ""
	if slices.Contains(k["identityagent"], "none") || unset { // As ssh, no agent.
		found.agent = remote.NoAgent
	}
	found.command, found.jump = tokens.Replace(k.first("proxycommand")), jump
	return found, nil
}

// variable matches an environment variable in an ssh_config.
var variable = regexp.MustCompile(`\$\{(\w+)\}`)

// tokens returns a Replacer of ssh_config tokens, which `ssh -G` does not expand. It also returns
// the jump hosts, because the token %j is the last of them.
func (k keywords) tokens(name string) (*strings.Replacer, []config.JumpHost, error) {
	self, err := user.Current()
	if err != nil {
		return nil, nil, err
	}
	local, err := os.Hostname()
	if err != nil {
		return nil, nil, err
	}
	short, _, _ := strings.Cut(local, ".")
	alias := cmp.Or(k.first("hostkeyalias"), name)
	pairs := []string{"%%", "%", "%C", k.first(hash), "%d", self.HomeDir, "%h", k.first("hostname"),
		"%i", self.Uid, "%k", alias, "%L", short, "%l", local, "%n", name, "%p", k.first("port"),
		"%r", k.first("user"), "%u", self.Username}
	jump, err := parseJump(strings.NewReplacer(pairs...).Replace(k.first("proxyjump")))
	if err != nil {
		return nil, nil, fmt.Errorf("ProxyJump: %w", err)
	}
	last := ""
	if len(jump) > 0 {
		last = jump[len(jump)-1].Host
	}
	return strings.NewReplacer(append(pairs, "%j", last)...), jump, nil
}

// expandVariables replaces environment variables in a text.
func expandVariables(text string) string {
	return variable.ReplaceAllStringFunc(text, func(one string) string {
		return os.Getenv(one[2 : len(one)-1])
	})
}
