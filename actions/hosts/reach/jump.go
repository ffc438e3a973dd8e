package reach

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"strata/config"
)

// parseJump parses the value of ProxyJump: [user@]host[:port], separated by commas.
func parseJump(text string) ([]config.JumpHost, error) {
	if text == "" {
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

// ParseJump parses one jump host, [USER@]HOST[:PORT], in the format of ssh -J.
func ParseJump(text string) (config.JumpHost, error) {
	jump := config.JumpHost{Host: text}
	if at := strings.LastIndexByte(text, '@'); at >= 0 { // a user name may contain "@"
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
