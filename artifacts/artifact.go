package artifacts

import (
	"fmt"
	"path"
	"strings"
)

// Folder keeps the project's artifacts, relative to the project.
const Folder = ".strata/artifacts"

// Artifact is one file at a version, known by its sha256.
type Artifact struct {
	// Name is the logical name, for example k3s (config.Artifact… constants).
	Name string
	// Version is upstream's version.
	Version string
	// Arch is the processor architecture in Go's terms; empty when it does not matter.
	Arch string
	// SHA256 is the required sha256 sum of the file, in lower case hex.
	SHA256 string
	// Size is the file's size in bytes.
	Size int64
	// For is the name of the artifact that needs this one; empty if every stack gets it.
	For string
	// Origin begins with `real:`, `stand-in:` or `original:` and describes the file's source.
	Origin string
	// Path is the file's path relative to the project. The file exists once Materialise has run.
	Path string

	// source is the bundle's file, absolute; empty for upstream.
	source string
	// url is the file's upstream address; empty for a bundle.
	url string
	// from downloads it; nil for a bundle.
	from *source
}

// FileName returns the last part of Path: name, version and the first 12 digits of the sum. So a
// file with other content has another name.
func (a Artifact) FileName() string { return path.Base(a.Path) }

// extensions are the endings that a file must keep, because its reader depends on them (K3s for
// images, Helm for charts, people for disks).
var extensions = []string{".tar.zst", ".tar.gz", ".tar", ".tgz", ".sh", ".yaml", ".qcow2"}

// place sets Path from the artifact's identity. It keeps the extension of original, a path or URL.
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
