package artifacts

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"strata/config"
)

// pluginPrefix is the name prefix of Pulumi's resource plugins.
const pluginPrefix = "pulumi-resource-"

func isPlugin(name string) bool { return strings.HasPrefix(name, pluginPrefix) }

// pluginSDK matches the line of a plugin's SDK in go.mod. Pulumi requires the plugin of exactly
// that version.
var pluginSDK = regexp.MustCompile(`(?m)^\tgithub\.com/pulumi/pulumi-([a-z]+)/sdk(?:/v[0-9]+)? v(\S+)$`)

// PluginPins returns the pins of Pulumi's plugins for Linux and an architecture, at the versions of
// their SDKs in the project's go.mod. The pins have no list of sums, because each plugin names its
// list differently. So the first download is trusted, and the lock gets its sum.
func PluginPins(project, arch string) ([]config.Pin, error) {
	text, err := os.ReadFile(filepath.Join(project, "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("the plugins' versions: %w", err)
	}
	var pins []config.Pin
	for _, found := range pluginSDK.FindAllStringSubmatch(string(text), -1) {
		name, version := found[1], "v"+found[2]
		pins = append(pins, config.Pin{
			Name: pluginPrefix + name, Version: version, Arch: arch,
			URL: "https://github.com/pulumi/pulumi-" + name + "/releases/download/" +
				version + "/" +
				pluginPrefix + name + "-" + version + "-linux-" + arch + ".tar.gz",
		})
	}
	if len(pins) == 0 {
		return nil, errors.New("go.mod names no SDK of a Pulumi plugin")
	}
	return pins, nil
}

// CLIName is the artifact name of Pulumi's command line: an archive with the pulumi program and one
// language plugin for each language.
const CLIName = "pulumi"

// cliSDK matches the line of Pulumi's SDK in go.mod. The command line has the same version.
var cliSDK = regexp.MustCompile(`(?m)^\tgithub\.com/pulumi/pulumi/sdk/v3 v(\S+)$`)

// CLIPin returns the pin of Pulumi's command line for Linux and an architecture, at the version of
// the SDK in the project's go.mod.
func CLIPin(project, arch string) (config.Pin, error) {
	text, err := os.ReadFile(filepath.Join(project, "go.mod"))
	if err != nil {
		return config.Pin{}, fmt.Errorf("the version of Pulumi's command line: %w", err)
	}
	found := cliSDK.FindSubmatch(text)
	if found == nil {
		return config.Pin{}, errors.New("go.mod names no SDK of Pulumi")
	}
	version := string(found[1])
	const releases = "https://github.com/pulumi/pulumi/releases/download/v"
	machine := map[string]string{"amd64": "x64"}[arch]
	if machine == "" {
		machine = arch
	}
	return config.Pin{
		Name: CLIName, Version: "v" + version, Arch: arch,
		URL:  releases + version + "/pulumi-v" + version + "-linux-" + machine + ".tar.gz",
		Sums: releases + version + "/pulumi-" + version + "-checksums.txt",
	}, nil
}

// Unpack extracts the file called name, in any folder of a .tar.gz archive, to target. It does
// nothing if target has the size and time of the archived file.
func Unpack(archive, name, target string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	for reader := tar.NewReader(unzipped); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%s has no %s", archive, name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", archive, err)
		}
		if path.Base(header.Name) != name || header.Typeflag != tar.TypeReg {
			continue
		}
		info, err := os.Stat(target)
		if err == nil && info.Size() == header.Size && info.ModTime().Equal(header.ModTime) {
			return nil
		}
		return writeProgram(reader, header, target)
	}
}

// writeProgram writes an executable with the time in header, by which Unpack recognizes it.
func writeProgram(content io.Reader, header *tar.Header, target string) error {
	temporary := filepath.Join(filepath.Dir(target), ".part-"+filepath.Base(target))
	out, err := os.OpenFile(temporary, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755) //nolint:gosec // an executable without secrets
	if err != nil {
		return err
	}
	_, err = io.CopyN(out, content, header.Size)
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return errors.Join(os.Chtimes(temporary, header.ModTime, header.ModTime),
		os.Rename(temporary, target))
}
