package main

import (
	"encoding/json"
	"io"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// An event is one line of output. BootNanos is CLOCK_BOOTTIME, which processes of one host can compare whatever
// happens to the wall clock. Leader is a pointer because client-go reports a released Lease as an empty name, which
// must not look like an absent field.
type event struct {
	Time      time.Time `json:"time"`
	BootNanos int64     `json:"boot_ns"`
	Event     string    `json:"event"`
	Identity  string    `json:"identity"`
	Leader    *string   `json:"leader,omitempty"`
	Led       *bool     `json:"led,omitempty"`
	LedNanos  int64     `json:"led_ns,omitempty"`
	Reason    string    `json:"reason,omitempty"`
}

// A reporter writes each event as one whole line with one write, so a reader of a pipe sees it at once. client-go
// calls back from several goroutines.
type reporter struct {
	mu       sync.Mutex
	out      io.Writer
	identity string
	led      bool
}

// report stamps the event and writes it. A "stopped" also says whether this candidate had led, since client-go stops
// candidates that never did.
func (r *reporter) report(e event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e.Event {
	case "started":
		r.led = true
	case "stopped":
		led := r.led
		e.Led = &led
	}
	e.Time, e.BootNanos, e.Identity = time.Now().UTC(), bootNanos(), r.identity
	line, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	if _, err := r.out.Write(append(line, '\n')); err != nil {
		panic(err)
	}
}

func bootNanos() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		panic(err)
	}
	return now.Nano()
}
