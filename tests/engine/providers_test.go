package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"strata/tests/pulumitest"
)

// sdks maps the program's packages to their Go modules, whose versions select the plugins.
var sdks = map[tokens.Package]string{
	"command":    "github.com/pulumi/pulumi-command/sdk",
	"random":     "github.com/pulumi/pulumi-random/sdk/v4",
	"kubernetes": "github.com/pulumi/pulumi-kubernetes/sdk/v4",
}

// loaders returns loaders of the fake providers, which use gRPC like real plugins. Without gRPC,
// the engine treats a provider's unknown configuration differently.
func loaders(t *testing.T, w *world, answers *pulumitest.Answers) []*deploytest.ProviderLoader {
	t.Helper()
	var list []*deploytest.ProviderLoader
	load := func(pkg tokens.Package, version string) {
		list = append(list,
			deploytest.NewProviderLoader(pkg, semver.MustParse(version), func() (plugin.Provider, error) {
				return newProvider(pkg, w, answers), nil
			}, deploytest.WithGrpc))
	}
	for pkg, module := range sdks {
		load(pkg, moduleVersion(t, module))
	}
	load("kubernetes", "4.30.0") // named in the kept states
	return list
}

// newProvider returns a fake provider whose actions change the world. Its Diff answers like that of
// the real provider.
func newProvider(pkg tokens.Package, w *world, answers *pulumitest.Answers) *deploytest.Provider {
	outputs := func(urn resource.URN, inputs resource.PropertyMap, preview bool) resource.PropertyMap {
		out := answers.Outputs(
			pulumitest.Resource{Type: string(urn.Type()), Name: urn.Name(), Custom: true, Inputs: inputs})
		if preview {
			for key := range out {
				if _, given := inputs[key]; !given {
					out[key] = resource.MakeComputed(resource.NewProperty(""))
				}
			}
		}
		return out
	}
	upsert := false
	provider := &deploytest.Provider{Package: pkg, Name: string(pkg), DiffF: diff}
	provider.CreateF = func(_ context.Context, req plugin.CreateRequest) (plugin.CreateResponse, error) {
		inputs := resource.ToResourcePropertyMap(req.Properties)
		made := outputs(req.URN, inputs, req.Preview)
		response := plugin.CreateResponse{Properties: resource.FromResourcePropertyMap(made), Status: resource.StatusOK}
		if req.Preview {
			return response, nil
		}
		response.ID = resource.ID(req.Name + "-id")
		if inputs.HasValue("keepers") { // other keepers give another value
			made["hex"] = resource.NewProperty(fmt.Sprintf("%08x", w.count()))
		}
		err := w.do("create", req.URN, inputs, func() error {
			w.drawn(req.URN, made)
			return w.exists(objectOf(req.URN, inputs), upsert || w.upserts, inputs)
		})
		response.Properties = resource.FromResourcePropertyMap(made)
		return response, err
	}
	provider.UpdateF = func(_ context.Context, req plugin.UpdateRequest) (plugin.UpdateResponse, error) {
		inputs, before := resource.ToResourcePropertyMap(req.NewInputs), resource.ToResourcePropertyMap(req.OldOutputs)
		made := outputs(req.URN, inputs, req.Preview)
		response := plugin.UpdateResponse{Properties: resource.FromResourcePropertyMap(made), Status: resource.StatusOK}
		if req.Preview {
			return response, nil
		}
		err := w.do("update", req.URN, inputs, func() error {
			w.drawn(req.URN, made)
			if pkg == "command" && !inputs.HasValue("create") && !inputs.HasValue("update") {
				made["stdout"] = before["stdout"] // its command did not run
			}
			if drawn, once := before["result"]; once {
				made["result"] = drawn
			}
			return nil
		})
		response.Properties = resource.FromResourcePropertyMap(made)
		return response, err
	}
	provider.DeleteF = w.deletes(pkg)
	if pkg == "kubernetes" {
		provider.ReadF = w.read
		provider.DiffConfigF = diffConfig
		provider.ConfigureF = func(_ context.Context, req plugin.ConfigureRequest) (plugin.ConfigureResponse, error) {
			upsert = enabled(resource.ToResourcePropertyMap(req.Inputs)["upsertExistingObjects"])
			return plugin.ConfigureResponse{}, nil
		}
	}
	return provider
}

// deletes returns the function Delete for the provider of a package.
func (w *world) deletes(pkg tokens.Package) func(context.Context, plugin.DeleteRequest) (plugin.DeleteResponse, error) {
	return func(_ context.Context, req plugin.DeleteRequest) (plugin.DeleteResponse, error) {
		inputs := resource.ToResourcePropertyMap(req.Inputs)
		err := w.do("delete", req.URN, inputs, func() error {
			delete(w.objects, objectOf(req.URN, inputs))
			return nil
		})
		if _, runs := inputs["delete"]; pkg == "random" || pkg == "command" && !runs {
			w.forgotten(req.URN.Name())
		}
		return plugin.DeleteResponse{Status: resource.StatusOK}, err
	}
}

// diff answers like infer.Provider of pulumi-go-provider, which the command plugin uses. It
// compares path by path, so the SDK's own replaceOnChanges of triggers[*] matches nothing if a
// whole list changes. Another name replaces an object, and other keepers replace a random value.
func diff(_ context.Context, req plugin.DiffRequest) (plugin.DiffResult, error) {
	result := plugin.DiffResult{Changes: plugin.DiffNone, DetailedDiff: map[string]plugin.PropertyDiff{}}
	before, after := resource.ToResourcePropertyMap(req.OldInputs), resource.ToResourcePropertyMap(req.NewInputs)
	changed := before.Diff(after)
	if changed == nil {
		return result, nil
	}
	moved := objectOf(req.URN, before) != objectOf(req.URN, after)
	for path, one := range plugin.NewDetailedDiffFromObjectDiff(changed, true) {
		parsed, err := resource.ParsePropertyPath(path)
		if err != nil {
			return result, err
		}
		key := resource.PropertyKey(parsed[0].(string))
		if ignored(req.IgnoreChanges, string(key)) {
			continue
		}
		result.Changes = plugin.DiffSome
		result.ChangedKeys = append(result.ChangedKeys, key)
		if key == "keepers" || moved {
			one.Kind = one.Kind.AsReplace()
			result.ReplaceKeys = append(result.ReplaceKeys, key)
		}
		result.DetailedDiff[path] = one
	}
	return result, nil
}

// enabled returns the value of a provider's boolean setting, which may be a text.
func enabled(value resource.PropertyValue) bool {
	return value.IsBool() && value.BoolValue() || value.IsString() && value.StringValue() == "true"
}

func ignored(keys []string, key string) bool {
	for _, one := range keys {
		if one == key {
			return true
		}
	}
	return false
}

// diffConfig answers like pulumi-kubernetes 4. An unchanged clusterIdentifier keeps the provider
// with every kubeconfig. A changed one replaces the provider. Without a clusterIdentifier, an
// unknown kubeconfig replaces the provider.
func diffConfig(_ context.Context, req plugin.DiffConfigRequest) (plugin.DiffConfigResponse, error) {
	const identifier, kubeconfig = resource.PropertyKey("clusterIdentifier"), resource.PropertyKey("kubeconfig")
	result := plugin.DiffResult{Changes: plugin.DiffNone}
	olds, news := resource.ToResourcePropertyMap(req.OldInputs), resource.ToResourcePropertyMap(req.NewInputs)
	if changed := olds.Diff(news); changed != nil {
		result.Changes = plugin.DiffSome
		result.ChangedKeys = changed.ChangedKeys()
	}
	before, after := olds[identifier], news[identifier]
	switch {
	case before.IsString() && after.IsString() && before.StringValue() == after.StringValue():
	case before.IsString() || after.IsString():
		result.ReplaceKeys = []resource.PropertyKey{identifier}
	case news[kubeconfig].ContainsUnknowns():
		result.ReplaceKeys = []resource.PropertyKey{kubeconfig}
	}
	return result, nil
}
