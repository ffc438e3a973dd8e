package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// FromPulumi makes the configuration of the stack that Pulumi is running. Its error never shows
// values of secret sections.
func FromPulumi(ctx *pulumi.Context) (*Config, error) { return fromPulumi(ctx, decoder{}) }

func fromPulumi(ctx *pulumi.Context, d decoder) (*Config, error) {
	raw, strangers, err := rawSections(ctx.Project(), d.program, os.Getenv(pulumi.EnvConfig))
	if err != nil {
		return nil, err
	}
	// The context returns only keys that the program requests. It answers for known sections.
	// Unknown ones come from the variable in which the language host passes the whole
	// configuration.
	for _, section := range Sections() {
		delete(raw, section)
		if text, ok := ctx.GetConfig(Namespace + ":" + section); ok {
			raw[section] = text
		}
	}
	written := checkOwnFile(ctx.Project(), ctx.RootDirectory(), ctx.Stack())
	d.problems, d.secret = slices.Concat(written, strangers), ctx.IsConfigSecret
	cfg, err := load(ctx.Stack(), raw, os.Getenv, d)
	if err != nil {
		return nil, fmt.Errorf("configuration of stack %s:\n%w", ctx.Stack(),
			redact(err, ctx.IsConfigSecret))
	}
	if err := cfg.CheckEnvironment(os.Getenv); err != nil {
		return nil, fmt.Errorf("environment of stack %s:\n%w", ctx.Stack(), err)
	}
	return cfg, nil
}

// rawSections selects Strata's sections from a whole configuration: a JSON object that maps full
// keys to texts. It reports keys that are meant for Strata but are not read.
func rawSections(project string, program bool, text string) (
	map[string]string, problems, error,
) {
	whole := map[string]string{}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &whole); err != nil {
			return nil, nil, fmt.Errorf("%s is not a JSON object of texts: %w",
				pulumi.EnvConfig, err)
		}
	}
	sections, strangers := selectSections(project, program, whole)
	return sections, strangers, nil
}

// redact replaces the values of problems in secret sections by [secret].
func redact(err error, secret func(key string) bool) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var redacted problems
	for _, one := range joined.Unwrap() {
		var p Problem
		if !errors.As(one, &p) {
			return err
		}
		if p.Value != "" && secret(sectionOf(p.Key)) {
			p.Value = "[secret]"
		}
		redacted = append(redacted, p)
	}
	return redacted.err()
}
