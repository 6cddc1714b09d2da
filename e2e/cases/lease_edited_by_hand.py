"""People edit the Lease. Labels change nothing; another holder's name ends the term at once and is waited out; an emptied holder ends
it too, and whoever comes first takes it."""

import json

from stage import LEASE, LEASE_DURATION
from wait import Failed, boot_ns


def patch(stage, spec):
    stage.kubectl("patch", "lease", LEASE, "--type=merge", "--patch", json.dumps({"spec": spec}))


def run(stage):
    stage.deploy()
    leader = stage.steady_leader()
    for round_number in range(3):
        stage.kubectl("label", "lease", LEASE, "--overwrite", f"team=red-{round_number}")
        stage.steady_leader(10)
    stage.expect_to_lead_still(leader)
    if stage.lease()["metadata"]["labels"]["team"] != "red-2":
        raise Failed("a label was lost")
    leader = stage.steady_leader()

    begin = boot_ns()
    patch(stage, {"holderIdentity": "somebody-else"})
    second = stage.leader(after=leader)
    waited = (second.started_ns - begin) / 1e9
    if waited < LEASE_DURATION - 0.5:
        raise Failed(f"another's name was waited out for {waited:.1f} s of {LEASE_DURATION} s")
    second = stage.steady_leader(10)

    patch(stage, {"holderIdentity": ""})
    stage.leader(after=second)
    stage.steady_leader(10)
    stage.note(f"another's name was waited out for {waited:.1f} s; {len(stage.leaders())} leaders")
