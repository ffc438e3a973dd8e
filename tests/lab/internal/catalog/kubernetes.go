package catalog

import "strata/tests/lab/internal/gobuild"

// providerModule is Pulumi's kubernetes provider. Its module was published once, after 4.24.
const providerModule = "github.com/pulumi/pulumi-kubernetes/provider/v4"

const kubernetesOrigin = "real: the provider's module of January 2026, without components, " +
	"with upsertExistingObjects and empty values as in this version"

// kubernetesPlugin returns the official provider of January 2026, with the edits that make it
// behave as the SDK's version, as far as Strata relies on it (tests/conformance).
func kubernetesPlugin() gobuild.Command {
	var edits []gobuild.Edit
	for _, one := range [][][2]string{forSharedVersions, withUpsert, withEmptyValues, withoutComponents} {
		for _, edit := range one {
			edits = append(edits, gobuild.Edit{Module: providerModule, Old: edit[0], New: edit[1]})
		}
	}
	return gobuild.Command{
		Module: "plugins/kubernetes", Packages: []string{providerModule + "/cmd/pulumi-resource-kubernetes"},
		Variables: []string{providerModule + "/pkg/version.Version=" + pluginVersions["kubernetes"]},
		Edits:     edits,
	}
}

// forSharedVersions has the provider compile with the modules that the lab's other commands have,
// and embed the schema as it lies in its module.
var forSharedVersions = [][2]string{
	{`"sigs.k8s.io/structured-merge-diff/v4/fieldpath"`, `"sigs.k8s.io/structured-merge-diff/v6/fieldpath"`},
	{"Provider: pschema.ResourceSpec{", "Provider: &pschema.ResourceSpec{"},
	{"schema-embed.json", "schema.json"},
	{"terraform-mapping-embed.json", "terraform-mapping.json"},
}

// withUpsert has the provider refuse to create an existing object, unless upsertExistingObjects
// says to take it over. That is since 4.29; before, it always took over. A created object belongs
// to a field manager whose fields the first update takes.
var withUpsert = [][2]string{
	{"serverSideApplyMode         bool", "serverSideApplyMode, upsert bool"},
	{
		"enableSecretMutable := func() bool {",
		`k.upsert = os.Getenv("PULUMI_K8S_UPSERT_EXISTING_OBJECTS") == trueStr
	if said, exists := vars["kubernetes:config:upsertExistingObjects"]; exists {
		k.upsert = said == trueStr
	}

	enableSecretMutable := func() bool {`,
	},
	{"ServerSideApply:   k.serverSideApplyMode,", "ServerSideApply: k.serverSideApplyMode, Upsert: k.upsert,"},
	{"ServerSideApply   bool", "ServerSideApply, Upsert bool"},
	{
		"if c.ServerSideApply {\n\t\t\t\tforce := patchForce(c.Inputs, nil, c.Preview)",
		"if c.ServerSideApply && (c.Upsert || kinds.IsPatchResource(c.URN, c.Inputs.GetKind())) {\n" +
			"\t\t\t\tforce := patchForce(c.Inputs, nil, c.Preview)",
	},
	{
		"options := metav1.CreateOptions{\n\t\t\t\t\tFieldManager: c.FieldManager,",
		"options := metav1.CreateOptions{\n\t\t\t\t\tFieldManager: \"pulumi-kubernetes\",",
	},
}

// withEmptyValues has empty lists and nulls arrive at a chart, which is since 4.30.
var withEmptyValues = [][2]string{
	{"SkipNulls: true", "SkipNulls: false"},
	{"SkipNulls:    true", "SkipNulls:    false"},
	{"release.AllowNullValues)", "true)"},
}

// withoutComponents leaves out resources that are made of YAML, charts and kustomizations: with
// them come the SDK for all of Kubernetes' kinds, and Kustomize. The provider calls them unknown.
var withoutComponents = [][2]string{
	{`providerhelmv4 "` + providerModule + `/pkg/provider/helm/v4"`, ""},
	{`providerkustomizev2 "` + providerModule + `/pkg/provider/kustomize/v2"`, ""},
	{`provideryamlv2 "` + providerModule + `/pkg/provider/yaml/v2"`, ""},
	{`"kubernetes:yaml/v2:ConfigFile":     provideryamlv2.NewConfigFileProvider,`, ""},
	{`"kubernetes:yaml/v2:ConfigGroup":    provideryamlv2.NewConfigGroupProvider,`, ""},
	{`"kubernetes:helm.sh/v4:Chart":       providerhelmv4.NewChartProvider,`, ""},
	{`"kubernetes:kustomize/v2:Directory": providerkustomizev2.NewDirectoryProvider,`, ""},
}
