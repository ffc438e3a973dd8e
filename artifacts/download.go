package artifacts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"strata/artifacts/ownimage"
	"strata/config"
)

// stalled is the time without new data after which a download attempt is aborted. There is no limit
// for the whole download.
const stalled = time.Minute

// CacheDir returns the folder of downloads, outside the checkout: strata/downloads in the user's
// cache folder.
func CacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("download cache: %w", err)
	}
	return filepath.Join(base, "strata", "downloads"), nil
}

// ensureCached returns the path of the artifact's file in the download cache. If the file is
// missing there, ensureCached downloads or builds it.
func ensureCached(ctx context.Context, projectDir string, artifact Artifact) (string, error) {
	dir, err := CacheDir()
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, artifact.FileName())
	if hasSum(file, artifact.SHA256) {
		return file, nil
	}
	partial := file + ".part"
	if err := artifact.from.obtain(ctx, projectDir, artifact.url, artifact.Arch, partial,
		io.Discard); err != nil {
		return "", err
	}
	err = accept(partial, file, artifact.from.address(artifact.url), artifact.SHA256)
	if _, built := config.BuiltImage(artifact.url); built && err != nil {
		return "", fmt.Errorf(
			"%w: its sources or this machine's Go are not those that %s was written with; run `strata fetch`", err,
			LockFile)
	}
	return file, err
}

// obtain writes the file that a pin's URL names. If the URL stands for one of Strata's own images,
// obtain builds the image; otherwise it downloads the URL.
func (s *source) obtain(
	ctx context.Context, projectDir, url, arch, file string, progress io.Writer,
) error {
	image, built := config.BuiltImage(url)
	if !built {
		return s.download(ctx, url, file, progress)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return ownimage.Write(ctx, projectDir, image, image.Reference(), arch, file)
}

// accept verifies a finished download. With the expected sum, it renames partial to file. With
// another sum, it removes partial, so that the next attempt does not resume it.
func accept(partial, file, url, sum string) error {
	if err := Verify(partial, sum); err != nil {
		var wrong *SumError
		if errors.As(err, &wrong) {
			wrong.Path = url
			return errors.Join(fmt.Errorf("%w; the download was removed", wrong),
				os.Remove(partial))
		}
		return err
	}
	return os.Rename(partial, file)
}

// unavailableError reports a failed download. A wrong sum is another error (SumError).
type unavailableError struct {
	url    string
	cause  error
	advice string
}

func (e *unavailableError) Error() string {
	return fmt.Sprintf("downloading %s: %v; %s", e.url, e.cause, e.advice)
}

func (e *unavailableError) Unwrap() error { return e.cause }

// fruitless is the number of consecutive attempts without progress after which a download fails.
// firstPause is the pause after an attempt with progress; each attempt without progress doubles it.
const (
	fruitless  = 5
	firstPause = 100 * time.Millisecond
)

// download downloads a URL into a file, and resumes an interrupted download. It retries after an
// attempt that was cut off, but not after one that received no data. An attempt makes progress if
// the file gets larger than ever before: a server that ignores ranges sends it from the start.
func (s *source) download(ctx context.Context, url, file string, progress io.Writer) error {
	if s.fault != nil {
		return s.fault
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	best, failed := int64(0), 0
	for {
		got, err := s.attempt(ctx, url, file, progress)
		if err == nil {
			return nil
		}
		if at := size(file); at > best {
			best, failed = at, 0
		} else {
			failed++
		}
		if got == 0 || failed == fruitless || !rest(ctx, firstPause<<failed) {
			return &unavailableError{url: s.address(url), cause: err, advice: s.advice()}
		}
	}
}

// rest waits for the duration pause. It returns false if ctx is done first.
func rest(ctx context.Context, pause time.Duration) bool {
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}

// size returns a file's size in bytes; 0 if it cannot be read.
func size(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// attempt makes one request, which continues the partial file if the server supports ranges. It
// returns the number of received bytes.
func (s *source) attempt(ctx context.Context, url, file string, progress io.Writer) (int64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(stalled, func() { cancel(fmt.Errorf("no data for %s", stalled)) })
	defer watchdog.Stop()

	out, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o644) //nolint:gosec // holds nothing secret
	if err != nil {
		return 0, err
	}
	defer func() { _ = out.Close() }()
	offset, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	response, err := s.ask(ctx, http.MethodGet, url, func(request *http.Request) {
		if offset > 0 {
			request.Header.Set("Range", "bytes="+strconv.FormatInt(offset, 10)+"-")
		}
	})
	if err != nil {
		return 0, errors.Join(err, context.Cause(ctx))
	}
	defer func() { _ = response.Body.Close() }()
	switch response.StatusCode {
	case http.StatusPartialContent:
	case http.StatusRequestedRangeNotSatisfiable:
		// The file is complete, or does not come from this URL; the caller verifies its sum.
		return 0, nil
	case http.StatusOK:
		if _, err := out.Seek(0, io.SeekStart); err != nil {
			return 0, err
		}
		if err := out.Truncate(0); err != nil {
			return 0, err
		}
		offset = 0
	default:
		return 0, fmt.Errorf("expected status 200, found %s", response.Status)
	}
	counted := &counter{to: progress, done: offset, beat: func() { watchdog.Reset(stalled) }}
	if response.ContentLength > 0 {
		counted.total = offset + response.ContentLength
	}
	got, err := io.Copy(out, io.TeeReader(response.Body, counted))
	if err != nil {
		return got, errors.Join(err, context.Cause(ctx))
	}
	return got, out.Close()
}

// counter prints the progress of a download at each 10 %, with one Write for each line. It calls
// beat whenever data arrive.
type counter struct {
	to                  io.Writer
	done, total, tenths int64
	beat                func()
}

func (c *counter) Write(data []byte) (int, error) {
	c.beat()
	c.done += int64(len(data))
	if tenths := c.done * 10 / max(c.total, 1); c.total > 0 && tenths > c.tenths {
		c.tenths = tenths
		const mebi = 1 << 20
		if _, err := fmt.Fprintf(c.to, "  %d%% of %.1f MiB\n", tenths*10,
			float64(c.total)/mebi); err != nil {
			return 0, err
		}
	}
	return len(data), nil
}

// fresh downloads a small text from the start, because it may have changed since an interrupted
// download. It returns the text.
func (s *source) fresh(ctx context.Context, url, file string) (string, error) {
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if err := s.download(ctx, url, file, io.Discard); err != nil {
		return "", err
	}
	text, err := os.ReadFile(file)
	return string(text), errors.Join(err, os.Remove(file))
}
