package reach

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"strata/internal/ssh/remote"
)

// again is the IdentityFile that shows that ssh read the file twice (CanonicalizeHostname, `Match
// final`). Strata sets it below `Match canonical`, which applies only in a second pass and causes
// none.
const again = "/dev/null/again"

// unsaid is the value of the defaults that Strata appends to the copied ssh_config. A keyword with
// this value is not set in the user's file.
const unsaid = "/dev/null/unsaid"

// keywords holds the output of `ssh -G`: the values of each keyword, in lower case.
type keywords map[string][]string

// first returns the first value of a keyword; "" if there is none or it is "none".
func (k keywords) first(keyword string) string {
	if values := k[keyword]; len(values) > 0 && values[0] != "none" {
		return values[0]
	}
	return ""
}

// askLimit bounds a call of ssh, which may resolve names and run the commands of `Match exec`.
const askLimit = 30 * time.Second

// sessionAgent matches an IdentityAgent that is ${SSH_AUTH_SOCK}. `ssh -G` would print its path,
// which differs in each session, and so would change the inputs of every resource.
var sessionAgent = regexp.MustCompile(`(?im)^(\s*IdentityAgent[\s=]+"?)\$\{SSH_AUTH_SOCK\}`)

// ask resolves an ssh_config for a host with `ssh -G`, and caches the result. ssh reads a copy that
// ends with Strata's defaults, so that ssh's defaults on this machine do not count.
func (r *reader) ask(path string, as login, name string) (keywords, error) {
	key := fmt.Sprint(path, as, name)
	if known, ok := r.asked[key]; ok {
		return known, nil
	}
	text, err := r.open("ssh_config", path)
	if err != nil {
		return nil, err
	}
	program, err := exec.LookPath("ssh")
	if err != nil {
		return nil, fmt.Errorf("ssh_config: %s is read by OpenSSH's client, and there is no ssh on this machine: "+
			"install openssh-client (Debian, Ubuntu), openssh-clients (Fedora, RHEL, SUSE) "+
			"or openssh (Alpine, Arch, Homebrew)", path)
	}
	own := string(sessionAgent.ReplaceAll(text, []byte("${1}SSH_AUTH_SOCK")))
	defaults := fmt.Sprintf("User %s\nIdentityFile %s\nUserKnownHostsFile %s\n", as.defaultUser,
		unsaid, unsaid)
	found, err := r.run(program, path, own+"\nMatch all\n"+defaults+
		"Match canonical all\nIdentityFile "+again+"\n", as, name)
	if err == nil && slices.Contains(found["identityfile"], again) {
		// The defaults of the first pass would win over the file's values in the second.
		found, err = r.run(program, path, own+"\nMatch canonical all\n"+defaults, as, name)
	}
	if err == nil {
		r.asked[key] = found
	}
	return found, err
}

// run calls `ssh -G` on a temporary copy of an ssh_config.
func (r *reader) run(program, path, text string, as login, name string) (keywords, error) {
	copied, err := copyConfig(text)
	if err != nil {
		return nil, fmt.Errorf("ssh_config: %w", err)
	}
	defer func() { _ = os.Remove(copied) }() // It has no secret.
	// ssh -G expands the tokens of ControlPath, so its output has the value of %C.
	args := []string{"-G", "-T", "-F", copied, "-o", "ControlPath=%C"}
	if as.user != "" {
		args = append(args, "-l", as.user)
	}
	if as.port != 0 {
		args = append(args, "-p", strconv.Itoa(as.port))
	}
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	defer cancel()
	command := exec.CommandContext(ctx, program, append(args, "--", name)...)
	command.Dir, command.Env = r.project, remote.Environment()
	output, err := command.Output()
	if err != nil {
		var exit *exec.ExitError
		words := err.Error()
		if errors.As(err, &exit) {
			words = strings.Join(strings.Fields(strings.ReplaceAll(string(exit.Stderr), copied,
				path)), " ")
		}
		return nil, fmt.Errorf(
			"ssh_config: ssh -G -F %s %s: %s; correct the file, or write one of its own for the stack's hosts",
			path, name, words)
	}
	found := keywords{}
	for line := range strings.Lines(string(output)) {
		keyword, value, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		found[keyword] = append(found[keyword], value)
	}
	return found, nil
}

// copyConfig writes a temporary ssh_config, and returns its path.
func copyConfig(text string) (path string, err error) {
	file, err := os.CreateTemp("", "strata-ssh-config-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = file.WriteString(text)
	return file.Name(), err
}
