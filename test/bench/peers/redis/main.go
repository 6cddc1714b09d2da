// bsm/redislock and redsync, measured as redis_bench measures our lock. Prints one number of milliseconds per line; for
// renewals, how many a second.
package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

const (
	lease   = 3 * time.Second
	forever = 1 << 30 // attempts
)

var ctx = context.Background()

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func show(d time.Duration) { fmt.Printf("%.3f\n", float64(d.Microseconds())/1000) }

func connect(connections int) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr:        net.JoinHostPort(os.Getenv("REDIS_HOST"), os.Getenv("REDIS_PORT")),
		PoolSize:    connections,
		PoolTimeout: time.Minute,
	})
}

// One key by one library, each waiting as its documentation does.
type lock interface {
	acquire(ttl time.Duration)
	renew(ttl time.Duration)
	release()
}

type bsm struct {
	client *redislock.Client
	key    string
	held   *redislock.Lock
}

func (l *bsm) acquire(ttl time.Duration) {
	// Obtain gives up after ttl unless the context has a deadline of its own.
	patient, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	held, err := l.client.Obtain(patient, l.key, ttl,
		&redislock.Options{RetryStrategy: redislock.LinearBackoff(100 * time.Millisecond)})
	check(err)
	l.held = held
}
func (l *bsm) renew(ttl time.Duration) { check(l.held.Refresh(ctx, ttl, nil)) }
func (l *bsm) release()                { check(l.held.Release(ctx)) }

type rsync struct {
	client *redsync.Redsync
	key    string
	held   *redsync.Mutex
}

func (l *rsync) acquire(ttl time.Duration) {
	l.held = l.client.NewMutex(l.key, redsync.WithExpiry(ttl), redsync.WithTries(forever))
	check(l.held.LockContext(ctx))
}
func (l *rsync) renew(time.Duration) {
	ok, err := l.held.ExtendContext(ctx)
	check(err)
	if !ok {
		check(errors.New("not extended"))
	}
}
func (l *rsync) release() {
	_, err := l.held.UnlockContext(ctx)
	check(err)
}

// of returns a maker of locks that share one client.
func of(library string, connections int) func(key string) lock {
	client := connect(connections)
	if library == "redislock" {
		shared := redislock.New(client)
		return func(key string) lock { return &bsm{client: shared, key: key} }
	}
	shared := redsync.New(goredis.NewPool(client))
	return func(key string) lock { return &rsync{client: shared, key: key} }
}

func acquireAndRelease(library, key string, count int) {
	l := of(library, 1)(key)
	l.acquire(lease)
	l.release()
	for i := 0; i < count; i++ {
		begin := time.Now()
		l.acquire(lease)
		l.release()
		show(time.Since(begin))
	}
}

func handOffs(library, key string, count int) {
	holder, waiting := of(library, 1)(key), of(library, 1)(key)
	holder.acquire(time.Minute)
	for i := 0; i < count; i++ {
		acquired := make(chan time.Time)
		go func() {
			waiting.acquire(time.Minute)
			acquired <- time.Now()
		}()
		// Until it waits, and not in step with its attempts.
		time.Sleep(300*time.Millisecond + time.Duration(rand.Intn(100))*time.Millisecond)
		released := time.Now()
		holder.release()
		show((<-acquired).Sub(released))
		holder, waiting = waiting, holder
	}
	holder.release()
}

func takeOvers(library, key string, count int) {
	for i := 0; i < count; i++ {
		name := fmt.Sprintf("%s-%d", key, i)
		dead, heir := of(library, 1)(name), of(library, 1)(name)
		died := time.Now()
		dead.acquire(lease)
		heir.acquire(lease)
		show(time.Since(died))
		heir.release()
	}
}

func renewals(library, key string, elections int) {
	lockOf := of(library, 1)
	var count atomic.Int64
	var ending atomic.Bool
	var all sync.WaitGroup
	for i := 0; i < elections; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			l := lockOf(fmt.Sprintf("%s-%d", key, i))
			l.acquire(time.Minute)
			for !ending.Load() {
				l.renew(time.Minute)
				count.Add(1)
			}
		}()
	}
	time.Sleep(time.Second) // until all hold theirs
	before, begin := count.Load(), time.Now()
	time.Sleep(5 * time.Second)
	fmt.Printf("%.1f\n", float64(count.Load()-before)/time.Since(begin).Seconds())
	ending.Store(true)
	all.Wait()
}

func main() {
	measures := map[string]func(library, key string, count int){
		"acquire-release": acquireAndRelease, "hand-off": handOffs, "take-over": takeOvers, "renewals": renewals}
	if len(os.Args) != 5 || measures[os.Args[2]] == nil || (os.Args[1] != "redislock" && os.Args[1] != "redsync") {
		fmt.Fprintln(os.Stderr, "usage: peer redislock|redsync acquire-release|hand-off|take-over|renewals KEY COUNT, "+
			"with REDIS_HOST and REDIS_PORT")
		os.Exit(2)
	}
	count, err := strconv.Atoi(os.Args[4])
	check(err)
	measures[os.Args[2]](os.Args[1], os.Args[3], count)
}
