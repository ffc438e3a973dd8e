package artifacts

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"strata/config"
)

// VMImage returns the disk image of virtual machines, as the bundle's manifest or the lock
// describes it. The stack's other artifacts may be missing in the bundle or the lock.
func VMImage(cfg *config.Config, projectDir string) (Artifact, error) {
	found, err := vmImage(cfg, projectDir)
	if err != nil {
		return Artifact{}, err
	}
	return found[0], nil // fits requires exactly one in a bundle
}

// AtHand returns the path at which the artifact's file exists on this machine; "" if the file must
// be downloaded. It fails if a bundle lacks the file.
func (a Artifact) AtHand(projectDir string) (string, error) {
	if a.source != "" {
		_, err := os.Stat(a.source)
		return a.source, err
	}
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	for _, path := range []string{filepath.Join(projectDir, a.Path), filepath.Join(cache, a.FileName())} {
		if info, err := os.Stat(path); err == nil && info.Size() == a.Size {
			return path, nil
		}
	}
	return "", nil
}

// CheckUpstream returns an error if upstream does not have the file. It does not download the file.
func (a Artifact) CheckUpstream(ctx context.Context) error {
	if a.url == "" {
		return errors.New("it is a bundle's, which publishes nothing")
	}
	answer, err := a.from.ask(ctx, http.MethodHead, a.url, nil)
	if err != nil {
		return fmt.Errorf("asking for %s: %w", a.from.address(a.url), err)
	}
	_ = answer.Body.Close() // a response to HEAD has no body
	if answer.StatusCode == http.StatusOK || answer.StatusCode == http.StatusMethodNotAllowed {
		return nil
	}
	return fmt.Errorf("expected %s to be there, found %s", a.from.address(a.url), answer.Status)
}
