package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// ErrSudoPassword says that sudo does not take the password. Waiting does not help, and another try
// may lock the user out.
var ErrSudoPassword = errors.New("sudo did not take the password")

// sudoTimeout bounds the question whether a password is right: a wrong one costs PAM's delay, 2 s
// by default, and a host under load takes its time.
const sudoTimeout = time.Minute

// passwordGoesBefore drops what comes before a line of its own: the password, where sudo did not
// ask for it (NOPASSWD). No single quote and no exclamation mark may occur here, as in
// bootstrap.sh.
const (
	scriptBegins       = "strata-script-begins"
	passwordGoesBefore = "while IFS= read -r line; do if [ \"$line\" = " + scriptBegins + " ]; then break; fi; done\n"
)

// withPassword is the command text that runs a shell as root, with the password in the first line
// of its standard input. It ignores what sudo remembers of earlier passwords (-k), so that sudo
// reads that line whenever it asks at all.
func withPassword(shell string) string { return `sudo -k -S -p "" -- ` + shell }

// checkSudo asks sudo once whether the password is right. Standard input ends behind the password,
// so that sudo cannot take what follows for a second try, which counts with pam_faillock.
func (c *Client) checkSudo(ctx context.Context) error {
	if c.sudo == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, sudoTimeout)
	defer cancel()
	session, err := c.ssh.NewSession()
	if err != nil {
		return c.lost(err)
	}
	stop := context.AfterFunc(ctx, func() { _ = c.ssh.Close() })
	defer stop()
	var stderr tail
	session.Stdin, session.Stderr = strings.NewReader(c.sudo+"\n"), &stderr
	err = session.Run(withPassword("sh -c :"))
	if ctx.Err() != nil {
		return fmt.Errorf("sudo on %s did not answer: %w", c.target, ctx.Err())
	}
	code, err := c.exitCode(err, nil)
	if err != nil || code == 0 {
		return err
	}
	return fmt.Errorf("%w of user %s on %s: %s; correct strata:hosts.ssh.sudoPassword, it was tried once", ErrSudoPassword,
		c.target.loginUser(), c.target, oneLine(stderr.String()))
}

// writePassword sends the password ahead of all else, if there is one.
func (c *Client) writePassword(stdin io.Writer) error {
	if c.sudo == "" {
		return nil
	}
	_, err := io.WriteString(stdin, c.sudo+"\n"+scriptBegins+"\n")
	return err
}
