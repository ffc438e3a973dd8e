package pulumitest_test

import (
	"testing"

	"github.com/pulumi/pulumi-command/sdk/go/command/local"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/pulumitest"
)

const command = "command:local:Command"

// pair registers a component with two commands. second depends on first, is deleted with it, and
// reads a secret.
func pair(ctx *pulumi.Context) error {
	parent := &pulumi.ResourceState{}
	if err := ctx.RegisterComponentResource("test:index:Pair", "pair", parent); err != nil {
		return err
	}
	first, err := local.NewCommand(ctx, "first", &local.CommandArgs{Create: pulumi.String("true")},
		pulumi.Parent(parent))
	if err != nil {
		return err
	}
	_, err = local.NewCommand(ctx, "second", &local.CommandArgs{
		Create:      pulumi.String("false"),
		Triggers:    pulumi.Array{pulumi.String("once")},
		Environment: pulumi.StringMap{"KEY": pulumi.ToSecret(pulumi.String("hidden")).(pulumi.StringOutput)},
	}, pulumi.Parent(parent), pulumi.DependsOn([]pulumi.Resource{first}), pulumi.DeletedWith(first),
		pulumi.Timeouts(&pulumi.CustomTimeouts{Create: "5s", Delete: "7s"}),
		pulumi.IgnoreChanges([]string{"stdin"}),
		pulumi.AdditionalSecretOutputs([]string{"stdout"}), pulumi.DeleteBeforeReplace(true))
	return err
}

func run(recorder *pulumitest.Recorder) error {
	return pulumi.RunErr(pair, pulumi.WithMocks("test", "test", recorder))
}

func TestRecorderRecordsEveryEdgeAndOption(t *testing.T) {
	recorder := &pulumitest.Recorder{}
	require.NoError(t, run(recorder))
	resources := recorder.Resources()
	require.Len(t, resources, 3)

	component, second := resources[0], resources[2]
	assert.Equal(t, "test:index:Pair", component.Type)
	assert.False(t, component.Custom)
	assert.Empty(t, component.Parent, "the stack has no children here")

	assert.Equal(t, command, second.Type)
	assert.Equal(t, "second", second.Name)
	assert.True(t, second.Custom)
	assert.Equal(t, "pair", second.Parent)
	assert.Equal(t, []string{"first"}, second.Dependencies)
	assert.True(t, second.DependsOn("first"))
	assert.Equal(t, "first", second.DeletedWith)
	assert.Equal(t, pulumitest.Timeouts{Create: "5s", Delete: "7s"}, second.Timeouts)
	assert.Equal(t, []string{"stdin"}, second.IgnoredChanges)
	assert.Contains(t, second.SecretOutputs, "stdout")
	assert.True(t, second.DeleteFirst)
	assert.Len(t, second.Triggers(), 1)
	assert.Equal(t, 2, second.Order)
}

func TestRecorderDistinguishesSecretAndPlainInputs(t *testing.T) {
	recorder := &pulumitest.Recorder{}
	require.NoError(t, run(recorder))
	second := recorder.Resources()[2]

	value, secret := second.Input("environment")
	assert.True(t, secret)
	assert.Equal(t, "hidden", value.ObjectValue()["KEY"].StringValue())
	_, secret = second.Input("create")
	assert.False(t, secret)
	assert.Equal(t, "false", second.Text("create"))
	assert.Empty(t, second.Text("environment"), "not a text")
	missing, secret := second.Input("stdin")
	assert.True(t, missing.IsNull())
	assert.False(t, secret)
}

func TestRecorderRecordsProviderName(t *testing.T) {
	recorder := &pulumitest.Recorder{}
	err := pulumi.RunErr(func(ctx *pulumi.Context) error {
		provider := &pulumi.ProviderResourceState{}
		if err := ctx.RegisterResource("pulumi:providers:command", "mine", nil,
			provider); err != nil {
			return err
		}
		_, err := local.NewCommand(ctx, "first", &local.CommandArgs{}, pulumi.Provider(provider))
		return err
	}, pulumi.WithMocks("test", "test", recorder))
	require.NoError(t, err)
	assert.Equal(t, "mine", recorder.Resources()[1].Provider)
}

func TestRecorderOmitsFailedResourceAndItsDependents(t *testing.T) {
	for name, test := range map[string]struct {
		fail func(pulumitest.Resource) error
		want []string
	}{
		"by type":    {pulumitest.FailType(command), []string{"pair"}},
		"by name":    {pulumitest.FailName("second"), []string{"pair", "first"}},
		"the first":  {pulumitest.FailNth(command, 1), []string{"pair"}},
		"the second": {pulumitest.FailNth("", 2), []string{"pair", "first"}},
		"all":        {pulumitest.FailAll(), []string{"pair"}},
		"the third":  {pulumitest.FailNth(command, 3), []string{"pair", "first", "second"}},
		"other types": {pulumitest.FailType("command:remote:Command"),
			[]string{"pair", "first", "second"}},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := &pulumitest.Recorder{Fail: test.fail}
			err := run(recorder)
			names := []string{}
			for _, made := range recorder.Resources() {
				names = append(names, made.Name)
			}
			assert.Equal(t, test.want, names)
			if len(test.want) == 3 {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "made to fail")
			}
		})
	}
}

func TestOutputsReachProgram(t *testing.T) {
	recorder := &pulumitest.Recorder{Outputs: func(r pulumitest.Resource) resource.PropertyMap {
		return resource.PropertyMap{"stdout": resource.NewProperty("printed by " + r.Name)}
	}}
	output := make(chan string, 1)
	require.NoError(t, pulumi.RunErr(func(ctx *pulumi.Context) error {
		first, err := local.NewCommand(ctx, "first", &local.CommandArgs{})
		first.Stdout.ApplyT(func(text string) string { output <- text; return text })
		return err
	}, pulumi.WithMocks("test", "test", recorder)))
	assert.Equal(t, "printed by first", <-output)
}

func TestRecorderRefusesInvokes(t *testing.T) {
	_, err := (&pulumitest.Recorder{}).Call(pulumi.MockCallArgs{Token: "pkg:index:get"})
	assert.ErrorContains(t, err, "unexpected invoke of pkg:index:get")
}
