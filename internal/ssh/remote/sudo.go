package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrSudo says that the user may not become root without a password.
var ErrSudo = errors.New("sudo without a password does not work")

// ErrSudoPassword says that sudo does not take the password. Waiting does not help, and another try
// may lock the user out.
var ErrSudoPassword = errors.New("sudo did not take the password")

// sudoWithPassword reads the password from the first line of standard input. It ignores what sudo
// remembers of earlier passwords (-k), so that sudo reads that line whenever it asks at all.
const sudoWithPassword = `sudo -k -S -p "" -- `

// checkSudo asks sudo once whether the password is right. The input ends behind the password, so
// that sudo cannot take what follows for a second try, which counts with pam_faillock.
func (c *Client) checkSudo(ctx context.Context) error {
	if c.sudo == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.beginWithin)
	defer cancel()
	var stderr tail
	password := c.sudo + "\n"
	code, err := c.execute(ctx, job{
		script: "exec " + sudoWithPassword + "true", stdin: strings.NewReader(password), size: int64(len(password)),
		stdout: &stderr, stderr: &stderr, unprivileged: true,
	})
	if err != nil {
		return fmt.Errorf("sudo's answer to the password: %w", err)
	}
	if code == 0 {
		return nil
	}
	return c.sudoRefused(code, stderr.String())
}

// notFound is the shell's exit code for a program that is not there.
const notFound = 127

// sudoRefused is the error of a user whom sudo does not make root; words are sudo's.
func (c *Client) sudoRefused(code int, words string) error {
	user := c.target.loginUser()
	err, link := ErrSudo, "for"
	fix := "allow it in /etc/sudoers.d: " + user + " ALL=(ALL) NOPASSWD:ALL, or set strata:hosts.ssh.sudoPassword"
	if c.sudo != "" {
		err, link, fix = ErrSudoPassword, "of", "correct strata:hosts.ssh.sudoPassword, it was tried once"
	}
	switch {
	case code == notFound:
		fix = "install sudo and allow it to " + user
	case strings.Contains(words, "tty"):
		fix = "let it work without a terminal in /etc/sudoers.d: Defaults:" + user + " !requiretty"
	}
	return fmt.Errorf("%w %s user %s on %s: %s; %s", err, link, user, c.target, oneLine(words), fix)
}
