"""The real servers, of this run alone: started when a measure first needs them, ended with it."""

import os
import shlex
import subprocess

from harness import ROOT

SCRIPTS = {
    "kube-apiserver": ("hack/kube-apiserver.sh", ()),
    "redis": ("hack/redis.sh", ("standalone",)),
    "consul": ("hack/consul.sh", ()),
}


def read_exports(text):
    """Lines of `export NAME=VALUE`, quoted for a shell."""
    variables = {}
    for line in text.splitlines():
        words = shlex.split(line)
        if words[:1] == ["export"]:
            variables |= dict(word.split("=", 1) for word in words[1:])
    return variables


class Servers:
    def __init__(self, folder):
        self.folder = folder
        self.up = []

    def _script(self, name, command):
        script, kind = SCRIPTS[name]
        where = ["--dir", str(self.folder / name)]
        done = subprocess.run([ROOT / script, command, *kind, *where], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{script} {command} failed:\n{done.stdout}")
        return done.stdout

    def need(self, name):
        if name in self.up:
            return
        self.up.append(name)
        self._script(name, "up")
        os.environ.update(read_exports(self._script(name, "env")))

    def down(self):
        for name in reversed(self.up):
            self._script(name, "down")
        self.up.clear()
