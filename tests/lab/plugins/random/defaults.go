package main

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// textDefaults are what absent inputs of a password mean.
var textDefaults = map[string]property.Value{
	"lower": property.New(true), "upper": property.New(true),
	"numeric": property.New(true), "special": property.New(true),
	"minLower": property.New(0.0), "minUpper": property.New(0.0),
	"minNumeric": property.New(0.0), "minSpecial": property.New(0.0),
}

// diffOf compares what inputs mean: saying the default, or nothing by an empty
// map of keepers, changes nothing.
func diffOf(next func(context.Context, p.DiffRequest) (p.DiffResponse, error)) func(
	context.Context, p.DiffRequest,
) (p.DiffResponse, error) {
	return func(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
		req.OldInputs, req.Inputs = meaning(req.OldInputs), meaning(req.Inputs)
		return next(ctx, req)
	}
}

func meaning(inputs property.Map) property.Map {
	if keepers := inputs.Get("keepers"); keepers.IsMap() && keepers.AsMap().Len() == 0 {
		inputs = inputs.Delete("keepers")
	}
	if _, isText := inputs.GetOk("length"); !isText {
		return inputs
	}
	if number, ok := inputs.GetOk("number"); ok {
		inputs = inputs.Delete("number")
		if _, both := inputs.GetOk("numeric"); !both {
			inputs = inputs.Set("numeric", number)
		}
	}
	for key, value := range textDefaults {
		if _, said := inputs.GetOk(key); !said {
			inputs = inputs.Set(key, value)
		}
	}
	return inputs
}
