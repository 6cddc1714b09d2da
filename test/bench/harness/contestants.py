"""Who is measured: ours, with each of the two that speak HTTP, and the peers that have a manifest in peers/."""

import json
import subprocess
from dataclasses import dataclass, field

from harness import ROOT

PEERS = ROOT / "test/bench/peers"
BEAST, CPPREST = "ours, Beast", "ours, cpprestsdk"
OURS = (BEAST, CPPREST)
# Where CMake leaves the program of each role.
PROGRAMS = {
    "candidate": "our-candidate",
    "elections": "many_elections",
    "redis": "redis_bench",
    "consul": "consul_bench",
    "core": "core_bench",
    "http": "http_bench",
}


@dataclass
class Contestant:
    name: str
    version: str
    roles: dict = field(default_factory=dict)  # role -> how it is got: the words of a command

    def is_ours(self):
        return self.name in OURS


def required_version(go_mod, module):
    """Of a module that a go.mod requires."""
    for line in go_mod.splitlines():
        words = line.removeprefix("require ").split()
        if words[:1] == [module]:
            return words[1]
    raise ValueError(f"no {module} is required")


def load_peer(manifest, root=ROOT):
    """Reads a manifest; see peers/README.md. Builds nothing yet."""
    text = json.loads(manifest.read_text(encoding="utf-8"))
    unknown = set(text) - {"name", "version", "roles"}
    if unknown:
        raise ValueError(f"{manifest}: do not understand {', '.join(sorted(unknown))}")
    version = text["version"]
    if isinstance(version, dict):
        version = required_version((root / version["go.mod"]).read_text(encoding="utf-8"), version["module"])
    return Contestant(text["name"], version, text["roles"])


def peers():
    return [load_peer(manifest) for manifest in sorted(PEERS.glob("*.json"), key=lambda path: path.stem)]


def build(contestant, role):
    """The command of a peer in this role: what its build prints, and the arguments it always has."""
    entry = contestant.roles[role]
    done = subprocess.run(entry["build"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return [done.stdout.strip().splitlines()[-1], *entry.get("arguments", [])]


class Contestants:
    def __init__(self, builds):
        """`builds`: {"beast": folder, "cpprest": folder}, where CMake has built ours."""
        self.builds = {BEAST: builds["beast"], CPPREST: builds["cpprest"]}
        self.peers = peers()
        self.commands = {}

    def our_program(self, role, name=BEAST):
        return [str(self.builds[name] / "test" / PROGRAMS[role])]

    def command(self, name, role):
        if (name, role) not in self.commands:
            peer = {peer.name: peer for peer in self.peers}.get(name)
            self.commands[name, role] = build(peer, role) if peer else self.our_program(role, name)
        return self.commands[name, role]

    def in_role(self, role, ours=OURS):
        """{name: command}, ours first."""
        names = [*ours, *(peer.name for peer in self.peers if role in peer.roles)]
        return {name: self.command(name, role) for name in names}
