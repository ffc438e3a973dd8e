package artifacts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"strata/internal/files/atomicfile"
)

// Materialise puts every artifact at its Path in the project, and verifies its sum. It downloads or
// builds upstream artifacts that the cache lacks, so a preview must not call it.
func (s *Set) Materialise(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(s.projectDir, Folder), 0o755); err != nil {
		return fmt.Errorf("artifacts: %w", err)
	}
	var wrong []error
	for _, artifact := range s.all {
		if err := s.materialise(ctx, artifact); err != nil {
			wrong = append(wrong, fmt.Errorf("artifact %s: %w", artifact, err))
		}
	}
	return errors.Join(wrong...)
}

func (s *Set) materialise(ctx context.Context, artifact Artifact) error {
	target := filepath.Join(s.projectDir, artifact.Path)
	if hasSum(target, artifact.SHA256) {
		return nil
	}
	source := artifact.source
	if source == "" {
		fetched, err := ensureCached(ctx, s.projectDir, artifact)
		if err != nil {
			return err
		}
		source = fetched
	}
	temporary := fmt.Sprintf("%s.%d.tmp", target, os.Getpid())
	defer func() { _ = os.Remove(temporary) }()
	if err := link(source, temporary); err != nil {
		return err
	}
	if err := Verify(temporary, artifact.SHA256); err != nil {
		var wrong *SumError
		if errors.As(err, &wrong) {
			wrong.Path = source
			return fmt.Errorf("%w; assemble the bundle again or restore the file", wrong)
		}
		return err
	}
	if err := os.Rename(temporary, target); err != nil {
		return err
	}
	return remember(target, artifact.SHA256)
}

// stamp describes a file at the time when its sum was verified. While the stamp still matches, the
// file is not hashed again, which makes a run without changes fast: images have hundreds of MiB.
type stamp struct {
	SHA256  string `json:"sha256"`
	Size    int64  `json:"size"`
	ModTime int64  `json:"modTime"`
	Changed int64  `json:"changed"`
	Inode   uint64 `json:"inode"`
}

func stampOf(path, sum string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, err
	}
	stamped := stamp{SHA256: sum, Size: info.Size(), ModTime: info.ModTime().UnixNano()}
	if system, ok := info.Sys().(*syscall.Stat_t); ok {
		// Users cannot set the change time, so it reveals an edit that keeps size and modification
		// time.
		stamped.Changed, stamped.Inode = changeTime(system), system.Ino
	}
	return stamped, nil
}

// stampFile returns the path of a file's stamp: a hidden file beside it.
func stampFile(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".stamp")
}

// hasSum reports whether a file has a sum. It hashes the file unless the file's stamp matches.
func hasSum(path, sum string) bool {
	stamped, err := stampOf(path, sum)
	if err != nil {
		return false
	}
	if text, err := os.ReadFile(stampFile(path)); err == nil {
		var seen stamp
		if json.Unmarshal(text, &seen) == nil && seen == stamped {
			return true
		}
	}
	return Verify(path, sum) == nil && remember(path, sum) == nil
}

func remember(path, sum string) error {
	stamped, err := stampOf(path, sum)
	if err != nil {
		return err
	}
	text, err := json.Marshal(stamped)
	if err != nil {
		return err
	}
	return atomicfile.Write(stampFile(path), text, 0o644)
}
