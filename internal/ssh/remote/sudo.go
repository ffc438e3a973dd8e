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
// cached credentials, so that it always reads that line if it needs a password. sudoers can set
// another default user than root.
const sudoWithPassword = `sudo -k -S -p "" -u root -- `

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
		script: "exec " + sudoWithPassword + "sh -c :", stdin: strings.NewReader(password),
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

// sudoError is an ErrSudo or ErrSudoPassword with another cause than the password.
type sudoError struct {
	kind error
	text string
}

func (e *sudoError) Error() string { return e.text }
func (e *sudoError) Unwrap() error { return e.kind }

// sudoRefused returns the error for a failed sudo with this exit code. words are sudo's messages.
func (c *Client) sudoRefused(code int, words string) error {
	user := c.target.loginUser()
	kind, link, nopasswd := ErrSudo, "for", "NOPASSWD:"
	if c.sudo != "" {
		kind, link, nopasswd = ErrSudoPassword, "of", ""
	}
	if fix := sudoFix(code, strings.ToLower(words), user, nopasswd); fix != "" {
		return &sudoError{kind, fmt.Sprintf("sudo runs no script for user %s on %s: %s; %s", user,
			c.target, oneLine(words), fix)}
	}
	fix := "allow it in /etc/sudoers.d: " + user +
		" ALL=(ALL) NOPASSWD:ALL, or set the sudo password"
	if c.sudo != "" {
		fix = "correct the sudo password, it was tried once"
	}
	return fmt.Errorf("%w %s user %s on %s: %s; %s", kind, link, user, c.target, oneLine(words), fix)
}

// sudoFix returns the fix for messages of sudo that do not mean a wrong password, or that count its
// tries wrongly; empty for others. words are in lower case.
func sudoFix(code int, words, user, nopasswd string) string {
	if code == notFound {
		return "install sudo and allow it to " + user
	}
	allow := "allow it to run sh, behind all other rules in /etc/sudoers.d: " + user +
		" ALL=(ALL) " + nopasswd + "ALL"
	for _, known := range []struct{ words, fix string }{
		{"command not found", "add the folders of sh and head to secure_path in /etc/sudoers"},
		{"unable to change directory", "correct runcwd in /etc/sudoers or /etc/sudoers.d"},
		{"is not allowed", allow}, {"may not run", allow}, {"not in the sudoers", allow},
		{"i'm afraid i can't", allow}, // sudo-rs
		{"tty", "let it work without a terminal in /etc/sudoers.d: Defaults:" + user + " !requiretty"},
		{"maximum 3 incorrect", "correct the sudo password; sudo-rs counts one try as three"},
	} {
		if strings.Contains(words, known.words) {
			return known.fix
		}
	}
	return ""
}
