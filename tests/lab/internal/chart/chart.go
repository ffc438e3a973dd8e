package chart

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	helmchart "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
)

// Package writes the chart in the folder dir as a .tgz file to out. It fails if the chart does not
// load, has another version than expected, or lacks a chart that it depends on.
func Package(dir, version, out string) error {
	loaded, err := loader.LoadDir(dir)
	if err != nil {
		return fmt.Errorf("loading the chart in %s: %w", dir, err)
	}
	return pack(loaded, version, out)
}

// pack checks a loaded chart and writes it, as Package does.
func pack(loaded *helmchart.Chart, version, out string) error {
	if got := loaded.Metadata.Version; got != version {
		return fmt.Errorf("chart %s has version %s, expected %s; change the module's version or "+
			"the catalog", loaded.Name(), got, version)
	}
	if err := complete(loaded); err != nil {
		return err
	}
	file, err := os.Create(out)
	if err != nil {
		return fmt.Errorf("packaging the chart: %w", err)
	}
	defer func() { _ = file.Close() }()
	if err := write(file, loaded); err != nil {
		return fmt.Errorf("packaging the chart %s: %w", loaded.Name(), err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("packaging the chart: %w", err)
	}
	return nil
}

// complete returns an error if the chart lacks a subchart. Helm would otherwise download it from a
// repository, which the lab cannot reach.
func complete(loaded *helmchart.Chart) error {
	var have []string
	for _, sub := range loaded.Dependencies() {
		have = append(have, sub.Name())
	}
	for _, wanted := range loaded.Metadata.Dependencies {
		if !slices.Contains(have, wanted.Name) {
			return fmt.Errorf("chart %s: subchart %s is missing; it has %s", loaded.Name(),
				wanted.Name, strings.Join(have, ", "))
		}
	}
	return nil
}

// write writes the chart's files as loaded, so without those in .helmignore. They are sorted and
// have no time stamps.
func write(file *os.File, loaded *helmchart.Chart) error {
	zipped := gzip.NewWriter(file)
	writer := tar.NewWriter(zipped)
	files := slices.Clone(loaded.Raw)
	slices.SortFunc(files, func(a, b *helmchart.File) int { return strings.Compare(a.Name, b.Name) })
	for _, one := range files {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: path.Join(loaded.Name(), one.Name), Mode: 0o644, Size: int64(len(one.Data)),
		}
		if err := writer.WriteHeader(header); err != nil {
			return err
		}
		if _, err := writer.Write(one.Data); err != nil {
			return err
		}
	}
	if err := writer.Close(); err != nil {
		return err
	}
	return zipped.Close()
}
