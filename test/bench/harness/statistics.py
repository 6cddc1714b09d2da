"""Summaries of many trials."""


def percentile(values, share):
    """The smallest value that at least this share of the values does not exceed."""
    if not values:
        raise ValueError("no values")
    ordered = sorted(values)
    rank = -(-len(ordered) * round(share * 1000) // 1000)  # rounded up, in whole thousandths
    return ordered[max(rank, 1) - 1]


def median(values):
    return percentile(values, 0.5)


def p99(values):
    return percentile(values, 0.99)


def by_contestant(samples, summary):
    """{contestant: [values]} -> {contestant: summary}; who has no value has no summary."""
    return {name: summary(values) for name, values in samples.items() if values}
