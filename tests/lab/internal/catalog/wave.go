package catalog

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"strata/tests/lab/internal/build"
	"strata/tests/lab/internal/chart"
	"strata/tests/lab/internal/gobuild"
)

// WaveSource is the environment variable that names a checkout of Wave's repository. Without it,
// the bundle has no Wave, because Wave is not published as a module.
const WaveSource = "STRATA_WAVE_SOURCE"

const waveFile = "wave-" + waveChartVersion + ".tgz"

func waveSource() (string, bool) {
	dir := os.Getenv(WaveSource)
	return dir, dir != ""
}

// waveSteps returns the steps that compile Wave and package its chart; none without
// $STRATA_WAVE_SOURCE.
func waveSteps() []build.Step {
	dir, there := waveSource()
	if !there {
		return nil
	}
	command := gobuild.Command{Module: dir, Packages: []string{"./cmd/manager"}, Output: "wave"}
	charts := filepath.Join(dir, "charts", "wave")
	return []build.Step{
		{
			Name: stepWave, Key: command.Key,
			Run: func(ctx context.Context, out string, _ build.Outputs, log io.Writer) error {
				return command.Build(ctx, out, log)
			},
		},
		{
			Name: stepWaveChart,
			Key: func() (string, error) {
				sum, err := build.DigestTree(charts)
				return build.Digest("wave chart 1", waveChartVersion, sum), err
			},
			Run: func(_ context.Context, out string, _ build.Outputs, _ io.Writer) error {
				return chart.Package(charts, waveChartVersion, filepath.Join(out, waveFile))
			},
		},
	}
}

// waveArchives returns Wave's image; none without $STRATA_WAVE_SOURCE.
func waveArchives() []archive {
	if _, there := waveSource(); !there {
		return nil
	}
	return []archive{{
		step: stepWave, binary: "wave", reference: "quay.io/wave-k8s/wave:v" + waveVersion,
		user: 1000, version: waveVersion,
		origin: "real: Wave from a checkout of its repository",
	}}
}

// waveItems returns Wave's chart; none without $STRATA_WAVE_SOURCE.
func waveItems() []item {
	if _, there := waveSource(); !there {
		return nil
	}
	return []item{{stepWaveChart, waveFile, stepWaveChart, waveChartVersion, "charts/" + waveFile,
		"real: Wave's chart from a checkout of its repository"}}
}
