package catalog

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/chart"
)

// certManagerFile is the file name of cert-manager's packaged chart.
const certManagerFile = "cert-manager-v" + certManagerVersion + ".tgz"

// certManagerStep returns the step that packages cert-manager's chart from its module.
func certManagerStep(lab string) build.Step {
	tool := filepath.Join(lab, commands()[stepCertManager].Module)
	return build.Step{
		Name: stepCertManagerChart,
		Key: func() (string, error) {
			sum, _, err := build.DigestFile(filepath.Join(tool, "go.sum"))
			return build.Digest("cert-manager chart 2", certManagerVersion, sum), err
		},
		Run: func(ctx context.Context, out string, _ build.Outputs, log io.Writer) error {
			dir, err := moduleAt(ctx, tool, "github.com/cert-manager/cert-manager", certManagerVersion, log)
			if err != nil {
				return err
			}
			files, err := certManagerFiles(filepath.Join(dir, "deploy", "charts", "cert-manager"))
			if err != nil {
				return err
			}
			return files.Package("v"+certManagerVersion, filepath.Join(out, certManagerFile))
		},
	}
}

// certManagerFiles reads the chart's files, and sets the version as cert-manager's release tool
// does.
func certManagerFiles(dir string) (chart.Files, error) {
	files := chart.Files{}
	if err := files.Add(dir); err != nil {
		return nil, err
	}
	const versions = "version: v0.0.0\nappVersion: v0.0.0"
	if err := files.Replace("Chart.yaml", versions, strings.ReplaceAll(versions, "v0.0.0",
		"v"+certManagerVersion)); err != nil {
		return nil, err
	}
	for _, leftOut := range []string{"README.template.md", "signkey_annotation.txt", "values.linter.exceptions"} {
		delete(files, leftOut)
	}
	return files, nil
}
