"""On a busy machine a leader may lose its term before a trial has begun. That is no trial."""

from candidates import Failed

ATTEMPTS = 60


def replace(troupe, old):
    old.end()
    troupe.add()


def steady(troupe):
    """Returns when one leads and all the others know it; who has lost its term meanwhile is replaced."""
    for _ in range(ATTEMPTS):
        while any(member.find("started") for member in troupe.followers()):
            old = troupe.leader
            troupe.successor()
            replace(troupe, old)
        try:
            return troupe.settle(patience=2)
        except Failed:
            continue
    raise Failed(f"{troupe.leader.identity}: no peace")
