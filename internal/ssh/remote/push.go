package remote

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"strata/internal/ssh/silence"
)

//go:embed push.sh
var pushScript string

// heldScript prints the sum of $dest and sets its mode, or prints none if $dest is no file. Then it
// prints the size of $part, the file of an interrupted upload.
const heldScript = `sum=none
if [ -f "$dest" ] && read=$(sha256sum <"$dest") && chmod -- "$mode" "$dest"; then sum=${read%% *}; fi
echo "$sum"
if [ -f "$part" ]; then stat -c %s -- "$part"; else echo 0; fi`

// sumForm matches a sha256 sum as sha256sum prints it.
var sumForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// DefaultSilence is the default bound on how long a transfer may make no progress. After the last
// byte, the host reads the whole file once for its sum, and flushes it to disk, before it answers.
const DefaultSilence = 2 * time.Minute

// wrongSum is pushScript's exit code for a complete upload whose sum is wrong.
const wrongSum = 65

// Upload describes a file to copy to a host.
type Upload struct {
	// File is the local file, Dest its absolute path on the host.
	File, Dest string
	Mode       fs.FileMode
	// SHA256 is the sum of the file, in hex.
	SHA256 string
	// Silence bounds how long the upload may make no progress. Default DefaultSilence.
	Silence time.Duration
	// Say is called with the progress, about every ten seconds. Optional.
	Say func(progress string)
	// Turn is called before the transfer and returns once the transfer may begin. Push calls done
	// after the transfer. Turn is not called if the host already has the file. Optional.
	Turn func(context.Context) (done func(), err error)
}

// Push copies a local file to the host. If the host already has the file, it sends nothing and
// returns false. The file appears under its name only when it is complete and has the given sha256
// sum. After an interruption, the next push resumes at the same offset.
func (c *Client) Push(ctx context.Context, u Upload) (sent bool, err error) {
	if !sumForm.MatchString(u.SHA256) {
		return false, fmt.Errorf("push %s: sha256: expected 64 hex digits, found %q", u.File,
			u.SHA256)
	}
	if !strings.HasPrefix(u.Dest, "/") {
		return false, fmt.Errorf("push %s: destination: expected an absolute path, found %q",
			u.File, u.Dest)
	}
	file, err := os.Open(u.File)
	if err != nil {
		return false, fmt.Errorf("push: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return false, fmt.Errorf("push: %w", err)
	}
	there, from, err := c.checkUpload(ctx, u)
	if err != nil {
		return false, fmt.Errorf("push %s: read %s: %w", u.File, u.Dest, err)
	}
	if there {
		return false, nil
	}
	if u.Turn != nil {
		done, err := u.Turn(ctx)
		if err != nil {
			return false, fmt.Errorf("push %s: %w", u.File, err)
		}
		defer done()
	}
	if from > info.Size() {
		from = 0
	}
	err = c.upload(ctx, u, file, from, info.Size())
	var exit *ExitError
	if from > 0 && errors.As(err, &exit) && exit.Code == wrongSum {
		// The bytes before the offset are damaged, for example by a power loss, so upload the whole
		// file again.
		err = c.upload(ctx, u, file, 0, info.Size())
	}
	if err != nil {
		return false, fmt.Errorf("push %s to %s: %w", u.File, u.Dest, err)
	}
	return true, nil
}

// settings returns the shell variables that both scripts need.
func (u Upload) settings(from, size int64) string {
	part := path.Join(path.Dir(u.Dest), ".strata-push."+u.SHA256)
	return fmt.Sprintf("dest=%s part=%s mode=%04o want=%s size=%d from=%d chunk=%d\n",
		Quote(u.Dest), Quote(part), u.Mode.Perm(), u.SHA256, size, from, chunk)
}

// checkUpload reports whether the host already has the file, and how many bytes an interrupted
// upload left.
func (c *Client) checkUpload(ctx context.Context, u Upload) (there bool, part int64, err error) {
	output, err := c.Run(ctx, u.settings(0, 0)+heldScript, nil)
	if err != nil {
		return false, 0, err
	}
	sum, size, _ := strings.Cut(strings.TrimSpace(string(output.Stdout)), "\n")
	part, err = strconv.ParseInt(size, 10, 64)
	return sum == u.SHA256, part, err
}

// Read writes the content of a file on the host to out. It fails if no data arrives for limit.
func (c *Client) Read(
	ctx context.Context, remotePath string, out io.Writer, limit time.Duration,
) error {
	ctx, stop := silence.With(ctx, limit)
	defer stop()
	var stderr tail
	code, err := c.execute(ctx, job{
		script: "cat -- " + Quote(remotePath), stdin: strings.NewReader(""), stderr: &stderr,
		stdout: io.MultiWriter(out, silence.Meter(func(int) { silence.Heard(ctx) })),
	})
	if err != nil {
		return err
	}
	return c.exitError(code, stderr.String())
}

// sayInterval is the pause between two progress reports.
const sayInterval = 10 * time.Second

// upload sends a file from an offset; the host then verifies the sum of the whole file.
func (c *Client) upload(ctx context.Context, u Upload, file *os.File, from, size int64) error {
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return err
	}
	limit := u.Silence
	if limit <= 0 {
		limit = DefaultSilence
	}
	ctx, stop := silence.With(ctx, limit)
	defer stop()
	at, next := from, time.Now().Add(sayInterval)
	count := func(n int) {
		silence.Heard(ctx)
		at += int64(n)
		if now := time.Now(); u.Say != nil && now.After(next) {
			next = now.Add(sayInterval)
			u.Say(fmt.Sprintf("%s: %d of %d MiB", path.Base(u.Dest), at>>20, size>>20))
		}
	}
	var output tail
	line := newPaced(ctx, io.TeeReader(file, silence.Meter(count)))
	code, err := c.execute(ctx,
		job{script: u.settings(from, size) + pushScript, stdin: line, size: size - from,
			stdout: line, stderr: &output})
	if err != nil {
		return err
	}
	return c.exitError(code, output.String())
}

// Quote quotes a text as one word of a POSIX shell.
func Quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
