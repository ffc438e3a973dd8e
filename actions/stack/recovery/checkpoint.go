package recovery

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"strata/config"
	"strata/internal/files/atomicfile"
)

// restoreCheckpoint restores the previous checkpoint from its .bak file if a killed write left no
// file or broken JSON. The file backend moves the checkpoint to .bak before it writes a new one
// (pulumi/pulumi pkg/backend/diy/state.go, saveCheckpoint). The next update repeats the operations
// of the lost write. A removed stack also leaves a .bak without a checkpoint, so a missing file is
// restored only if interrupted is true: the lock of a dead run existed.
func (r *Recovery) restoreCheckpoint(root string, interrupted bool) error {
	if root == "" {
		return nil // only the file backend can be repaired
	}
	file := filepath.Join(root, ".pulumi", "stacks", config.Namespace, r.Stack+".json")
	locks := filepath.Join(root, ".pulumi", "locks", "organization", config.Namespace, r.Stack, "*")
	if err := r.dropCutAttributes(file, file+".bak", locks); err != nil {
		return err
	}
	content, err := os.ReadFile(file)
	switch {
	case err == nil && json.Valid(content), os.IsNotExist(err) && !interrupted:
		return nil
	case err != nil && !os.IsNotExist(err):
		return fmt.Errorf("checkpoint: %w", err)
	}
	backup, backupErr := os.ReadFile(file + ".bak")
	if os.IsNotExist(err) && os.IsNotExist(backupErr) {
		return nil // killed before the first checkpoint
	}
	if backupErr != nil || !json.Valid(backup) {
		return fmt.Errorf(
			"checkpoint %s is cut off and %s.bak cannot replace it; restore the newest one of .pulumi/history with `pulumi stack import`", file, file)
	}
	if err := atomicfile.Write(file, backup, 0o600); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	r.did("restored the checkpoint before the last one: the kill cut %s off", file)
	return nil
}

// dropCutAttributes removes truncated .attrs files, which a kill leaves beside the files of the
// file backend. With such a file, Pulumi fails with "failed to load checkpoint: EOF". The file only
// holds a content type and a checksum, both optional (gocloud.dev/blob/fileblob/attrs.go).
func (r *Recovery) dropCutAttributes(files ...string) error {
	for _, pattern := range files {
		paths, err := filepath.Glob(pattern + ".attrs")
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err == nil && !json.Valid(content) {
				err = os.Remove(path)
				r.did("removed %s, which the kill cut off", path)
			}
			if err != nil {
				return fmt.Errorf("checkpoint: %w", err)
			}
		}
	}
	return nil
}
