package reach

import (
	"bytes"
	"fmt"
	"net"
	"reflect"
	"strconv"
	"strings"

	"github.com/kevinburke/ssh_config"

	"strata/config"
)

// said holds a host's keywords in an ssh_config.
type said struct {
	hostName, user string
	// identities are key files, the first to be offered first.
	identities []string
	port       int
	jump       []config.JumpHost
}

// keywords are those that are read.
var keywords = []string{"HostName", "User", "Port", "IdentityFile", "ProxyJump", "ProxyCommand"}

// said looks a host up by its names in the file of strata:hosts.ssh.config; without a file nothing
// is said.
func (r *reader) said(path string, names ...string) (found said, err error) {
	if path == "" {
		return said{}, nil
	}
	file, err := r.config(path)
	if err != nil {
		return said{}, err
	}
	values, err := about(file, names)
	if err != nil {
		return said{}, fmt.Errorf("%s: %s: %w", path, names[0], err)
	}
	get := func(keyword string) string { return strings.Join(values[keyword][:min(1, len(values[keyword]))], "") }
	found = said{hostName: get("HostName"), user: get("User"), identities: values["IdentityFile"]}
	number, proxy, command := get("Port"), get("ProxyJump"), get("ProxyCommand")
	if number != "" {
		if found.port, err = parsePort(number); err != nil {
			return said{}, fmt.Errorf("%s: Port of %s: %w", path, names[0], err)
		}
	}
	if strings.Contains(strings.Join(found.identities, ""), "%") || strings.Contains(found.hostName, "%") {
		return said{}, fmt.Errorf("%s: %s: a token (%%) is not read in HostName and IdentityFile; write it out, or set it in strata:hosts.nodes[].ssh", path, names[0])
	}
	if proxy == "" && command != "" && command != "none" {
		return said{}, fmt.Errorf("%s: %s has a ProxyCommand, which is not read; write the way as ProxyJump, or as strata:hosts.ssh.jump", path, names[0])
	}
	if found.jump, err = parseJump(proxy); err != nil {
		return said{}, fmt.Errorf("%s: ProxyJump of %s: %w", path, names[0], err)
	}
	return found, nil
}

// about returns the keywords of the first of a host's names that has a block of its own in an
// ssh_config; `Host *` does not count. As with ssh, one name answers for all keywords: a block of
// another does not mix with it.
func about(file *ssh_config.Config, names []string) (map[string][]string, error) {
	everyones, err := of(file, "__no_block__") // only `Host *` matches it
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		its, err := of(file, name)
		if err != nil || !reflect.DeepEqual(its, everyones) {
			return its, err
		}
	}
	return everyones, nil
}

// of is what an ssh_config says of a name, by keyword.
func of(file *ssh_config.Config, name string) (map[string][]string, error) {
	values := map[string][]string{}
	for _, keyword := range keywords {
		said, err := file.GetAll(name, keyword)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", keyword, err)
		}
		values[keyword] = said
	}
	return values, nil
}

// config reads an ssh_config. What `Match` asks for but names is refused by the parser.
func (r *reader) config(path string) (*ssh_config.Config, error) {
	if known, ok := r.configs[path]; ok {
		return known, nil
	}
	_, text, err := r.open("config", path)
	if err != nil {
		return nil, err
	}
	parsed, err := ssh_config.Decode(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("config: %s: %w; write a file of its own for the stack's hosts", path, err)
	}
	r.configs[path] = parsed
	return parsed, nil
}

// parseJump reads the value of ProxyJump: [user@]host[:port], separated by commas, or none.
func parseJump(text string) ([]config.JumpHost, error) {
	if text == "" || strings.EqualFold(text, "none") {
		return nil, nil
	}
	var jumps []config.JumpHost
	for one := range strings.SplitSeq(text, ",") {
		jump, err := ParseJump(strings.TrimPrefix(strings.TrimSpace(one), "ssh://"))
		if err != nil {
			return nil, err
		}
		jumps = append(jumps, jump)
	}
	return jumps, nil
}

// ParseJump reads [USER@]HOST[:PORT] of one jump host, as ssh -J has it.
func ParseJump(text string) (config.JumpHost, error) {
	jump := config.JumpHost{Host: text}
	if at := strings.LastIndexByte(text, '@'); at >= 0 { // a user's name may have one
		jump.User, jump.Host = text[:at], text[at+1:]
	}
	if host, port, err := net.SplitHostPort(jump.Host); err == nil {
		jump.Host = host
		if jump.Port, err = parsePort(port); err != nil {
			return jump, err
		}
	}
	jump.Host = strings.Trim(jump.Host, "[]")
	if jump.Host == "" || strings.ContainsAny(jump.Host, " \t/,") {
		return jump, fmt.Errorf("%q has no host; write [USER@]HOST[:PORT]", text)
	}
	return jump, nil
}

func parsePort(text string) (int, error) {
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return 0, fmt.Errorf("%q is not a TCP port; use 1 to 65535", text)
	}
	return int(port), nil
}
