"""Measurements, as ratios against the bare engines and against peers: `make bench`."""
