package engine_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	pkgworkspace "github.com/pulumi/pulumi/pkg/v3/workspace"
	"github.com/pulumi/pulumi/sdk/v3/go/common/esc"
	sdkconfig "github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/tests/pulumitest"
)

// asProgram reads the stack file as the program does: the engine merges, checks and decrypts the
// file, and passes a text for each key (pulumi/pulumi/pkg/backend/httpstate and diy).
func asProgram(t *testing.T, s pulumitest.StackFile) (*config.Config, error) {
	t.Helper()
	path, err := workspace.DetectProjectPathFrom(s.Folder)
	require.NoError(t, err)
	project, err := workspace.LoadProject(path)
	require.NoError(t, err)
	read, err := workspace.LoadProjectStack(nil, project, s.File)
	if err != nil {
		return nil, err
	}
	crypter := sdkconfig.Base64Crypter
	err = pkgworkspace.ValidateStackConfigAndApplyProjectConfig(
		t.Context(), "dev", project, esc.Value{}, read.Config, crypter, crypter)
	if err != nil {
		return nil, err
	}
	texts, err := read.Config.Decrypt(crypter)
	require.NoError(t, err)
	whole := map[string]string{}
	var secret []string
	for key, text := range texts {
		whole[key.String()] = text
		if read.Config[key].Secure() {
			secret = append(secret, key.String())
		}
	}
	return s.FromEngine(t, string(project.Name), whole, secret...)
}

// meanings has stack files that are easily misread, with one expected value for each.
var meanings = map[string]struct {
	project, config string
	says            func(t *testing.T, cfg *config.Config)
}{
	"words that YAML 1.1 takes for booleans": {"",
		"  strata:apps: {workloads: [{name: a, image: a.example.org/a:1, env: {COUNTRY: NO, A: " +
			"y, B: on, C: off, D: yes}}]}\n",
		func(t *testing.T, cfg *config.Config) {
			t.Helper()
			assert.Equal(t, map[string]string{"COUNTRY": "NO", "A": "y", "B": "on", "C": "off",
				"D": "yes"},
				cfg.Apps.Workloads[0].Env)
		}},
	"a section as JSON": {"", "  strata:traefik: '{\"replicas\": 3}'\n",
		func(t *testing.T, cfg *config.Config) {
			t.Helper()
			assert.Equal(t, 3, cfg.Traefik.Replicas)
		}},
	"a merge key with an override": {"",
		"  strata:traefik: &base {replicas: 3, externalTrafficPolicy: Local}\n  strata:apisix: " +
			"{<<: *base, replicas: 2}\n",
		func(t *testing.T, cfg *config.Config) {
			t.Helper()
			assert.Equal(t, 2, cfg.APISIX.Replicas)
			assert.Equal(t, config.TrafficPolicy("Local"), cfg.APISIX.ExternalTrafficPolicy)
		}},
	"the project's default": {"config: {strata:metallb: {type: object, default: {addresses: [10.0.0.1-10.0.0.9]}}}\n",
		"", func(t *testing.T, cfg *config.Config) {
			t.Helper()
			assert.Equal(t, []string{"10.0.0.1-10.0.0.9"}, cfg.MetalLB.Addresses)
		}},
	"the project's default, replaced": {
		"config: {strata:traefik: {type: object, default: {replicas: 3}}}\n",
		"  strata:traefik: {dashboard: false}\n",
		func(t *testing.T, cfg *config.Config) {
			t.Helper()
			assert.Equal(t, 2, cfg.Traefik.Replicas,
				"a section of the stack's replaces the project's as a whole")
		}},
	"a key without namespace": {"", "  traefik: {replicas: 3}\n",
		func(t *testing.T, cfg *config.Config) {
			t.Helper()
			assert.Equal(t, 3, cfg.Traefik.Replicas)
		}},
	"numbers": {"",
		"  strata:traefik: {values: {a: 0x1F, b: 010, c: 1.10, d: 1e3, e: 12345678901, f: 2001-01-01, g: 1_000}}\n",
		func(t *testing.T, cfg *config.Config) {
			t.Helper()
			assert.Equal(t,
				map[string]any{"a": int64(31), "b": int64(8), "c": 1.1, "d": int64(1000),
					"e": int64(12345678901),
					"f": "2001-01-01 00:00:00 +0000 UTC", "g": int64(1000)},
				cfg.Traefik.Values.Tree)
		}},
	"nothing": {"", "  strata:traefik:\n  strata:apisix: {}\n  strata:verify: off\n",
		func(t *testing.T, cfg *config.Config) {
			t.Helper()
			assert.False(t, bool(cfg.Verify))
		}},
	// The decrypted text is "[secret]", as commands replace each encrypted text by it.
	"encrypted texts": {"",
		"  strata:argocd: {values: {a: {secure: W3NlY3JldF0=}}}\n  strata:apps: {workloads: " +
			"[{name: a, image: a.example.org/a:1, secretEnv: {A: {secure: W3NlY3JldF0=}}}]}\n",
		func(t *testing.T, cfg *config.Config) {
			t.Helper()
			assert.True(t, cfg.ArgoCD.Values.Secret)
		}},
	"keys of providers": {"",
		"  aws:region: eu-west-1\n  kubernetes:context: other\n  strata:config:traefik: {replicas: 3}\n",
		func(t *testing.T, cfg *config.Config) {
			t.Helper()
			assert.Equal(t, 3, cfg.Traefik.Replicas, "an older form of a key")
		}},
}

// TestCommandsAndProgramReadStackFilesAlike reads each file both as a command and as the program.
func TestCommandsAndProgramReadStackFilesAlike(t *testing.T) {
	for name, test := range meanings {
		t.Run(name, func(t *testing.T) {
			s := pulumitest.NewStackFile(t, test.project, test.config)
			file, err := s.Read()
			require.NoError(t, err)
			program, err := asProgram(t, s)
			require.NoError(t, err)
			assert.Equal(t, program, file)
			test.says(t, file)
		})
	}
}

// TestCommandsAndProgramAcceptKeysOfUserProgram reads a stack file of a user's program. Its keys
// have the names of Strata's sections, and the project's name may resemble Strata's.
func TestCommandsAndProgramAcceptKeysOfUserProgram(t *testing.T) {
	for _, name := range []string{"own", "stratus"} {
		s := pulumitest.NewStackFile(t, "", "  "+name+":hosts: {a: 1}\n  traefik: big\n")
		s.Rename(t, name)
		s.Own = true
		file, err := s.Read()
		require.NoError(t, err)
		program, err := asProgram(t, s)
		require.NoError(t, err)
		assert.Equal(t, program, file)
	}
}

// TestCommandsAndProgramReadRepositoryStackFilesAlike reads every stack file of the repository both
// as a command and as the program.
func TestCommandsAndProgramReadRepositoryStackFilesAlike(t *testing.T) {
	var files []string
	require.NoError(t, filepath.WalkDir(pulumitest.Root,
		func(path string, entry fs.DirEntry, err error) error {
			if entry != nil && entry.IsDir() && strings.HasPrefix(entry.Name(), ".") &&
				len(entry.Name()) > 2 {
				return fs.SkipDir
			}
			if matched, _ := filepath.Match("Pulumi.*.yaml", filepath.Base(path)); matched {
				files = append(files, path)
			}
			return err
		}))
	require.GreaterOrEqual(t, len(files), 5)
	for _, path := range files {
		t.Run(path, func(t *testing.T) {
			s := pulumitest.StackFile{Folder: filepath.Dir(path), File: path}
			file, err := s.Read()
			require.NoError(t, err)
			program, err := asProgram(t, s)
			require.NoError(t, err)
			assert.Equal(t, program, file)
		})
	}
}

// TestCommandsAndProgramRejectInvalidStackFiles reads files that both a command and the program
// must refuse.
func TestCommandsAndProgramRejectInvalidStackFiles(t *testing.T) {
	cases := map[string]struct{ project, config, want string }{
		"a key in two forms": {"", "  traefik: {replicas: 3}\n  strata:traefik: {replicas: 3}\n",
			"strata:traefik: is written twice, as strata:traefik and as traefik; keep one of them"},
		"a key twice": {"", "  strata:k3s: {}\n  strata:k3s: {}\n",
			`mapping key "strata:k3s" already defined`},
		"near the project's name": {"", "  stata:traefik: {replicas: 3}\n",
			"stata:traefik: is not read: Strata's keys begin with strata:; did you mean strata:traefik?"},
		"in other case": {"", "  Strata:traefik: {}\n",
			"Strata:traefik: is not read: Strata's keys begin with strata:; did you mean strata:traefik?"},
		"a path that was set without --path": {"", "  strata:traefik.replicas: 3\n",
			"strata:traefik.replicas: has a path in its name, and so sets no key of a section; " +
				"take it out and set it by its path: pulumi config rm 'strata:traefik.replicas'; " +
				"pulumi config set --path 'strata:traefik.replicas' VALUE"},
		"a list's path": {"", "  strata:metallb[0]: 3\n",
			"strata:metallb[0]: has a path in its name"},
		"an unknown section": {"", "  strata:trafik: {replicas: 3}\n",
			"strata:trafik: is not a known section; did you mean traefik?"},
		"a value that is missing": {"config: {other: {type: string}}\n", "", "is missing"},
		"a value in plain": {
			"config: {strata:traefik: {type: object, secret: true, default: {}}}\n",
			"  strata:traefik: {}\n", "must be encrypted as it's secret"},
		"a type of Pulumi's": {"config: {strata:traefik: {type: object, default: {}}}\n",
			"  strata:traefik:\n", "must be of type 'object'"},
		"a number for a text": {"", "  strata:traefik: {values: [1]}\n",
			"strata:traefik.values: is not an object"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			s := pulumitest.NewStackFile(t, test.project, test.config)
			_, err := s.Read()
			require.ErrorContains(t, err, test.want)
			_, err = asProgram(t, s)
			assert.ErrorContains(t, err, test.want)
		})
	}
}
