package ci

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const pipelineFile = "../../examples/ci/gitlab.yaml"

// pipeline holds the keys of a .gitlab-ci.yml that the example needs
// (https://docs.gitlab.com/ci/yaml/). Every other top-level key is a job.
type pipeline struct {
	Stages    []string
	Variables map[string]string
	Default   job
	jobs      map[string]job
}

// job has the keywords of a job. A default uses some of them.
type job struct {
	Stage         string
	Image         string
	Tags          []string
	Rules         []rule
	Environment   string
	ResourceGroup string `yaml:"resource_group"`
	Interruptible *bool
	Timeout       string
	BeforeScript  []string `yaml:"before_script"`
	Script        []string
	AfterScript   []string `yaml:"after_script"`
}

// rule decides when a job is part of a pipeline.
type rule struct {
	If, When string
	// Exists are patterns of files. The rule applies if the repository has a match.
	Exists []string
}

var (
	// condition matches a comparison of two variables, or of one with a text
	// (https://docs.gitlab.com/ci/jobs/job_rules/).
	condition = regexp.MustCompile(`^\$[A-Z_]+ (==|!=) (\$[A-Z_]+|"[^"]*")$`)
	duration  = regexp.MustCompile(`^[1-9][0-9]* (minutes?|hours?)$`)
)

// parse parses a pipeline, and reports every unknown keyword.
func parse(text []byte) (pipeline, error) {
	var top map[string]yaml.Node
	if err := yaml.Unmarshal(text, &top); err != nil {
		return pipeline{}, err
	}
	p := pipeline{jobs: map[string]job{}}
	globals := map[string]any{"stages": &p.Stages, "variables": &p.Variables, "default": &p.Default}
	var wrong []error
	for key, value := range top {
		into, global := globals[key]
		one := job{}
		if !global {
			into = &one
		}
		if err := strictly(value, into); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", key, err))
		}
		if !global {
			p.jobs[key] = one
		}
	}
	return p, errors.Join(wrong...)
}

// strictly decodes a value, and refuses unknown keys.
func strictly(value yaml.Node, into any) error {
	text, err := yaml.Marshal(&value)
	if err != nil {
		return err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	return decoder.Decode(into)
}

// check returns faults that GitLab's own linter would report, and faults that let two runs overlap.
func (p pipeline) check() error {
	var wrong []error
	refuse := func(name, format string, args ...any) {
		wrong = append(wrong, fmt.Errorf("%s: %s", name, fmt.Sprintf(format, args...)))
	}
	for name, one := range p.jobs {
		if !slices.Contains(p.Stages, one.Stage) {
			refuse(name, "stage %q is not among %v", one.Stage, p.Stages)
		}
		if len(one.Script) == 0 {
			refuse(name, "has no script")
		}
		if len(one.Rules) == 0 {
			refuse(name, "has no rules: it would run in every pipeline")
		}
		for _, rule := range one.Rules {
			if !condition.MatchString(rule.If) {
				refuse(name, "rule %q is no condition", rule.If)
			}
		}
		if !duration.MatchString(one.Timeout) {
			refuse(name, "timeout %q is no duration", one.Timeout)
		}
		changes := slices.ContainsFunc(one.Script, func(line string) bool {
			return strings.HasPrefix(line, "pulumi up")
		})
		if changes && (one.ResourceGroup == "" || one.Interruptible == nil || *one.Interruptible) {
			refuse(name, "changes the stack, so it must have a resource_group and be interruptible: false")
		}
	}
	return errors.Join(wrong...)
}

func TestGitLabPipelineIsValid(t *testing.T) {
	text, err := os.ReadFile(pipelineFile)
	require.NoError(t, err)
	p, err := parse(text)
	require.NoError(t, err)
	require.NoError(t, p.check())
	require.Len(t, p.jobs, 3)
	for name, one := range p.jobs {
		script := strings.Join(slices.Concat(p.Default.BeforeScript, one.Script,
			p.Default.AfterScript), "\n")
		assert.NoError(t, shellcheck(t, script), name)
	}
}

// shellcheck checks a script for the shell of the image.
func shellcheck(t *testing.T, script string) error {
	t.Helper()
	checker, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Log("not checked: shellcheck is not installed")
		return nil
	}
	command := exec.Command(checker, "--shell=bash", "-")
	command.Stdin = strings.NewReader(script)
	if output, err := command.CombinedOutput(); err != nil {
		return errors.New(string(output))
	}
	return nil
}

func TestInvalidPipelineIsReported(t *testing.T) {
	text, err := os.ReadFile(pipelineFile)
	require.NoError(t, err)
	for name, change := range map[string][2]string{
		"an unknown keyword":   {"resource_group:", "resource-group:"},
		"a stage that is none": {"stage: up", "stage: deploy"},
		"a rule that is no condition": {`$CI_PIPELINE_SOURCE == "merge_request_event"`,
			`CI_PIPELINE_SOURCE = merge_request_event`},
		"a key that is written twice": {"  stage: preview\n",
			"  stage: preview\n  stage: preview\n"},
		"two ups at the same time":               {"  resource_group: production\n", ""},
		"an up that a newer pipeline interrupts": {"interruptible: false", "interruptible: true"},
		"a script that is a key": {"  script:\n    - make",
			"  scripts:\n    - make"},
		"a timeout without a unit": {"2 hours", "2h!"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, string(text), change[0])
			p, err := parse([]byte(strings.Replace(string(text), change[0], change[1], 1)))
			assert.Error(t, errors.Join(err, p.check()))
		})
	}
	if _, err := exec.LookPath("shellcheck"); err == nil {
		assert.Error(t, shellcheck(t, "install -m 600 $SSH_KEY ~/.ssh/id_ed25519"))
	}
}
