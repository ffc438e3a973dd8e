package recovery

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"strata/internal/files/atomicfile"
	"strata/internal/pulumi/stackstate"
)

// note returns the path of the file that lists objects which the cluster may have although the
// state does not contain them.
func (r *Recovery) note() string {
	return filepath.Join(r.ProjectDir, ".strata", "repair", r.Stack+".json")
}

// noteUnknown records the Kubernetes objects whose create was interrupted, until the state contains
// them, and reports whether there are any. Such an object may not exist, or may belong to another
// owner. So it is not deleted; the next update adopts it.
func (r *Recovery) noteUnknown(s state) (bool, error) {
	var unknown []urn.URN
	text, err := os.ReadFile(r.note())
	switch {
	case err == nil:
		if err := json.Unmarshal(text, &unknown); err != nil {
			return false, fmt.Errorf("%s: %w; remove it", r.note(), err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	for _, pending := range s.Pending {
		object := strings.HasPrefix(string(pending.Resource.Type), "kubernetes:") &&
			pending.Resource.Type != stackstate.HelmRelease
		if object && pending.Type == apitype.OperationTypeCreating {
			unknown = append(unknown, pending.Resource.URN)
		}
	}
	unknown = slices.DeleteFunc(unknown, s.Has)
	slices.Sort(unknown)
	unknown = slices.Compact(unknown)
	if len(unknown) == 0 {
		if err := os.Remove(r.note()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		return false, nil
	}
	for _, name := range unknown {
		r.did("the cluster may have %s without the state's knowing; the next up takes it over (%s=true)", name,
			UpsertVariable)
	}
	if text, err = json.Marshal(unknown); err != nil {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(r.note()), 0o755); err != nil {
		return false, err
	}
	return true, atomicfile.Write(r.note(), text, 0o644)
}
