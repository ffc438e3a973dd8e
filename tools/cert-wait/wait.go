package main

import (
	"fmt"
	"os"
	"time"
)

const (
	// lookEvery is the pause between reads of the files. inotify would need an instance for each
	// waiting Pod, and a node has few instances (fs.inotify.max_user_instances is 128).
	lookEvery = 200 * time.Millisecond
	// youth bounds the time after a volume is mounted in which its Pod counts as young; attempt
	// bounds one run of cert-wait in a young Pod. kubelet updates a volume with a new Secret when
	// it next syncs the Pod: every 60 to 90 s, or when a container of the Pod exits (pkg/kubelet:
	// syncFrequency, PLEG). So a run that does not exit may see a certificate that was issued after
	// 12 s only after 90 s. When a run exits and is restarted, kubelet syncs at once. The pauses
	// between restarts grow (10 s, 20 s and so on), so only the first exits speed up the sync.
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

// wait checks the folder until the key and the certificate pass all checks, or until this run must
// end. It returns the last check's error.
func wait(opts options, c clock) error {
	info, err := os.Stat(opts.dir)
	if err != nil {
		return fmt.Errorf("%w; mount the Secret's volume there", err)
	}
	// The modification time of the mounted folder is the Pod's start or the Secret's last change. A
	// restarted run cannot read the Pod's start elsewhere.
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

// runUntil returns the time at which wait must return. It is attempt (or limit, if shorter) from
// now if the Pod is young or limit has passed, otherwise limit after started.
func runUntil(started, now time.Time, limit time.Duration) time.Time {
	if age := now.Sub(started); age < youth || age >= limit {
		return now.Add(min(attempt, limit))
	}
	return started.Add(limit)
}
