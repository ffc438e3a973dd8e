package recovery

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"strata/config"
)

// lock holds one lock file of Pulumi's file backend (pkg/backend/diy/lock.go).
type lock struct {
	PID       int       `json:"pid"`
	Username  string    `json:"username"`
	Hostname  string    `json:"hostname"`
	Timestamp time.Time `json:"timestamp"`

	file    string
	content []byte
}

func (l lock) String() string {
	return fmt.Sprintf("lock of %s@%s, process %d, since %s", l.Username, l.Hostname, l.PID,
		l.Timestamp.Format(time.RFC3339))
}

// keepReason returns the reason why the lock must not be removed; "" if a run of this project on
// this machine took the lock and its process is dead.
func (l lock) keepReason(projectDir string) string {
	here, err := os.Hostname()
	if err != nil {
		return "this host's name is unknown: " + err.Error()
	}
	if l.Hostname != here {
		return fmt.Sprintf(
			"only %s can tell whether the owner lives; run `strata repair` there, or `pulumi cancel` if it is gone",
			l.Hostname)
	}
	if alive(l.PID, l.Timestamp) {
		return "its owner is running; wait for it, or stop it with one Ctrl-C (`pulumi cancel` if that process is another stack's)"
	}
	if !l.isFromHere(projectDir) {
		return "whether its owner lives cannot be told: no such run was seen here since this machine was started, " +
			"and another machine may have the same name; if no run of the stack lives anywhere, `pulumi cancel`, then `strata repair`"
	}
	return ""
}

// locks returns the stack's locks. It returns none for other backends than the file backend,
// because only the file backend records the PID of the owner.
func (r *Recovery) locks(root string) ([]lock, error) {
	if root == "" {
		r.left("locks", "this backend does not say which process holds one; `pulumi cancel` removes a dead one")
		return nil, nil
	}
	pattern := filepath.Join(root, ".pulumi", "locks", "organization", config.Namespace, r.Stack,
		"*.json")
	files, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	var locks []lock
	for _, file := range files {
		content, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("lock: %w", err)
		}
		found := lock{file: file, content: content}
		if err := json.Unmarshal(content, &found); err != nil {
			return nil, fmt.Errorf("lock %s: %w; remove it if no Pulumi runs", file, err)
		}
		locks = append(locks, found)
	}
	return locks, nil
}

// backend returns the folder of Pulumi's file backend; "" if another backend is in use.
func (r *Recovery) backend(ctx context.Context) (string, error) {
	out, err := r.Pulumi(ctx, nil, "whoami", "--json")
	if err != nil {
		return "", err
	}
	var who struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(out, &who); err != nil {
		return "", fmt.Errorf("pulumi whoami: %w", err)
	}
	root, _ := backendDir(who.URL, r.ProjectDir)
	return root, nil
}

// backendDir returns the folder of a file backend's URL (file:///abs, file://~ or
// file://./relative), and false for other URLs.
func backendDir(backend, projectDir string) (string, bool) {
	path, ok := strings.CutPrefix(backend, "file://")
	if !ok {
		return "", false
	}
	path, _, _ = strings.Cut(path, "?")
	if unescaped, err := url.PathUnescape(path); err == nil {
		path = unescaped
	}
	dir, err := config.ResolvePath(projectDir, path)
	return dir, err == nil
}

// removeLocks removes the locks of dead runs. It reads each file again first, and fails with
// ErrOwned if a new run has taken the lock.
func (r *Recovery) removeLocks(locks []lock) error {
	for _, lock := range locks {
		now, err := os.ReadFile(lock.file)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		if !bytes.Equal(now, lock.content) {
			return fmt.Errorf("%w: %s changed hands just now", ErrOwned, lock.file)
		}
		if err := os.Remove(lock.file); err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		// The file backend keeps the file's metadata beside it.
		if err := os.Remove(lock.file + ".attrs"); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("lock: %w", err)
		}
		if err := os.Remove(runFile(r.ProjectDir, lock.PID)); err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		r.did("removed the %s: that process is gone", lock)
	}
	return nil
}
