package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/config"
)

func TestProblemHidesLoginOfURL(t *testing.T) {
	for _, value := range []string{
		"https://me:hunter2@git.example.org/p.git", "https://hunter2@git.example.org/p.git",
		"https://me:hunter2/@git.example.org/p.git",
	} {
		problem := config.Problem{Key: "strata:argocd.root.repoURL", Value: value, Rule: "needs Argo CD"}
		assert.EqualError(t, problem,
			"strata:argocd.root.repoURL: https://…@git.example.org/p.git needs Argo CD")
	}
}
