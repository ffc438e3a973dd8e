package remote

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"
)

// shell is the command line for the login shell and for sudo; everything else is sent by standard
// input. It is only words and one pair of single quotes, without a backslash, an exclamation mark
// or a slash, so that sh, csh, fish and rbash parse it alike. It announces that it reads, and waits
// for a line "strata-begin MARK". It answers with another mark on each output stream, waits for a
// line "strata-text BYTES", and executes the next BYTES bytes of standard input. It drops all
// other lines, such as a password that sudo did not read, and a begin line that came again.
const shell = `sh -c 'echo strata-waits; ` +
	`while read -r word mark; do test "$word" = strata-begin && break; done; ` +
	`echo "strata-begins $mark err" >&2; echo "strata-begins $mark out"; ` +
	`while read -r word size; do test "$word" = strata-text && break; done; ` +
	`eval "$(head -c "$size")"'`

// stage is one of the shells that are started in turn before the script: first the login user's,
// then root's.
type stage struct {
	// ahead is the password for the sudo that starts the shell, with a newline; empty if none.
	ahead string
	// text holds the commands that the shell executes.
	text string
}

// stages returns the shells that a job needs, in order.
func (c *Client) stages(j job) []stage {
	root := stage{text: compound(bootstrap)}
	if j.unprivileged || c.target.loginUser() == "root" {
		return []stage{root}
	}
	become := "exec sudo -n -u root -- " + shell
	if c.sudo != "" {
		become, root.ahead = "exec "+sudoWithPassword+shell, c.sudo+"\n"
	}
	return []stage{{text: compound(become)}, root}
}

// compound turns a script into one compound command. A shell parses such a command completely
// before it executes any of it. So a script that a lost connection cut off is not executed.
func compound(script string) string { return "{ :\n" + script + "\n}\n" }

// feed sends each shell its text once that shell has started. Then it sends the header, the script
// and the script's input. It keeps standard input open, because EOF kills the script. A program
// that is not the expected shell receives only begin lines.
func (r *run) feed(ctx context.Context, stdin io.Writer) error {
	for _, s := range r.stages {
		if err := r.begin(ctx, stdin, s.ahead); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(stdin, "strata-text %d\n%s", len(s.text), s.text); err != nil {
			return err
		}
	}
	script, seconds := compound(r.script), 0
	if deadline, ok := ctx.Deadline(); ok {
		// This is more than the remaining time, so the host's own limit only matters if the
		// connection is lost.
		seconds = int(time.Until(deadline).Seconds()) + 2
	}
	if _, err := fmt.Fprintf(stdin, "%d %d %d\n%s", len(script), r.size, seconds,
		script); err != nil {
		return err
	}
	_, err := io.CopyN(stdin, untilDone{ctx: ctx, Reader: r.stdin}, r.size)
	return err
}

// begin sends the begin line until the next shell has answered it: at once, and again if the shell
// then announces itself, because what started the shell may have read the first line. If sudo gets
// a password, the first line is sent only after the announcement: sudo-rs reads ahead.
func (r *run) begin(ctx context.Context, stdin io.Writer, ahead string) error {
	line := "strata-begin " + r.mark + "\n"
	next := cmp.Or(ahead, line)
	for {
		if _, err := io.WriteString(stdin, next); err != nil {
			return err
		}
		select {
		case step := <-r.stdout.steps:
			if step == begins {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
		next = line
	}
}

// untilDone is a reader that fails once its context has ended.
type untilDone struct {
	io.Reader
	ctx context.Context
}

func (r untilDone) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
