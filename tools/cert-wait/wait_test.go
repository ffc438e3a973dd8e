package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fakeClock advances only during Sleep. It calls a function once at a given time.
type fakeClock struct {
	at   time.Time
	when time.Time
	do   func()
}

func (c *fakeClock) Now() time.Time { return c.at }

func (c *fakeClock) Sleep(d time.Duration) {
	c.at = c.at.Add(d)
	if c.do != nil && !c.at.Before(c.when) {
		c.do()
		c.do = nil
	}
}

// mounted returns the empty folder of a Pod with a given age, and a clock.
func mounted(t *testing.T, age time.Duration) (string, *fakeClock) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chtimes(dir, now.Add(-age), now.Add(-age)); err != nil {
		t.Fatal(err)
	}
	return dir, &fakeClock{at: now}
}

// issue writes a valid certificate and its key into a folder.
func issue(t *testing.T, dir string) {
	leaf := sign(t, nil, now.Add(-time.Hour), now.Add(time.Hour), "shop.test")
	for name, text := range map[string]string{"tls.crt": leaf.pem(), "tls.key": leaf.keyPEM(t)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWaitEndsWhenCertificateArrives(t *testing.T) {
	dir, clock := mounted(t, time.Second)
	clock.when, clock.do = now.Add(2*time.Second), func() { issue(t, dir) }
	if err := wait(options{dir: dir, timeout: time.Minute}, clock); err != nil {
		t.Fatal(err)
	}
	if took := clock.at.Sub(now); took > 2*time.Second+2*lookEvery {
		t.Errorf("it took %s, expected the next look after 2 s", took)
	}
}

// kubelet updates a mounted Secret sooner when a container ends. So the program ends early in a new
// Pod.
func TestWaitEndsEarlyInNewPod(t *testing.T) {
	for _, test := range []struct {
		name       string
		age, limit time.Duration
		want       time.Duration
	}{
		{"just mounted", 0, time.Minute, attempt},
		{"a clock that went back", -time.Minute, time.Minute, attempt},
		{"older", youth, 2 * time.Minute, 90 * time.Second},
		{"past the limit", time.Hour, time.Minute, attempt},
		{"a short limit", 0, time.Second, time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, clock := mounted(t, test.age)
			err := wait(options{dir: dir, timeout: test.limit}, clock)
			if err == nil || !strings.Contains(err.Error(), "tls.crt: is not there yet") {
				t.Fatalf("said %v", err)
			}
			if took := clock.at.Sub(now); took < test.want || took > test.want+lookEvery {
				t.Errorf("it ran for %s, expected %s", took, test.want)
			}
		})
	}
}

func TestMissingMountIsReported(t *testing.T) {
	err := wait(options{dir: "/nowhere/at/all", timeout: time.Second}, &fakeClock{at: now})
	if err == nil || !strings.Contains(err.Error(), "mount the Secret's volume there") {
		t.Errorf("said %v", err)
	}
}

func TestWrongFlagsAreRefused(t *testing.T) {
	for _, args := range [][]string{{}, {"--dir", "/a", "--timeout", "0s"}, {"--dir", "/a", "more"}, {"--nonsense"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
	opts, err := parse([]string{"--dir", "/a", "--dns-name", "b", "--dns-name", "c"})
	if err != nil || len(opts.names) != 2 {
		t.Errorf("%v: %v", err, opts)
	}
}
