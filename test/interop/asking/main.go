// Command asking prints how many nanoseconds of processor time client-go takes to say whether it leads. Its lock is in memory, for the
// answer comes from there and never from a server.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const questions = 20_000_000

type memory struct {
	mu     sync.Mutex
	record *resourcelock.LeaderElectionRecord
}

func (m *memory) Get(context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.record == nil {
		return nil, nil, errors.NewNotFound(schema.GroupResource{}, m.Describe())
	}
	raw, err := json.Marshal(*m.record)
	return m.record, raw, err
}

func (m *memory) Create(_ context.Context, record resourcelock.LeaderElectionRecord) error {
	return m.Update(context.Background(), record)
}

func (m *memory) Update(_ context.Context, record resourcelock.LeaderElectionRecord) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.record = &record
	return nil
}

func (*memory) RecordEvent(string) {}
func (*memory) Identity() string   { return "asking" }
func (*memory) Describe() string   { return "memory" }

func main() {
	started := make(chan struct{})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:          &memory{},
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(started) },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "asking:", err)
		os.Exit(2)
	}
	go elector.Run(context.Background())
	<-started
	begin := processorNanos()
	for range questions {
		if !elector.IsLeader() {
			fmt.Fprintln(os.Stderr, "asking: does not lead")
			os.Exit(2)
		}
	}
	fmt.Printf("%.1f\n", float64(processorNanos()-begin)/questions)
}

func processorNanos() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now); err != nil {
		panic(err)
	}
	return now.Nano()
}
