#!/usr/bin/env python3
"""archive.py ROOT_TAR DOCKERFILE TAG OUTPUT: what `docker load` and `podman load` take, made without either of them.
It understands Dockerfiles that run nothing, as the one beside this. An output of - is written to standard output.
"""

import hashlib
import io
import json
import platform
import sys
import tarfile
from pathlib import Path


ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def read_instructions(dockerfile):
    """The instructions as pairs; one that would need a builder is an error."""
    known = {"FROM", "ADD", "USER", "ENV", "EXPOSE", "STOPSIGNAL", "ENTRYPOINT", "CMD"}
    lines = [line.split(maxsplit=1) for line in dockerfile.read_text(encoding="utf-8").splitlines()]
    pairs = [(line[0], line[1]) for line in lines if line and not line[0].startswith("#")]
    for instruction, _ in pairs:
        if instruction not in known:
            sys.exit(f"{dockerfile}: {instruction} needs a builder; archive.py knows {', '.join(sorted(known))}")
    return dict(pairs)


def configuration(instructions):
    """What the instructions say, in the words of an image's configuration."""
    config = {"Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]}
    if "USER" in instructions:
        config["User"] = instructions["USER"]
    if "ENV" in instructions:
        config["Env"].append(instructions["ENV"])
    if "EXPOSE" in instructions:
        config["ExposedPorts"] = {f"{instructions['EXPOSE']}/tcp": {}}
    if "STOPSIGNAL" in instructions:
        config["StopSignal"] = instructions["STOPSIGNAL"]
    for instruction in ("ENTRYPOINT", "CMD"):
        if instruction in instructions:
            config[instruction.capitalize()] = json.loads(instructions[instruction])
    return config


def digest_of(path):
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def main():
    root, dockerfile, tag, output = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    layer = digest_of(root)
    config = json.dumps({
        "architecture": ARCHITECTURES.get(platform.machine(), platform.machine()),
        "os": "linux",
        "config": configuration(read_instructions(dockerfile)),
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer}"]},
    }).encode()
    name = f"{hashlib.sha256(config).hexdigest()}.json"
    manifest = json.dumps([{"Config": name, "RepoTags": [tag], "Layers": [f"{layer}.tar"]}]).encode()
    stream = sys.stdout.buffer if output == "-" else open(output, "wb")
    with stream, tarfile.open(fileobj=stream, mode="w|") as archive:
        for path, content in ((name, config), ("manifest.json", manifest)):
            info = tarfile.TarInfo(path)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        archive.add(root, arcname=f"{layer}.tar")


if __name__ == "__main__":
    main()
