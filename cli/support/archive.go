package support

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"
)

// Archive holds the collected files, from which secrets have been removed.
type Archive struct {
	Stack   string
	At      time.Time
	Files   []File
	Missing []Missing
	// size is the total size of the files passed to add, in bytes.
	size int
}

// add adds a file, or lists it as missing if the archive is full.
func (a *Archive) add(file File) {
	file.Content = cut(file.Content, maxFile)
	if a.size += len(file.Content); a.size > maxAll {
		a.Missing = append(a.Missing,
			Missing{file.Name, fmt.Sprintf("the archive would be larger than %d MiB", maxAll>>20)})
		return
	}
	a.Files = append(a.Files, file)
}

// readmeText returns the content of the first file, which describes the archive and lists the files
// that could not be added.
func (a *Archive) readmeText() string {
	var text strings.Builder
	fmt.Fprintf(&text, "Stack %s at %s, collected by strata support.\n\n"+
		"Secrets of the configuration and the state are replaced by %s, as they are and in "+
		"base64, from %d characters on. Read it before you give it away:\n"+
		"what else is confidential, such as names and addresses, is not known to the program.\n\n",
		a.Stack, a.At.Format(time.RFC3339), redacted, shortest)
	for _, file := range a.Files {
		fmt.Fprintf(&text, "%s: %d bytes\n", file.Name, len(file.Content))
	}
	text.WriteString("\n" + a.missingText())
	return text.String()
}

func (a *Archive) missingText() string {
	var text strings.Builder
	for _, missing := range a.Missing {
		fmt.Fprintf(&text, "missing, or not whole: %s: %s\n", missing.Name,
			strings.TrimSpace(missing.Why))
	}
	return text.String()
}

// Summary prints the number of files in the archive, and each file that could not be added.
func (a *Archive) Summary(out io.Writer, file string) error {
	_, err := fmt.Fprintf(out, "%s: %d files; read it before you give it away\n%s", file,
		len(a.Files), a.missingText())
	return err
}

// Write writes the archive to a new file that only its owner can read. It fails if the file exists.
func (a *Archive) Write(file string) (err error) {
	out, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, out.Close()); err != nil {
			err = errors.Join(err, os.Remove(file)) // an incomplete archive is useless
		}
	}()
	zipped := gzip.NewWriter(out)
	packed := tar.NewWriter(zipped)
	folder := "strata-support-" + path.Base(a.Stack)
	for _, one := range append([]File{{"README.txt", []byte(a.readmeText())}}, a.Files...) {
		header := &tar.Header{Name: folder + "/" + one.Name, Mode: 0o600,
			Size:    int64(len(one.Content)),
			ModTime: a.At, Typeflag: tar.TypeReg}
		if err := packed.WriteHeader(header); err != nil {
			return err
		}
		if _, err := packed.Write(one.Content); err != nil {
			return err
		}
	}
	return errors.Join(packed.Close(), zipped.Close())
}
