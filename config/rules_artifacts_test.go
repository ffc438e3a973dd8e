package config_test

// artifactRules are cases of wrong artifact sources.
var artifactRules = []rule{
	{"an empty source", one("artifacts", `{"source":" "}`),
		"strata:artifacts.source: is empty; set upstream, or the path of a bundle folder"},
	{"a URL as source", one("artifacts", `{"source":"https://example.org/bundle"}`),
		"strata:artifacts.source: https://example.org/bundle is a URL; " +
			"set upstream, or the path of a bundle folder on this machine"},
}
