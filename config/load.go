package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	kjson "sigs.k8s.io/json"
)

const (
	// Namespace is the prefix of every configuration key: the Pulumi project's name.
	Namespace = "strata"
	// ArtifactsVariable overrides strata:artifacts.source.
	ArtifactsVariable = "STRATA_ARTIFACTS"
	// MachineImageVariable overrides strata:artifacts.machineImage.
	MachineImageVariable = "STRATA_MACHINE_IMAGE"
	// MirrorVariable overrides strata:artifacts.mirror.
	MirrorVariable = "STRATA_MIRROR"
	// SkipFinalWaitVariable overrides strata:apps.validate: true means skip, false full.
	SkipFinalWaitVariable = "SKIP_FINAL_WAIT"
	// Wave2TimeoutVariable overrides strata:timeouts.apply, in seconds.
	Wave2TimeoutVariable = "WAVE2_TIMEOUT"
)

// Sections returns the names of the configuration's sections, sorted.
func Sections() []string {
	return slices.Sorted(maps.Keys(fieldsOf(reflect.TypeFor[Config]())))
}

// Load makes the configuration of a stack from its raw sections, which map a section's name,
// without the namespace, to JSON text. It fills in defaults and validates the result. The error
// joins one Problem per mistake, sorted by key.
func Load(stack string, raw map[string]string, getenv func(string) string) (*Config, error) {
	return load(stack, raw, getenv, decoder{})
}

func load(
	stack string, raw map[string]string, getenv func(string) string, d decoder,
) (*Config, error) {
	cfg := defaults()
	cfg.Stack = stack
	if d.program && leavesCluster(raw) {
		cfg.leaveCluster()
	}
	tree := reflect.ValueOf(cfg).Elem()
	fields := fieldsOf(tree.Type())
	for _, section := range slices.Sorted(maps.Keys(raw)) {
		key := Namespace + ":" + section
		if index, known := fields[section]; known {
			d.section(key, raw[section], tree.Field(index))
			continue
		}
		if strings.ContainsAny(section, ".[") {
			d.problems.add(key, "", "has a path in its name, and so sets no key of a section",
				fixPath(key, Namespace+":"+strings.TrimPrefix(section, Namespace+".")))
			continue
		}
		given := func(other string) bool { _, there := raw[other]; return there }
		d.unknown(Namespace+":", section, "section", Sections(), given)
	}
	if d.adjust != nil {
		d.adjust(cfg)
	}
	plain := slices.Concat(d.plainSecrets(tree), d.plainMirror(cfg.Artifacts.Mirror),
		d.plainProxy(cfg.K3s.Proxy))
	cfg.Artifacts.Mirror = cmp.Or(getenv(MirrorVariable), cfg.Artifacts.Mirror)
	cfg.Artifacts.Source = cmp.Or(getenv(ArtifactsVariable), cfg.Artifacts.Source)
	cfg.Artifacts.MachineImage = cmp.Or(getenv(MachineImageVariable), cfg.Artifacts.MachineImage)
	cfg.derive()
	overriding := cfg.override(getenv)
	if cluster := Namespace + ":cluster"; !cfg.OnExistingCluster() && d.blames(cluster) {
		d.unread = append(d.unread, Namespace+":hosts") // which a cluster that could be read might stand for
	}

	// Skip problems of keys that could not be read: they may be false.
	found := slices.Concat(d.problems, overriding, plain)
	for _, p := range cfg.check() {
		if !d.blames(p.Key) {
			found = append(found, p)
		}
	}
	if err := found.err(); err != nil {
		return nil, err
	}
	return cfg, nil
}

// section decodes the JSON text of one section.
func (d *decoder) section(key, text string, into reflect.Value) {
	if strings.TrimSpace(text) == "" {
		return
	}
	twice, _ := kjson.UnmarshalStrict([]byte(text), new(any), kjson.DisallowDuplicateFields)
	for _, one := range twice { // none in a text that is not JSON
		d.problems.add(key, "", "is a text of JSON with a "+one.Error(), "keep one of the two")
	}
	d.decode(key, valueOf(text), into)
}

// valueOf parses the text of a section as JSON, with numbers as json.Number. It returns a text that
// is not JSON unchanged.
func valueOf(text string) (value any) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	err := decoder.Decode(&value)
	if _, next := decoder.Token(); err != nil || next != io.EOF {
		return text
	}
	return value
}

// field returns a key path below the namespace, for example strata:hosts.nodes[0].name.
func field(format string, args ...any) string {
	return Namespace + ":" + fmt.Sprintf(format, args...)
}
