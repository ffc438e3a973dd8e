package build

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sim simulates a run. The parts run in their order, two at a time, on a varying number of cores.
// Parts that mostly wait start at once.
type sim struct {
	// cost returns a part's processor seconds, given its expected seconds.
	cost func(name string, weight float64) float64
	// cores returns the number of cores that the run gets, given the seconds since its start.
	cores func(at float64) float64
}

// table returns parts whose costs vary as much as the lab's: one takes 15 minutes, a few take
// minutes, and many take seconds.
func table() (weights Weights, order []string) {
	weights = Weights{}
	for i, seconds := range []float64{330, 40, 200, 20, 180, 90, 900, 160, 210, 60, 180, 450, 110,
		230, 140, 350, 2, 2, 5, 1, 3, 2, 4, 2} {
		name := fmt.Sprintf("part-%d", i)
		weights[name] = Weight{Processor: seconds}
		order = append(order, name)
	}
	weights["image"] = Weight{Processor: 60, Wall: 90}
	return weights, append(order, "image")
}

// run returns the record of a simulated run, with a sample every five seconds.
func (s sim) run(weights Weights, order []string) *Record {
	const step, every = 0.1, 50
	record := &Record{Cores: 2}
	left := map[string]float64{}
	for _, name := range order {
		left[name] = s.cost(name, weights[name].Processor)
		record.Parts = append(record.Parts, Part{Name: name, Beside: weights[name].Wall > 0})
	}
	processor := 0.0
	for tick := 1; ; tick++ {
		at := float64(tick) * step
		var running []*Part
		places := 2
		for i := range record.Parts {
			part := &record.Parts[i]
			if part.Ended != 0 || !part.Beside && places == 0 {
				continue
			}
			if !part.Beside {
				places--
			}
			if part.Began == 0 {
				part.Began = at
			}
			running = append(running, part)
		}
		if len(running) == 0 {
			return record
		}
		for _, part := range running {
			used := s.cores(at) * step / float64(len(running))
			part.Processor, processor = part.Processor+used, processor+used
			if left[part.Name] -= used; left[part.Name] <= 0 {
				part.Ended = at
			}
		}
		if tick%every == 0 {
			record.Samples = append(record.Samples, Sample{At: at, Processor: processor})
		}
	}
}

// worst returns the largest relative error of a record's estimates after the time from, and at
// which fraction of the run it occurred. It ignores the first tenth of the run, and errors of up to
// slack seconds: near the end, even a short delay is a large relative error.
func worst(weights Weights, record *Record, from, slack float64) (off, at float64) {
	end := 0.0
	for _, part := range record.Parts {
		end = max(end, part.Ended)
	}
	for _, sample := range record.Samples {
		left := end - sample.At
		if sample.At < max(from, end/10) || left <= 0 {
			continue
		}
		if now := (math.Abs(weights.Rest(record.Moment(sample.At))-left) - slack) / max(left, slack); now > off {
			off, at = now, sample.At/end
		}
	}
	return off, at
}

func always(cores float64) func(float64) float64 { return func(float64) float64 { return cores } }

func times(factor float64) func(string, float64) float64 {
	return func(_ string, weight float64) float64 { return factor * weight }
}

func TestEstimateOfSimulatedBuildIsWithin30Percent(t *testing.T) {
	for name, c := range map[string]struct {
		sim
		from float64
	}{
		"costs as measured":                         {sim{times(1), always(1.95)}, 0},
		"half of the cores, beside other processes": {sim{times(1), always(0.9)}, 0},
		"a slower machine":                          {sim{times(2.2), always(1.95)}, 0},
		"a faster machine":                          {sim{times(0.4), always(1.95)}, 0},
		"four cores":                                {sim{times(1), always(3.6)}, 0},
		"three minutes after other processes ended": {sim{times(1),
			func(at float64) float64 { return map[bool]float64{true: 0.9, false: 1.95}[at < 600] }},
			780},
		"uneven parts": {sim{func(name string, weight float64) float64 {
			return weight * (0.85 + 0.3*float64(name[len(name)-1]%2))
		}, always(1.95)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			weights, order := table()
			off, at := worst(weights, c.run(weights, order), c.from, 30)
			t.Logf("off by %.0f %% at %.0f %% of the run", 100*off, 100*at)
			assert.Less(t, off, 0.3)
		})
	}
}

// alone returns a recorded run as if it had run alone on one core: it replaces elapsed times by
// processor times. So other processes, which an estimate cannot foresee, have no effect.
func alone(record *Record) *Record {
	clock := func(at float64) float64 {
		before := Sample{}
		for _, sample := range record.Samples {
			if sample.At >= at {
				return before.Processor + (at-before.At)/(sample.At-before.At)*(sample.Processor-before.Processor)
			}
			before = sample
		}
		return before.Processor
	}
	own := &Record{Cores: 1}
	for _, part := range record.Parts {
		part.Began, part.Ended = clock(part.Began), clock(part.Ended)
		own.Parts = append(own.Parts, part)
	}
	for _, sample := range record.Samples {
		own.Samples = append(own.Samples, Sample{At: sample.Processor, Processor: sample.Processor})
	}
	return own
}

// busy.json records a run of seven minutes on two cores. Other processes left it between 0.1 and
// 0.75 of a core. The weights are from an earlier run, which got twice as much processor time.
func TestEstimateOfRecordedRunIsWithin30Percent(t *testing.T) {
	text, err := os.ReadFile("testdata/busy.json")
	require.NoError(t, err)
	var record Record
	require.NoError(t, json.Unmarshal(text, &record))
	weights := Weights{
		"download/pulumi-language-go":     {Processor: 4.9},
		"download/pulumi-resource-random": {Processor: 6.2}, "download/httpbin": {Processor: 0.1},
		"pulumi-language-go": {Processor: 43.5}, "pulumi-resource-random": {Processor: 85.9},
		"httpbin": {Processor: 1.9},
	}
	off, at := worst(weights, alone(&record), 0, 10)
	t.Logf("off by %.0f %% at %.0f %% of the run", 100*off, 100*at)
	assert.Less(t, off, 0.3)
	delete(weights, "pulumi-resource-random")
	off, _ = worst(weights, alone(&record), 0, 10)
	assert.Greater(t, off, 0.3, "half of the run is not in the table: the test can fail")
}

// The recorded runs build the whole lab with empty caches. quiet.json is from an idle machine. In
// slow.json, each part took 1.7 times the expected time. An estimate can know this only when the
// first build has ended, after minutes.
func TestEstimateOfWholeLabIsWithin30Percent(t *testing.T) {
	for _, name := range []string{"quiet", "slow"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile("testdata/" + name + ".json")
			require.NoError(t, err)
			var record Record
			require.NoError(t, json.Unmarshal(text, &record))
			weights := Weights{}
			for _, part := range record.Parts {
				weights[part.Name] = part.Weight
			}
			off, at := worst(weights, &record, 60, 30)
			t.Logf("off by %.0f %% at %.0f %% of the run", 100*off, 100*at)
			assert.Less(t, off, 0.3)
		})
	}
}

func TestRemainingTimeIsPositiveWhileAStepRuns(t *testing.T) {
	weights := Weights{"a": {Processor: 10}}
	moment := Moment{At: 100, Processor: 100, Rate: 0, Running: []Part{{Name: "a", Began: 1}}}
	assert.Positive(t, weights.Rest(moment))
	assert.InDelta(t, 225, weights.Rest(moment), 1, "the 45 s that it has cost too much, at a fifth of a core")
}

func TestRemainingTimeOfPartThatMostlyWaitsIgnoresCores(t *testing.T) {
	weights := Weights{"image": {Processor: 1, Wall: 90}}
	assert.InDelta(t, 90, weights.Rest(Moment{Rate: 64, Waiting: []Part{{Name: "image"}}}), 1)
	assert.InDelta(t, 30, weights.Rest(Moment{At: 65, Processor: 1, Rate: 64,
		Running: []Part{{Name: "image", Began: 5}}}), 1)
}
