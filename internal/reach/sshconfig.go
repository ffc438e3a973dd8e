package reach

import (
	"bytes"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/kevinburke/ssh_config"

	"strata/config"
)

// lookup is what an ssh_config says for the first of some names, by keyword; empty where it says nothing.
type lookup func(keyword string, names ...string) (string, error)

// said is what an ssh_config says about a host.
type said struct {
	hostName, user, identity string
	port                     int
	jump                     []config.JumpHost
}

// said looks a host up by its names in the file of strata:hosts.ssh.config; without a file nothing is said.
func (r *reader) said(path string, names ...string) (found said, err error) {
	if path == "" {
		return said{}, nil
	}
	look, err := r.config(path)
	if err != nil {
		return said{}, err
	}
	get := func(keyword string) string {
		value, failed := look(keyword, names...)
		if failed != nil && err == nil {
			err = fmt.Errorf("%s: %s of %s: %w", path, keyword, names[0], failed)
		}
		return value
	}
	found = said{hostName: get("HostName"), user: get("User"), identity: get("IdentityFile")}
	port, proxy, command := get("Port"), get("ProxyJump"), get("ProxyCommand")
	if err != nil {
		return said{}, err
	}
	if port != "" {
		if found.port, err = parsePort(port); err != nil {
			return said{}, fmt.Errorf("%s: Port of %s: %w", path, names[0], err)
		}
	}
	if strings.Contains(found.identity, "%") || strings.Contains(found.hostName, "%") {
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

// config reads an ssh_config. What `Match` asks for but names is refused by the parser.
func (r *reader) config(path string) (lookup, error) {
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
	r.configs[path] = func(keyword string, names ...string) (string, error) {
		for _, name := range names {
			if value, err := parsed.Get(name, keyword); err != nil || value != "" {
				return value, err
			}
		}
		return "", nil
	}
	return r.configs[path], nil
}

// parseJump reads the value of ProxyJump: [user@]host[:port], separated by commas, or none.
func parseJump(text string) ([]config.JumpHost, error) {
	if text == "" || strings.EqualFold(text, "none") {
		return nil, nil
	}
	var jumps []config.JumpHost
	for one := range strings.SplitSeq(text, ",") {
		jump := config.JumpHost{Host: strings.TrimPrefix(strings.TrimSpace(one), "ssh://")}
		if user, host, named := strings.Cut(jump.Host, "@"); named {
			jump.User, jump.Host = user, host
		}
		if host, port, err := net.SplitHostPort(jump.Host); err == nil {
			jump.Host = host
			if jump.Port, err = parsePort(port); err != nil {
				return nil, err
			}
		}
		jump.Host = strings.Trim(jump.Host, "[]")
		if jump.Host == "" {
			return nil, fmt.Errorf("%q names no host", one)
		}
		jumps = append(jumps, jump)
	}
	return jumps, nil
}

func parsePort(text string) (int, error) {
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return 0, fmt.Errorf("%q is not a TCP port; use 1 to 65535", text)
	}
	return int(port), nil
}
