package remote

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

//go:embed push.sh
var pushScript string

// heldScript prints the sum of $dest when it is a file, and gives it the wanted mode.
const heldScript = `if [ -f "$dest" ]; then sum=$(sha256sum <"$dest") && chmod -- "$mode" "$dest" && echo "${sum%% *}"; fi`

// sumForm is a sha256 sum as sha256sum prints it.
var sumForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Push copies a local file to the host, unless the host has it already (sent is false then). The file appears under its
// name only when it is complete and has the given sha256 sum; a failure leaves nothing behind.
func (c *Client) Push(ctx context.Context, localFile, remotePath string, mode fs.FileMode, sum string) (sent bool, err error) {
	if !sumForm.MatchString(sum) {
		return false, fmt.Errorf("push %s: sha256: expected 64 hex digits, found %q", localFile, sum)
	}
	if !strings.HasPrefix(remotePath, "/") {
		return false, fmt.Errorf("push %s: destination: expected an absolute path, found %q", localFile, remotePath)
	}
	file, err := os.Open(localFile)
	if err != nil {
		return false, fmt.Errorf("push: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return false, fmt.Errorf("push: %w", err)
	}
	settings := fmt.Sprintf("dest=%s mode=%04o want=%s size=%d\n", Quote(remotePath), mode.Perm(), sum, info.Size())
	held, err := c.Run(ctx, settings+heldScript, nil)
	if err != nil {
		return false, fmt.Errorf("push %s: read %s: %w", localFile, remotePath, err)
	}
	if strings.TrimSpace(string(held.Stdout)) == sum {
		return false, nil
	}
	if err := c.upload(ctx, settings+pushScript, file, info.Size()); err != nil {
		return false, fmt.Errorf("push %s to %s: %w", localFile, remotePath, err)
	}
	return true, nil
}

// Read writes the content of a file of the host to out.
func (c *Client) Read(ctx context.Context, remotePath string, out io.Writer) error {
	var stderr strings.Builder
	code, err := c.execute(ctx, job{script: "cat -- " + Quote(remotePath), stdin: strings.NewReader(""), stdout: out, stderr: &stderr})
	if err != nil {
		return err
	}
	return c.exitError(code, stderr.String())
}

// upload runs the script that receives a file.
func (c *Client) upload(ctx context.Context, script string, file *os.File, size int64) error {
	var stderr strings.Builder
	code, err := c.execute(ctx, job{script: script, stdin: file, size: size, stdout: &stderr, stderr: &stderr})
	if err != nil {
		return err
	}
	return c.exitError(code, stderr.String())
}

// Quote makes a text one word of a POSIX shell.
func Quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
