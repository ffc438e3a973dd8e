package reach

import (
	"cmp"
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

// settings holds the keywords of an ssh_config for a host, as OpenSSH's client resolves them. A
// keyword that the file does not set is empty.
type settings struct {
	hostName, user, alias, command, agent string
	// identities and certificates are paths, in the order in which they are offered.
	identities, certificates, knownHosts []string
	identitiesOnly                       bool
	port                                 int
	jump                                 []config.JumpHost
}

// login holds the user and the port that the configuration sets, which override an ssh_config. It
// also has the user to fall back to.
type login struct {
	user        string
	port        int
	defaultUser string
}

// stranger is a host name that only patterns such as `Host *` match.
const stranger = "strata-no-block"

// settingsOf asks ssh about a host, under the first of its names that has a block of its own in the
// file. `Host *` does not count. As with ssh, one name answers for all keywords. The last name is
// the address that is dialed if no HostName is set. Without a file the settings are empty.
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

// answer returns the first name that has a block of its own, and its keywords.
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

// alike reports whether a host's keywords equal those of every other host, apart from the host's
// name.
func alike(its, everyones keywords, name string) bool {
	mine := keywords{}
	for keyword, values := range its {
		for i, value := range values {
			if i >= len(everyones[keyword]) || value != everyones[keyword][i] {
				value = strings.ReplaceAll(value, strings.ToLower(name), stranger)
			}
			mine[keyword] = append(mine[keyword], value)
		}
	}
	mine["host"] = everyones["host"]
	return reflect.DeepEqual(mine, everyones)
}

// settings converts the keywords that ssh has for a name.
func (k keywords) settings(name string) (settings, error) {
	found := settings{
		user: k.first("user"), alias: k.first("hostkeyalias"),
		identitiesOnly: k.first("identitiesonly") == "yes",
	}
	if host := k.first("hostname"); !strings.EqualFold(host, name) {
		found.hostName = host
	}
	var err error
	if found.port, err = parsePort(k.first("port")); err != nil {
		return settings{}, err
	}
	expand, err := k.tokens(name)
	if err != nil {
		return settings{}, err
	}
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
	if found.agent = expand(k.first("identityagent")); slices.Contains(k["identityagent"], "none") {
		found.agent = remote.NoAgent
	}
	found.command = expand(k.first("proxycommand"))
	if found.jump, err = parseJump(expand(k.first("proxyjump"))); err != nil {
		return settings{}, fmt.Errorf("ProxyJump: %w", err)
	}
	return found, nil
}

// variable matches an environment variable in the syntax of ssh_config.
var variable = regexp.MustCompile(`\$\{(\w+)\}`)

// tokens returns a function that expands an ssh_config's tokens, which ssh -G leaves as they are.
func (k keywords) tokens(name string) (func(string) string, error) {
	self, err := user.Current()
	if err != nil {
		return nil, err
	}
	local, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	short, _, _ := strings.Cut(local, ".")
	alias := cmp.Or(k.first("hostkeyalias"), name)
	replacer := strings.NewReplacer("%%", "%", "%d", self.HomeDir, "%h", k.first("hostname"), "%i",
		self.Uid, "%k", alias,
		"%L", short, "%l", local, "%n", name, "%p", k.first("port"), "%r", k.first("user"), "%u",
		self.Username)
	value := func(one string) string { return os.Getenv(one[2 : len(one)-1]) }
	return func(text string) string {
		return replacer.Replace(variable.ReplaceAllStringFunc(text,
			value))
	}, nil
}
