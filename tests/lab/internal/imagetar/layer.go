package imagetar

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// layer returns a tar file with the binary, its links, and the folders that programs expect: /tmp,
// and /etc for the files that the kubelet mounts there.
func (i Image) layer() ([]byte, error) {
	content, err := os.ReadFile(i.Binary)
	if err != nil {
		return nil, fmt.Errorf("reading the binary: %w", err)
	}
	binary := strings.TrimPrefix(i.path(), "/")
	headers := folders(append([]string{binary}, i.Links...))
	headers = append(headers, tar.Header{Typeflag: tar.TypeReg, Name: binary, Mode: 0o755, Size: int64(len(content))})
	for _, link := range i.Links {
		name := strings.TrimPrefix(link, "/")
		headers = append(headers, tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: i.path(), Mode: 0o777})
	}
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	for _, header := range headers {
		if err := writer.WriteHeader(&header); err != nil {
			return nil, fmt.Errorf("layer: %w", err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if _, err := writer.Write(content); err != nil {
			return nil, fmt.Errorf("layer: %w", err)
		}
	}
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("layer: %w", err)
	}
	return buffer.Bytes(), nil
}

// folders returns the tar headers of all parent folders of some files, from the top down, and of
// /etc and /tmp.
func folders(files []string) []tar.Header {
	names := []string{"etc/"}
	for _, file := range files {
		for dir := path.Dir(strings.TrimPrefix(file, "/")); dir != "."; dir = path.Dir(dir) {
			names = append(names, dir+"/")
		}
	}
	slices.Sort(names)
	headers := []tar.Header{}
	for _, name := range slices.Compact(names) {
		headers = append(headers, tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: 0o755})
	}
	return append(headers, tar.Header{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o1777})
}
