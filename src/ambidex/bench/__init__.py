"""What `ambidex bench` measures: ratios inside one run, beside a floor, never a timed test."""
