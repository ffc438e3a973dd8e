package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrSudo reports that the user cannot become root without a password.
var ErrSudo = errors.New("sudo without a password does not work")

// ErrSudoPassword reports that sudo rejects the password. A retry may lock the user out.
var ErrSudoPassword = errors.New("sudo did not take the password")

// sudoWithPassword reads the password from the first line of standard input. -k makes sudo ignore
// cached credentials, so that it always reads that line if it needs a password.
const sudoWithPassword = `sudo -k -S -p "" -- `

// checkSudo checks once whether sudo accepts the password. The input ends after the password:
// otherwise sudo would read the next line as a second try, which pam_faillock counts.
func (c *Client) checkSudo(ctx context.Context) error {
	if c.sudo == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.beginWithin)
	defer cancel()
	var stderr tail
	password := c.sudo + "\n"
	code, err := c.execute(ctx, job{
		script: "exec " + sudoWithPassword + "true", stdin: strings.NewReader(password),
		size:   int64(len(password)),
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

// notFound is the shell's exit code for a missing program.
const notFound = 127

// sudoRefused returns the error for a failed sudo with this exit code. words are sudo's messages.
func (c *Client) sudoRefused(code int, words string) error {
	user := c.target.loginUser()
	err, link := ErrSudo, "for"
	fix := "allow it in /etc/sudoers.d: " + user +
		" ALL=(ALL) NOPASSWD:ALL, or set the sudo password"
	if c.sudo != "" {
		err = ErrSudoPassword
		link = "of"
		fix = "correct the sudo password, it was tried once"
	}
	switch {
	case code == notFound:
		fix = "install sudo and allow it to " + user
	case strings.Contains(words, "tty"):
		fix = "let it work without a terminal in /etc/sudoers.d: Defaults:" + user + " !requiretty"
	}
	return fmt.Errorf("%w %s user %s on %s: %s; %s", err, link, user, c.target, oneLine(words), fix)
}
