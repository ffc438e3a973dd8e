package artifacts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// MaterialiseCharts puts those charts at their Paths that need no download. A preview calls it,
// even in a fresh checkout, because Helm reads the charts to compute the changes. It skips binaries
// and images.
func (s *Set) MaterialiseCharts(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(s.projectDir, Folder), 0o755); err != nil {
		return fmt.Errorf("artifacts: %w", err)
	}
	cache, err := CacheDir()
	if err != nil {
		return err
	}
	var wrong []error
	for _, artifact := range s.all {
		atHand := artifact.source != "" ||
			hasSum(filepath.Join(cache, artifact.FileName()), artifact.SHA256)
		if !strings.HasSuffix(artifact.Path, ".tgz") || !atHand {
			continue
		}
		if err := s.materialise(ctx, artifact); err != nil {
			wrong = append(wrong, fmt.Errorf("artifact %s: %w", artifact, err))
		}
	}
	return errors.Join(wrong...)
}
