package local

import (
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/gobwas/glob"
	"github.com/pulumi/pulumi-go-provider/infer/types"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// collect reads the files that the command was asked to return.
func collect(dir string, in Inputs, out *Outputs) error {
	if in.AssetPaths != nil {
		assets, err := match(dir, *in.AssetPaths)
		if err != nil {
			return err
		}
		out.Assets = &assets
	}
	if in.ArchivePaths == nil {
		return nil
	}
	files, err := match(dir, *in.ArchivePaths)
	if err != nil {
		return err
	}
	members := make(map[string]any, len(files))
	for name, file := range files {
		members[name] = file.Asset
	}
	out.Archive, err = resource.NewAssetArchive(members)
	return err
}

// match returns the files under dir that the globs select. Later globs win; one
// that starts with "!" takes files out again.
func match(dir string, globs []string) (map[string]*types.AssetOrArchive, error) {
	rules, err := compile(globs)
	if err != nil {
		return nil, err
	}
	found := map[string]*types.AssetOrArchive{}
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !selected(rules, name) {
			return err
		}
		asset, err := resource.NewPathAsset(path.Join(dir, name))
		found[name] = &types.AssetOrArchive{Asset: asset}
		return err
	})
	return found, err
}

type rule struct {
	glob    glob.Glob
	exclude bool
}

func compile(globs []string) ([]rule, error) {
	rules := make([]rule, 0, len(globs))
	for _, text := range globs {
		pattern, exclude := strings.CutPrefix(text, "!")
		compiled, err := glob.Compile(pattern, '/')
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule{glob: compiled, exclude: exclude})
	}
	return rules, nil
}

func selected(rules []rule, name string) bool {
	in := false
	for _, r := range rules {
		if r.glob.Match(name) {
			in = !r.exclude
		}
	}
	return in
}
