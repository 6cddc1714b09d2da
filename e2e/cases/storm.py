"""Ten minutes of everything, in an order that a seed decides: kills, pauses, partitions, deletions, edits, and a control plane that
comes and goes."""

import random
import time
from collections import Counter

import checker
import faults
from stage import LEASE, LEASE_DURATION
from wait import Failed, boot_ns

LONG = True
# An API server that is killed needs up to a minute on a busy machine, and may be killed again.
LONGEST_GAP = 180
REPLICAS = 4


class Storm:
    def __init__(self, stage, seed):
        self.stage, self.random, self.counts = stage, random.Random(seed), Counter()

    def a_pod(self):
        """The leader, twice out of three times."""
        ready = [pod for pod in self.stage.pods() if pod.is_ready()]
        if self.random.random() < 0.67:
            leading = self.stage.leader().pod
            ready = [pod for pod in ready if pod.name == leading] or ready
        if not ready:
            raise Failed("no pod is ready")
        return self.random.choice(ready)

    def a_while(self):
        """Sometimes shorter than a Lease, sometimes longer."""
        return self.random.uniform(0.5, LEASE_DURATION * 1.8)

    # The faults.

    def kill(self):
        pod = self.a_pod()
        # A container that has died often is started again late: that one is replaced instead.
        if pod.description["status"]["containerStatuses"][0]["restartCount"] > 1:
            return faults.delete_pod(self.stage, pod.name, force=True)
        faults.kill(pod)
        self.counts["kills"] += 1

    def stop_the_elector(self):
        pod = self.a_pod()
        with faults.stopped_process(pod, faults.elector_process(pod)):
            time.sleep(self.a_while())
        self.counts["pauses"] += 1

    def freeze_a_pod(self):
        pod = self.a_pod()
        begin = boot_ns()
        frozen = faults.FrozenPod(pod)
        try:
            time.sleep(self.a_while())
        finally:
            frozen.thaw()
        time.sleep(1)  # in which it has said what it does late
        self.stage.excuse(pod.name, begin, boot_ns())
        self.counts["pauses"] += 1

    def partition(self):
        with faults.partition(self.a_pod()):
            time.sleep(self.a_while())
        self.counts["partitions"] += 1

    def delete(self):
        faults.delete_pod(self.stage, self.a_pod().name, force=self.random.random() < 0.5)
        self.counts["deletions"] += 1

    def rolling_update(self):
        self.stage.kubectl("rollout", "restart", "deployment", "leader-elector")
        self.counts["rolling updates"] += 1

    def kill_the_api_server(self):
        faults.restart_api_server(self.stage.cluster)
        self.counts["API server kills"] += 1

    def pause_etcd(self):
        with faults.paused_etcd(self.stage.cluster):
            time.sleep(self.a_while())
        self.counts["etcd pauses"] += 1

    def take_rights_away(self):
        with faults.without_rights(self.stage):
            time.sleep(self.a_while())
        self.counts["rights taken away"] += 1

    def delete_the_lease(self):
        self.stage.kubectl("delete", "lease", LEASE, "--ignore-not-found")
        self.counts["Lease deletions"] += 1

    def edit_the_lease(self):
        spec = self.random.choice(['{"holderIdentity":"somebody-else"}', '{"holderIdentity":""}', '{"leaseDurationSeconds":1}'])
        try:
            self.stage.kubectl("patch", "lease", LEASE, "--type=merge", "--patch", f'{{"spec":{spec}}}')
        except Failed:
            return  # deleted a moment ago
        self.counts["Lease edits"] += 1


WEIGHTS = {
    Storm.kill: 6,
    Storm.stop_the_elector: 4,
    Storm.freeze_a_pod: 3,
    Storm.partition: 5,
    Storm.delete: 5,
    Storm.rolling_update: 1,
    Storm.kill_the_api_server: 1,
    Storm.pause_etcd: 2,
    Storm.take_rights_away: 1,
    Storm.delete_the_lease: 1,
    Storm.edit_the_lease: 2,
}


def run(stage):
    seed, minutes = stage.options.seed, stage.options.minutes
    print(f"          seed {seed}, {minutes} minutes (e2e/run.sh --seed {seed} storm)", flush=True)
    stage.deploy("create", replicas=REPLICAS)
    storm = Storm(stage, seed)
    end = time.monotonic() + minutes * 60
    while time.monotonic() < end:
        (fault,) = storm.random.choices(list(WEIGHTS), list(WEIGHTS.values()))
        print(f"          {minutes * 60 - (end - time.monotonic()):5.0f} s  {fault.__name__.replace('_', ' ')}", flush=True)
        try:
            fault(storm)
        except Failed as failure:
            # A pod that another fault has just removed, an API server that is not back yet: the storm goes on.
            storm.counts["not carried out"] += 1
            print(f"                   not carried out: {str(failure)[:150]}", flush=True)
        time.sleep(storm.random.uniform(0, LEASE_DURATION * 1.5))
    # After the storm there is a leader, and it stays.
    stage.await_ready(REPLICAS)
    stage.steady_leader(50)
    counts = ", ".join(f"{count} {what}" for what, count in sorted(storm.counts.items()))
    totals = checker.summary(stage.gather())
    stage.note(f"seed {seed}: {counts}")
    stage.note(f"{totals['terms'] - 1} changes of leader, {totals['longest_gap_s']} s the longest time without one")
    stage.note(f"overlap {totals['overlaps']}; late acts of what was frozen: {totals['excused_overlaps']}")
