"""The logs of all pods of a namespace, followed on the nodes. kubectl logs would lose those of containers that have been
replaced twice; here each file is kept open from the moment it is seen, so that what is written reaches us even if the kubelet
deletes it."""

import json
import threading
from pathlib import Path

from evidence import parse_line

PACE = 0.1  # seconds


def present(folder, pattern):
    """What is there; nothing, if the kubelet deletes it while one looks."""
    try:
        return list(folder.glob(pattern))
    except FileNotFoundError:
        return []


class FollowedFile:
    """A container's log as containerd writes it: "TIME stdout|stderr F|P TEXT", P for a line that goes on."""

    def __init__(self, path, copy):
        self.file = path.open("rb")
        copy.parent.mkdir(parents=True, exist_ok=True)
        self.copy = copy.open("wb")
        self.rest = b""
        self.begun = ""

    def read(self):
        """The whole lines that have come since, with the stream that they are of."""
        data = self.file.read()
        self.copy.write(data)
        self.copy.flush()
        *whole, self.rest = (self.rest + data).split(b"\n")
        lines = []
        for line in whole:
            _, stream, kind, text = line.decode(errors="replace").split(" ", 3)
            self.begun += text
            if kind == "P":
                continue
            lines.append((stream, self.begun))
            self.begun = ""
        return lines

    def close(self):
        self.file.close()
        self.copy.close()


class PodLogs:
    """Copies into `folder`, and keeps what the witnesses say and why electors say that they stopped leading. Use as a context."""

    def __init__(self, roots, namespace, folder: Path):
        self.folders = [root / "var/log/pods" for root in roots]
        self.namespace, self.folder = namespace, folder
        self.files = {}
        self.earlier = set()  # what pods of an earlier namespace of this name have left
        self.lines = []
        self.endings = []
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self):
        self.earlier = {pod.name for folder in self.folders for pod in present(folder, f"{self.namespace}_*")}
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        for file in self.files.values():
            file.close()

    def _follow(self):
        while not self.ended.wait(PACE):
            self.look()

    def look(self):
        """Reads what has come, and returns all lines of witnesses so far."""
        with self.lock:
            for folder in self.folders:
                for pod in present(folder, f"{self.namespace}_*"):
                    for path in present(pod, "*/*.log"):
                        self._add(path)
            for file in self.files.values():
                for stream, text in file.read():
                    self._sort(stream, text)
            return list(self.lines)

    def _sort(self, stream, text):
        if stream == "stderr" and '"msg":"stopped leading"' in text:
            self.endings.append(json.loads(text))
        elif stream == "stdout" and (line := parse_line(text)):
            self.lines.append(line)

    def _add(self, path):
        pod = path.parts[-3].split("_")[1]
        key = path.parts[-3:]
        if key in self.files or path.parts[-3] in self.earlier:
            return
        try:
            self.files[key] = FollowedFile(path, self.folder / pod / f"{path.parts[-2]}.{path.name}")
        except FileNotFoundError:
            pass  # deleted meanwhile
