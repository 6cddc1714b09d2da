// Command elections holds many elections in one process with client-go, all Leases reached by one client, as
// test/bench/many_elections.cc does with this library and with the same flags. Tells in lines of JSON when all lead, and
// after SIGTERM what became of them; what they cost is read from outside.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
)

var (
	count      = flag.Int("count", 1000, "how many elections")
	prefix     = flag.String("prefix", "election", "what the names of the Leases begin with")
	kubeconfig = flag.String("kubeconfig", "", "file that tells how to reach the API server")
	namespace  = flag.String("namespace", "", "namespace of the Leases")
	unlimited  = flag.Bool("unlimited", false, "without client-go's limit of five requests a second")
)

// A tally counts terms, from any goroutine.
type tally struct {
	begin         time.Time
	started, lost atomic.Int64
}

func (t *tally) onStarted() {
	if t.started.Add(1) == int64(*count) {
		fmt.Printf("{\"event\":\"acquired\",\"seconds\":%.3f}\n", time.Since(t.begin).Seconds())
	}
}

// An election stands again after each lost term.
type election struct {
	elector *leaderelection.LeaderElector
	leads   atomic.Bool
}

func newElection(client kubernetes.Interface, name string, t *tally) (*election, error) {
	e := &election{}
	identity, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	e.elector, err = leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: *namespace, Name: name},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: fmt.Sprintf("%s_%d_%s", identity, os.Getpid(), name)},
		},
		LeaseDuration: leaseDuration,
		RenewDeadline: renewDeadline,
		RetryPeriod:   retryPeriod,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				e.leads.Store(true)
				t.onStarted()
			},
			OnStoppedLeading: func() {
				if e.leads.Swap(false) {
					t.lost.Add(1)
				}
			},
		},
	})
	return e, err
}

func run(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	config.Timeout = renewDeadline / 2 // as resourcelock.NewFromKubeconfig sets it
	if *unlimited {
		config.QPS = -1
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	t := &tally{begin: time.Now()}
	elections := make([]*election, 0, *count)
	for number := range *count {
		e, err := newElection(client, fmt.Sprintf("%s-%d", *prefix, number), t)
		if err != nil {
			return err
		}
		elections = append(elections, e)
		go func() {
			for {
				e.elector.Run(context.Background())
			}
		}()
	}
	<-ctx.Done()
	leading := 0
	for _, e := range elections {
		if e.leads.Load() {
			leading++
		}
	}
	fmt.Printf("{\"event\":\"exit\",\"started\":%d,\"lost\":%d,\"leading\":%d}\n", t.started.Load(), t.lost.Load(), leading)
	return nil
}

func main() {
	flag.Parse()
	fmt.Println(`{"event":"boot"}`)
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "elections:", err)
		os.Exit(2)
	}
}
