#!/usr/bin/env python3
"""What a leader and a follower cost, as whole processes on a Lease: memory, threads, connections, processor time, requests.
Ours and client-go's in one run, each candidate under a user of its own so that the server's audit log tells them apart.

footprint.py [--seconds N] NAME=PROGRAM...   for example ours=build/test/our-candidate client-go="$INTEROP_CANDIDATE"
"""

import argparse
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import api_server  # noqa: E402
from candidates import Candidate  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory_mib(pid):
    """Resident, and of that private."""
    sums = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()[1:]:
        key, value = line.split()[:2]
        sums[key.rstrip(":")] = int(value) / 1024
    return sums["Rss"], sums["Private_Clean"] + sums["Private_Dirty"]


def connections(pid):
    links = [os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()]
    return sum(link.startswith("socket:") for link in links)


class Cost:
    def __init__(self, server, candidate, user):
        self.server, self.user, self.pid = server, user, candidate.process.pid
        self.start = server.audit_log.stat().st_size
        self.processor = processor_seconds(self.pid)
        self.at = time.monotonic()

    def row(self):
        seconds = time.monotonic() - self.at
        rss, private = memory_mib(self.pid)
        threads = len(os.listdir(f"/proc/{self.pid}/task"))
        spent = (processor_seconds(self.pid) - self.processor) * 3600 / seconds
        requests = len(self.server.requests(self.user, self.start)) * 60 / seconds
        return f"{rss:8.1f}{private:10.1f}{threads:9}{connections(self.pid):13}{spent:14.2f}{requests:14.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()
    api_server.require()
    server = api_server.ApiServer()
    print(f"{'':22}{'RSS MiB':>8}{'private':>10}{'threads':>9}{'connections':>13}{'CPU s/hour':>14}{'requests/min':>14}")
    for entry in arguments.programs:
        name, program = entry.split("=", 1)
        members = {}
        for number, role in enumerate(("leader", "follower")):
            flags = {"--kubeconfig": server.kubeconfig(f"candidate-{number}"), "--namespace": server.namespace}
            flags |= {"--name": f"footprint-{name}-{os.getpid()}", "--identity": role}
            members[role] = Candidate([program, *(part for flag in flags.items() for part in flag)], role, None)
            members["leader"].wait("started")
        members["follower"].wait("new_leader", leader="leader")
        time.sleep(5)  # what is done once is behind them
        costs = {role: Cost(server, member, f"candidate-{number}") for number, (role, member) in enumerate(members.items())}
        time.sleep(arguments.seconds)
        for role, cost in costs.items():
            print(f"{name + ', ' + role:22}{cost.row()}", flush=True)
        for member in members.values():
            member.end()
    print(f"load of the machine: {' '.join(f'{load:.1f}' for load in os.getloadavg())}")


if __name__ == "__main__":
    main()
