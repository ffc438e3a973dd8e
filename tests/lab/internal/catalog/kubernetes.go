package catalog

import "strata/tests/lab/internal/gobuild"

// providerModule is the module of Pulumi's Kubernetes provider. Its only published version is of
// January 2026, between 4.24 and 4.26.
const providerModule = "github.com/pulumi/pulumi-kubernetes/provider/v4"

const kubernetesOrigin = "real: the provider's module of January 2026, without components, " +
	"with upsertExistingObjects and empty values as in this version"

// kubernetesPlugin returns the official provider of January 2026 with edits. The edits make it
// behave like the version that the SDK requires, as far as Strata relies on it (tests/conformance).
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

// forSharedVersions makes the provider compile with the module versions of the lab's other
// commands. It also embeds the schema file that the module contains.
var forSharedVersions = [][2]string{
	{`"sigs.k8s.io/structured-merge-diff/v4/fieldpath"`, `"sigs.k8s.io/structured-merge-diff/v6/fieldpath"`},
	{"Provider: pschema.ResourceSpec{", "Provider: &pschema.ResourceSpec{"},
	{"schema-embed.json", "schema.json"},
	{"terraform-mapping-embed.json", "terraform-mapping.json"},
}

// withUpsert makes the provider reject the creation of an existing object, unless
// upsertExistingObjects is set. The official provider does so since 4.29. Older versions always
// took over the existing object.
//
// The fields of a created object have the field manager pulumi-kubernetes until the first update.
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

// withEmptyValues passes empty lists and nulls to a chart, as the official provider does since
// 4.30.
var withEmptyValues = [][2]string{
	{"SkipNulls: true", "SkipNulls: false"},
	{"SkipNulls:    true", "SkipNulls:    false"},
	{"release.AllowNullValues)", "true)"},
}

// withoutComponents removes the component resources that consist of YAML, charts and
// kustomizations. Their code imports the SDK of all Kubernetes kinds, and Kustomize. The edited
// provider rejects these resources as unknown.
var withoutComponents = [][2]string{
	{`providerhelmv4 "` + providerModule + `/pkg/provider/helm/v4"`, ""},
	{`providerkustomizev2 "` + providerModule + `/pkg/provider/kustomize/v2"`, ""},
	{`provideryamlv2 "` + providerModule + `/pkg/provider/yaml/v2"`, ""},
	{`"kubernetes:yaml/v2:ConfigFile":     provideryamlv2.NewConfigFileProvider,`, ""},
	{`"kubernetes:yaml/v2:ConfigGroup":    provideryamlv2.NewConfigGroupProvider,`, ""},
	{`"kubernetes:helm.sh/v4:Chart":       providerhelmv4.NewChartProvider,`, ""},
	{`"kubernetes:kustomize/v2:Directory": providerkustomizev2.NewDirectoryProvider,`, ""},
}
