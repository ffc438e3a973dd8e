package podcheck

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Finding reports one violation of a rule by a Pod specification.
type Finding struct {
	// Place names the file, the object and the field path of the Pod specification.
	Place string `json:"place"`
	Rule  string `json:"rule"`
	// Problem says what is wrong, and Fix how to repair it.
	Problem string `json:"problem"`
	Fix     string `json:"fix"`
}

func (f Finding) String() string {
	return fmt.Sprintf("%s: %s: %s; %s", f.Place, f.Rule, f.Problem, f.Fix)
}

// Report holds the checked Pods and the findings.
type Report struct {
	Findings []Finding `json:"findings"`
	// Patches repair the findings of an object: strategic merge patches, and new objects.
	Patches []map[string]any `json:"patches"`
	// Pods lists the places of the Pod specifications that were checked.
	Pods []string `json:"checked"`
	// Unread has an error for each specification or annotation that cannot be read.
	Unread []error `json:"-"`
	// Without counts the objects that have no Pod specification, by kind.
	Without map[string]int `json:"withoutPods"`
	// CertificateOnly counts, by kind, the Pods to which only the rule certificate applies. These
	// are Pods of Jobs, which receive no requests, and of custom kinds.
	CertificateOnly map[string]int `json:"certificateOnly"`
}

// String returns the places of the checked Pods, and the numbers of objects that were not checked.
func (r Report) String() string {
	lines := []string{fmt.Sprintf("checked %d Pod specifications:", len(r.Pods))}
	for _, place := range r.Pods {
		lines = append(lines, "  "+place)
	}
	for _, kind := range slices.Sorted(maps.Keys(r.CertificateOnly)) {
		lines = append(lines, fmt.Sprintf("only the rule certificate was checked in %d of kind %s",
			r.CertificateOnly[kind], kind))
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Without)) {
		lines = append(lines, fmt.Sprintf("no Pod specification in %d of kind %s",
			r.Without[kind], kind))
	}
	return strings.Join(lines, "\n")
}

// Write writes the findings as text, as JSON, or as a YAML stream of the patches.
func (r Report) Write(out io.Writer, format string) error {
	switch format {
	case "json":
		unread := []string{}
		for _, err := range r.Unread {
			unread = append(unread, err.Error())
		}
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(struct {
			Report
			Unread []string `json:"unread"`
		}{r, unread})
	case "patch":
		return writeDocuments(out, r.Patches)
	}
	for _, finding := range r.Findings {
		if _, err := fmt.Fprintln(out, finding); err != nil {
			return err
		}
	}
	return nil
}

func writeDocuments(out io.Writer, objects []map[string]any) error {
	for _, object := range objects {
		text, err := yaml.Marshal(object)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "---\n%s", text); err != nil {
			return err
		}
	}
	return nil
}
