package driver_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/silence"
)

// imageTaken runs WithImage with a script that reads the image. The image has 300 KB, more than a
// pipe holds, and limit bounds the time without progress.
func imageTaken(t *testing.T, limit time.Duration, script string) error {
	t.Helper()
	image := filepath.Join(t.TempDir(), "image.qcow2")
	require.NoError(t, os.WriteFile(image, make([]byte, 300_000), 0o600))
	host, err := hypervisor.Connect(t.Context(), remote.Target{}, nil)
	require.NoError(t, err)
	runner := driver.Runner{Host: host, Spec: hypervisor.Spec{Image: hypervisor.Image{Path: image}}}
	ctx, stop := silence.With(t.Context(), limit)
	defer stop()
	return runner.WithImage(ctx, func(content io.Reader, size int64) error {
		_, err := runner.Feed(ctx, content, size, "sh", "-c", script)
		return err
	})
}

func TestSlowImageUploadIsNotTimedOut(t *testing.T) {
	const slowly = "for i in 1 2 3 4 5 6; do head -c 50000 > /dev/null; sleep 0.5; done"
	start := time.Now()
	require.NoError(t, imageTaken(t, 2*time.Second, slowly))
	assert.Greater(t, time.Since(start), 2*time.Second, "longer than the bound")
}

func TestStalledImageUploadTimesOut(t *testing.T) {
	err := imageTaken(t, 200*time.Millisecond, "sleep 60")
	require.ErrorContains(t, err, "nothing went through for 200ms")
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}
