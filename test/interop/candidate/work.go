package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// A work is the command that this candidate runs while client-go says that it leads. It is killed, not asked, at the end
// of the term, by the earlier of the context's end and OnStoppedLeading: after a loss both come when the Lease has been
// released already.
type work struct {
	command []string
	lock    resourcelock.Interface
	lines   *reporter

	mu    sync.Mutex
	ended bool
	child *os.Process
}

// run starts the command and returns when it has ended. It is ended with the thread that started it, so also with this
// process, however that ends.
func (w *work) run(ctx context.Context) {
	if len(w.command) == 0 {
		return
	}
	number, err := w.number(ctx)
	if err != nil {
		w.lines.report(event{Event: "no_work", Reason: err.Error()})
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	command := exec.CommandContext(ctx, w.command[0], w.command[1:]...)
	command.Env = append(os.Environ(),
		"LEADER_ELECTION_IDENTITY="+w.lock.Identity(), "LEADER_ELECTION_FENCING_TOKEN="+number)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := w.start(command); err != nil {
		w.lines.report(event{Event: "no_work", Reason: err.Error()})
		return
	}
	_ = command.Wait()
}

// start does nothing if the term is over already.
func (w *work) start(command *exec.Cmd) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return fmt.Errorf("the term is over")
	}
	if err := command.Start(); err != nil {
		return err
	}
	w.child = command.Process
	return nil
}

func (w *work) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if w.child != nil {
		_ = w.child.Kill()
	}
}

// number is a fencing number, which client-go has none of: the version of the Lease, read while it names this candidate. It
// lies between the write that began the term and any later holder's.
func (w *work) number(ctx context.Context) (string, error) {
	lease, ok := w.lock.(*resourcelock.LeaseLock)
	if !ok {
		return "", fmt.Errorf("%T has no version", w.lock)
	}
	for {
		attempt, cancel := context.WithTimeout(ctx, time.Second)
		found, err := lease.Client.Leases(lease.LeaseMeta.Namespace).Get(attempt, lease.LeaseMeta.Name, metav1.GetOptions{})
		cancel()
		if err == nil && found.Spec.HolderIdentity != nil && *found.Spec.HolderIdentity == w.lock.Identity() {
			return found.ResourceVersion, nil
		}
		if err == nil {
			return "", fmt.Errorf("the Lease is another's by now")
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
