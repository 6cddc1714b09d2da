"""Programs that measure themselves and print what they found."""

import json
import subprocess

PATIENCE = 600  # seconds


def run(command, env=None):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=PATIENCE, check=False, env=env)  # fmt: skip
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def numbers(command, env=None):
    """One on each line."""
    return [float(line) for line in run(command, env).split()]


def benchmarks(command, seconds):
    """{name: entry} of a program made with Google Benchmark."""
    text = run([*command, "--benchmark_format=json", f"--benchmark_min_time={seconds}"])
    return {entry["name"].removesuffix("/real_time"): entry for entry in json.loads(text)["benchmarks"]}
