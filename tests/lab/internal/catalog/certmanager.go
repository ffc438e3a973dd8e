package catalog

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/chart"
)

// certManagerFile is the packaged chart of cert-manager.
const certManagerFile = "cert-manager-v" + certManagerVersion + ".tgz"

// certManagerStep packages cert-manager's chart from its module, with the lab's additions in charts/cert-manager: the values
// that the cert-manager has which Strata pins.
func certManagerStep(lab string) build.Step {
	tool := filepath.Join(lab, commands()[stepCertManager].Module)
	additions := filepath.Join(lab, "charts", "cert-manager")
	return build.Step{
		Name: stepCertManagerChart,
		Key: func() (string, error) {
			sum, _, err := build.DigestFile(filepath.Join(tool, "go.sum"))
			if err != nil {
				return "", err
			}
			own, err := build.DigestTree(additions)
			return build.Digest("cert-manager chart 1", certManagerVersion, sum, own), err
		},
		Run: func(ctx context.Context, out string, _ build.Outputs, log io.Writer) error {
			dir, err := moduleAt(ctx, tool, "github.com/cert-manager/cert-manager", certManagerVersion, log)
			if err != nil {
				return err
			}
			files, err := certManagerFiles(filepath.Join(dir, "deploy"), additions)
			if err != nil {
				return err
			}
			return files.Package("v"+certManagerVersion, filepath.Join(out, certManagerFile))
		},
	}
}

// certManagerFiles does what cert-manager's release tool does with deploy/, and what its later charts can do.
func certManagerFiles(deploy, additions string) (chart.Files, error) {
	files := chart.Files{}
	if err := files.Add(filepath.Join(deploy, "charts", "cert-manager")); err != nil {
		return nil, err
	}
	upstream := files["values.yaml"]
	if err := files.Add(additions); err != nil {
		return nil, err
	}
	files["values.yaml"] = upstream + files["values.yaml"]
	const versions = "version: v0.1.0\nappVersion: v0.1.0\n"
	template := "Chart.template.yaml"
	if err := files.Replace(template, versions, strings.ReplaceAll(versions, "v0.1.0", "v"+certManagerVersion)); err != nil {
		return nil, err
	}
	files["Chart.yaml"] = strings.ReplaceAll(files[template], "{{IS_PRERELEASE}}", "false")
	for _, leftOut := range []string{template, "README.template.md", "signkey_annotation.txt"} {
		delete(files, leftOut)
	}
	// The older controller has no configuration file, and Gateway API behind a feature gate.
	const gates = "          {{- if .Values.featureGates }}\n"
	const gateway = "          {{- if or .Values.config.enableGatewayAPI (.Values.config.gatewayAPI).enabled }}\n" +
		"          - --feature-gates=ExperimentalGatewayAPISupport=true\n          {{- end }}\n"
	if err := files.Replace("templates/deployment.yaml", gates, gateway+gates); err != nil {
		return nil, err
	}
	return files, certManagerCRDs(files, filepath.Join(deploy, "crds"))
}

// certManagerCRDs makes a template of each CRD, as the release tool does, under the conditions of the pinned chart.
func certManagerCRDs(files chart.Files, dir string) error {
	found, err := match(dir, []string{"crd-*.yaml"})
	if err != nil {
		return err
	}
	for _, path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("reading the CRDs: %w", err)
		}
		name := "templates/" + filepath.Base(path)
		files[name] = "{{- if or .Values.crds.enabled .Values.installCRDs }}\n" + string(text) + "\n{{- end }}\n"
		const keep = "  {{- if .Values.crds.keep }}\n  annotations:\n    helm.sh/resource-policy: keep\n  {{- end }}\n"
		if err := files.Replace(name, "\n  labels:\n    app: ", "\n"+keep+"  labels:\n    app: "); err != nil {
			return err
		}
	}
	return nil
}
