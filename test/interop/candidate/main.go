// Command candidate stands for election on a Lease with client-go, for one term, and reports what happens to it as
// lines of JSON. It is the peer that tests and benchmarks hold this library against. A command after -- is run while it
// leads.
//
// It exits with 0 after SIGTERM or SIGINT, with 1 after a lost term, and with 2 if it could not stand at all.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
)

type options struct {
	kubeconfig      string
	namespace       string
	name            string
	identity        string
	leaseDuration   time.Duration
	renewDeadline   time.Duration
	retryPeriod     time.Duration
	releaseOnCancel bool
	recordEvents    bool
	work            []string
	check           bool
}

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	opts, err := parse(args, stderr)
	if err != nil {
		return 2
	}
	lines := &reporter{out: stdout, identity: opts.identity}
	lines.report(event{Event: "boot"})
	elector, err := newElector(ctx, opts, lines)
	if err != nil {
		fmt.Fprintln(stderr, "candidate:", err)
		lines.report(event{Event: "exit", Reason: "failed"})
		return 2
	}

	if opts.check {
		go check(elector, lines)
	}
	elector.Run(ctx)
	if ctx.Err() == nil {
		lines.report(event{Event: "exit", Reason: "lost"})
		return 1
	}
	lines.report(event{Event: "exit", Reason: "cancelled"})
	return 0
}

// check asks as a program does before each write, and tells when it last was the leader.
func check(elector *leaderelection.LeaderElector, lines *reporter) {
	var led int64
	for range time.Tick(time.Millisecond) {
		now := bootNanos()
		if elector.IsLeader() {
			led = now
		} else if led != 0 {
			lines.report(event{Event: "not_leading", LedNanos: led})
			return
		}
	}
}

func parse(args []string, stderr io.Writer) (options, error) {
	var opts options
	flags := flag.NewFlagSet("candidate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&opts.kubeconfig, "kubeconfig", "", "file that tells how to reach the API server; in a pod: none")
	flags.StringVar(&opts.namespace, "namespace", "", "namespace of the Lease")
	flags.StringVar(&opts.name, "name", "", "name of the Lease")
	flags.StringVar(&opts.identity, "identity", defaultIdentity(), "name of this candidate")
	flags.DurationVar(&opts.leaseDuration, "lease-duration", 15*time.Second, "how long rivals wait for a silent leader")
	flags.DurationVar(&opts.renewDeadline, "renew-deadline", 10*time.Second, "how long a leader tries to renew")
	flags.DurationVar(&opts.retryPeriod, "retry-period", 2*time.Second, "wait between attempts")
	flags.BoolVar(&opts.releaseOnCancel, "release-on-cancel", false, "give the Lease up on SIGTERM")
	flags.BoolVar(&opts.recordEvents, "record-events", false, "write Kubernetes Events about the Lease")
	flags.BoolVar(&opts.check, "check", false, "ask every millisecond whether it leads, and report when it no longer does")
	if err := flags.Parse(args); err != nil {
		return opts, err
	}
	opts.work = flags.Args()
	required := []string{"namespace", "name", "identity"}
	if os.Getenv("KUBERNETES_SERVICE_HOST") == "" {
		required = append(required, "kubeconfig")
	}
	for _, name := range required {
		if flags.Lookup(name).Value.String() == "" {
			err := fmt.Errorf("candidate: --%s is required", name)
			fmt.Fprintln(stderr, err)
			return opts, err
		}
	}
	return opts, nil
}

// defaultIdentity is what controller-runtime calls its candidates.
func defaultIdentity() string {
	host, err := os.Hostname()
	if err != nil {
		return ""
	}
	return host + "_" + string(uuid.NewUUID())
}

func newElector(ctx context.Context, opts options, lines *reporter) (*leaderelection.LeaderElector, error) {
	config, err := clientcmd.BuildConfigFromFlags("", opts.kubeconfig)
	if err != nil {
		return nil, err
	}
	lockConfig := resourcelock.ResourceLockConfig{Identity: opts.identity}
	if opts.recordEvents {
		if lockConfig.EventRecorder, err = newEventRecorder(ctx, config, opts); err != nil {
			return nil, err
		}
	}
	lock, err := resourcelock.NewFromKubeconfig(
		resourcelock.LeasesResourceLock, opts.namespace, opts.name, lockConfig, config, opts.renewDeadline)
	if err != nil {
		return nil, err
	}
	work := &work{command: opts.work, lock: lock, lines: lines}
	return leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:            lock,
		LeaseDuration:   opts.leaseDuration,
		RenewDeadline:   opts.renewDeadline,
		RetryPeriod:     opts.retryPeriod,
		ReleaseOnCancel: opts.releaseOnCancel,
		Name:            opts.name,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				lines.report(event{Event: "started"})
				work.run(ctx)
			},
			OnStoppedLeading: func() {
				work.end()
				lines.report(event{Event: "stopped"})
			},
			OnNewLeader: func(leader string) { lines.report(event{Event: "new_leader", Leader: &leader}) },
		},
	})
}

func newEventRecorder(ctx context.Context, config *rest.Config, opts options) (record.EventRecorder, error) {
	client, err := kubernetes.NewForConfig(rest.AddUserAgent(config, "leader-election-events"))
	if err != nil {
		return nil, err
	}
	broadcaster := record.NewBroadcaster(record.WithContext(context.WithoutCancel(ctx)))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events(opts.namespace)})
	return broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: opts.identity}), nil
}
