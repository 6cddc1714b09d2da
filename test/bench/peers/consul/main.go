// Consul's own Go lock, measured as consul_bench measures ours: hand-offs between two that wait for one key, and the
// time until a holder that is silent is replaced. Prints one number of milliseconds per line.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/hashicorp/consul/api"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func client() *api.Client {
	client, err := api.NewClient(api.DefaultConfig())
	check(err)
	return client
}

func lockOf(key string) *api.Lock {
	lock, err := client().LockOpts(&api.LockOptions{Key: key, SessionTTL: "10s"})
	check(err)
	return lock
}

func acquire(lock *api.Lock) {
	_, err := lock.Lock(nil)
	check(err)
}

func handOffs(key string, count int) {
	holder, waiting := lockOf(key), lockOf(key)
	acquire(holder)
	for i := 0; i < count; i++ {
		acquired := make(chan time.Time)
		go func() {
			acquire(waiting)
			acquired <- time.Now()
		}()
		time.Sleep(300 * time.Millisecond) // until it waits
		released := time.Now()
		check(holder.Unlock())
		fmt.Printf("%.3f\n", float64((<-acquired).Sub(released).Microseconds())/1000)
		holder, waiting = waiting, holder
	}
	check(holder.Unlock())
}

// The holder's session is made by hand and never renewed, as if its process had been killed.
func takeOver(key string) {
	dead := client()
	session, _, err := dead.Session().Create(&api.SessionEntry{TTL: "10s", NodeChecks: []string{}}, nil)
	check(err)
	held, _, err := dead.KV().Acquire(&api.KVPair{Key: key, Session: session, Flags: api.LockFlagValue}, nil)
	check(err)
	if !held {
		check(fmt.Errorf("the key is not free"))
	}
	died := time.Now()
	acquire(lockOf(key))
	fmt.Printf("%.3f\n", float64(time.Since(died).Microseconds())/1000)
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: peer hand-off|take-over KEY COUNT, with Consul's environment variables")
		os.Exit(2)
	}
	count, err := strconv.Atoi(os.Args[3])
	check(err)
	switch os.Args[1] {
	case "hand-off":
		handOffs(os.Args[2], count)
	case "take-over":
		for i := 0; i < count; i++ {
			takeOver(fmt.Sprintf("%s-%d", os.Args[2], i))
		}
	}
}
