package artifacts

import (
	"fmt"
	"path"
	"strings"
)

// Folder is the folder of the project's artifacts, relative to the project.
const Folder = ".strata/artifacts"

// Artifact is one file of a stack at one version, identified by its SHA-256 sum.
type Artifact struct {
	// Name is the logical name, for example k3s (the config.Artifact… constants).
	Name string
	// Version is upstream's version.
	Version string
	// Arch is the processor architecture as in GOARCH; empty if the file is the same for all
	// architectures.
	Arch string
	// SHA256 is the required sha256 sum of the file, in lower case hex.
	SHA256 string
	// Size is the file's size in bytes.
	Size int64
	// For is the name of the artifact that needs this file, such as a chart that needs an image
	// archive. It is empty if every stack needs the file.
	For string
	// Origin describes the file's source. It begins with `real:` (a release), `stand-in:` (a
	// substitute for tests) or `original:` (a release that replaces a stand-in).
	Origin string
	// Path is the file's path relative to the project. The file exists once Materialise has run.
	Path string

	// source is the absolute path of the file in a bundle; empty for upstream.
	source string
	// url is the file's upstream URL; empty for a bundle.
	url string
	// from downloads the file; nil for a bundle.
	from *source
}

// FileName returns the last part of Path: name, version and the first 12 digits of the sum. So
// files with different content have different names.
func (a Artifact) FileName() string { return path.Base(a.Path) }

// extensions lists the file name extensions that FileName keeps, because the file's reader needs
// them: K3s for image archives, Helm for charts, people for disk images.
var extensions = []string{".tar.zst", ".tar.gz", ".tar", ".tgz", ".sh", ".yaml", ".qcow2"}

// place returns the artifact with Path set from its name, version and sum. Path keeps the extension
// of original, a path or URL, if extensions lists it.
func (a Artifact) place(original string) Artifact {
	name := fmt.Sprintf("%s-%s-%.12s", a.Name, a.Version, a.SHA256)
	for _, extension := range extensions {
		if strings.HasSuffix(original, extension) {
			name += extension
			break
		}
	}
	a.Path = path.Join(Folder, name)
	return a
}

// String returns name, version and architecture for messages.
func (a Artifact) String() string {
	return strings.TrimSpace(a.Name + " " + a.Version + " " + a.Arch)
}
