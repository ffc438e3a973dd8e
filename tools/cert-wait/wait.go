package main

import (
	"fmt"
	"os"
	"time"
)

const (
	// lookEvery is the pause between reads of the files. It does not use inotify: a node has few
	// instances of it (fs.inotify.max_user_instances is 128), and each waiting Pod would take one.
	lookEvery = 200 * time.Millisecond
	// youth bounds the time after a volume is mounted in which its Pod counts as young. attempt
	// bounds a run of a young Pod's program. kubelet updates a volume with a new Secret when it
	// next syncs the Pod. That is every 60 to 90 s, or when a container of the Pod ends
	// (pkg/kubelet: syncFrequency, PLEG). So a program that only waited would see a certificate of
	// 12 s after up to 90 s. If the program ends and is restarted, kubelet syncs at once. The
	// restarts have pauses of 10 s, 20 s and so on. So only the first ends are early; later the
	// regular sync is as fast.
	youth   = 30 * time.Second
	attempt = 3 * time.Second
)

// clock gives the time; tests replace it.
type clock interface {
	Now() time.Time
	Sleep(d time.Duration)
}

type realClock struct{}

func (realClock) Now() time.Time        { return time.Now() }
func (realClock) Sleep(d time.Duration) { time.Sleep(d) }

// wait checks the folder until it is good or this run is over. Its error is that of the last check.
func wait(opts options, c clock) error {
	info, err := os.Stat(opts.dir)
	if err != nil {
		return fmt.Errorf("%w; mount the Secret's volume there", err)
	}
	// The volume's time is the Pod's start, or the Secret's last change. A restarted run has no
	// other source for the start.
	started := info.ModTime()
	end := runUntil(started, c.Now(), opts.timeout)
	for {
		err := check(opts.dir, opts.names, c.Now(), opts.remaining)
		if err == nil {
			return nil
		}
		if !c.Now().Before(end) {
			return fmt.Errorf("%w (%s after the Pod's volume was mounted or changed; limit %s)", err,
				c.Now().Sub(started).Round(time.Second), opts.timeout)
		}
		c.Sleep(lookEvery)
	}
}

// runUntil returns the time at which this run ends.
func runUntil(started, now time.Time, limit time.Duration) time.Time {
	if age := now.Sub(started); age < youth || age >= limit {
		return now.Add(min(attempt, limit))
	}
	return started.Add(limit)
}
